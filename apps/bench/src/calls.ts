import { createToolHost } from "@nestbox/calls";
import type { RunnableTool, ToolCaller } from "@nestbox/tool";
import { call, scriptedPiSession } from "@nestbox/tool/testing";
import type { ToolDefinition } from "@earendil-works/pi-coding-agent";

import { measure, type Row, table } from "./measure.ts";

const CALLS = 500;

const leaf: RunnableTool & { readonly label: string } = {
  name: "leaf",
  label: "Leaf",
  description: "Does nothing.",
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  outputSchema: { type: "object" },
  execute: async () => ({ content: [{ type: "text", text: "leaf" }], details: {}, structuredContent: {} }),
};

async function sequential(caller: Pick<ToolCaller, "executeTool">): Promise<void> {
  for (let n = 0; n < CALLS; n++) await caller.executeTool("leaf", { n });
}

async function parallel(caller: Pick<ToolCaller, "executeTool">): Promise<void> {
  await Promise.all(Array.from({ length: CALLS }, (_, n) => caller.executeTool("leaf", { n })));
}

/** Nested calls of a tool that does nothing: Pi's own `ctx.executeTool` in a real session, and a `ToolHost`. */
export async function benchCalls(): Promise<string> {
  await using host = createToolHost({
    cwd: process.cwd(),
    limits: { maxCallsPerRoot: Number.MAX_SAFE_INTEGER },
  });
  host.register(leaf);
  const rows: (readonly Row[])[] = [];
  // The measurement is a tool, so that Pi's context is that of a running call.
  const top: ToolDefinition = {
    name: "top",
    label: "Top",
    description: "Measures.",
    parameters: { type: "object", properties: {} },
    async execute(_id, _params, _signal, _onUpdate, ctx) {
      await using caller = host.caller({ callId: "bench" });
      for (const [title, body] of [
        ["one after the other", sequential],
        ["at once", parallel],
      ] as const) {
        rows.push(
          await measure(
            [
              { name: `Pi, ${title}`, run: () => body(ctx) },
              { name: `ToolHost, ${title}`, run: () => body(caller) },
            ],
            { rounds: 25 },
          ),
        );
      }
      return { content: [{ type: "text", text: "measured" }], details: {} };
    },
  };
  await using pi = await scriptedPiSession({
    customTools: [top, leaf as unknown as ToolDefinition],
  });
  await pi.prompt("measure", [call("top"), "done"]);
  return rows.map((some) => table(`${CALLS} nested calls`, some)).join("\n\n");
}
