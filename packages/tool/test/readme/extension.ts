import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { registerTools } from "@nestbox/tool/pi";
import { countLines } from "./count-lines.ts";
import { status } from "./status.ts";

export default (pi: ExtensionAPI) => registerTools(pi, [countLines, status], { owner: "my extension" });
