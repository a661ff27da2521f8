import { Agent, type StreamFn } from "@earendil-works/pi-agent-core";
import type { Model } from "@earendil-works/pi-ai";
import { toAgentTools } from "@nestbox/tool/pi";
import { almanac } from "./station.ts";
import { createWeatherTool } from "./weather-tool.ts";

/** Route 1: the low-level agent, whose tools have a four-argument `execute` and no session around them. */
export function createWeatherAgent(model: Model<string>, streamFn: StreamFn): Agent {
  return new Agent({
    initialState: {
      model,
      systemPrompt: "You know the weather.",
      tools: toAgentTools([createWeatherTool(almanac)]),
    },
    streamFn,
  });
}
