import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { registerTools } from "@nestbox/tool/pi";
import { almanac } from "./station.ts";
import { createWeatherTool } from "./weather-tool.ts";

/** Route 3: an extension, for `pi -e` and for packages. */
export default function weatherExtension(pi: ExtensionAPI): void {
  registerTools(pi, [createWeatherTool(almanac)], { owner: "the weather example" });
}
