import { createToolHost } from "@nestbox/calls";
import type { RunnableTool } from "@nestbox/tool";

import { measure, table } from "./measure.ts";

const CALLS = 1_000;

const leaf: RunnableTool = {
  name: "leaf",
  description: "Does nothing.",
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  outputSchema: { type: "object" },
  execute: async () => ({ content: [{ type: "text", text: "leaf" }], details: {}, structuredContent: {} }),
};

/** A thousand nested calls of a tool that does nothing, beside calling its function alone. */
export async function benchCalls(): Promise<string> {
  await using host = createToolHost({
    cwd: process.cwd(),
    limits: { maxCallsPerRoot: Number.MAX_SAFE_INTEGER },
  });
  host.register(leaf);
  const execute = leaf.execute as (id: string, params: object) => Promise<unknown>;
  let round = 0;
  const rows = await measure(
    [
      {
        name: "the function alone",
        run: async () => {
          for (let n = 0; n < CALLS; n++) await execute("x", { n });
        },
      },
      {
        name: "sequential nested calls",
        run: async () => {
          await using caller = host.caller({ callId: `bench-${round++}` });
          for (let n = 0; n < CALLS; n++) await caller.executeTool("leaf", { n });
        },
      },
      {
        name: "parallel nested calls",
        run: async () => {
          await using caller = host.caller({ callId: `bench-${round++}` });
          await Promise.all(Array.from({ length: CALLS }, (_, n) => caller.executeTool("leaf", { n })));
        },
      },
    ],
    { rounds: 20 },
  );
  return table(`${CALLS} calls`, rows);
}
