import { createRunner } from "@nestbox/codemode/node";
import type { JsonObject, JsonValue, ToolCaller } from "@nestbox/tool";
import type { Engine } from "../engine.ts";

export const nestbox: Engine = {
  async open(tools) {
    const runner = createRunner({ maxProcesses: 1 });
    const listed = Object.keys(tools).map((name) => ({
      name,
      description: name,
      parameters: {},
      outputSchema: {},
    }));
    let calls = 0;
    const caller: ToolCaller = {
      tools: listed,
      async executeTool(name, args) {
        const structuredContent = (await tools[name]?.((args ?? {}) as JsonObject)) as JsonValue;
        return {
          toolCall: { type: "toolCall", id: `bench/${++calls}`, name, arguments: (args ?? {}) as JsonObject },
          result: { content: [], details: {}, structuredContent },
          isError: false,
          durationMs: 0,
        };
      },
    };
    return {
      async run(code) {
        const outcome = await runner.run({ code, caller });
        if (!outcome.ok) throw new Error(outcome.error.message);
        return outcome.value;
      },
      close: () => runner.close(),
    };
  },
};
