import type { CallableTool, JsonObject, ToolCaller, ToolCallOutcome } from "@nestbox/tool";
import type { HostGlobal } from "../../src/types.ts";

export interface DurableTools extends ToolCaller {
  readonly made: readonly string[];
}

const object = { type: "object" };
const tool = (name: string, extra: Partial<CallableTool> = {}): CallableTool => ({
  name,
  label: name,
  description: `The tool ${name}`,
  parameters: object,
  outputSchema: object,
  ...extra,
});

/** Tools that answer after `ms` of their arguments, or after what `latency` says. */
export function durableTools(
  latency: (call: number) => number = () => 0,
  extra: readonly CallableTool[] = [],
): DurableTools {
  const made: string[] = [];
  return {
    made,
    tools: [tool("work"), tool("other"), tool("fail"), tool("bytes"), ...extra],
    async executeTool(name, given, options): Promise<ToolCallOutcome> {
      const args = (given ?? {}) as JsonObject;
      const number = made.push(`${name}(${JSON.stringify(args)})`);
      const ms = typeof args["ms"] === "number" ? args["ms"] : latency(number);
      const toolCall = { type: "toolCall" as const, id: `root/${number}`, name, arguments: args };
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        options?.signal?.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve();
        });
      });
      const content = [{ type: "text" as const, text: `${name} failed` }];
      if (name === "fail") {
        const details = { name: "ToolError", code: "E_WORK", data: args };
        return { toolCall, result: { content, details }, isError: true, durationMs: ms };
      }
      const structuredContent =
        name === "bytes"
          ? { data: new Uint8Array([1, 2, 3, 4, 5]), nested: [{ more: new Uint8Array(300) }] }
          : args;
      return {
        toolCall,
        result: { content: [], details: {}, structuredContent: structuredContent as never },
        isError: false,
        durationMs: ms,
      };
    },
  };
}

export const hostFunctions: readonly HostGlobal[] = [
  {
    name: "host.double",
    async execute([n]) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      return Number(n) * 2;
    },
  },
  {
    name: "host.broken",
    execute() {
      throw new TypeError("broken");
    },
  },
];
