import type { CreateAgentSessionOptions } from "@earendil-works/pi-coding-agent";
import { toCustomTools } from "@nestbox/tool/pi";
import { almanac } from "./station.ts";
import { createWeatherTool } from "./weather-tool.ts";

/** Route 2: what a program hands to `createAgentSession`. */
export const weatherSession = {
  customTools: toCustomTools([createWeatherTool(almanac)]),
  noTools: "builtin",
} satisfies CreateAgentSessionOptions;
