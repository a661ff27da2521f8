import { createHostDriver, scenarioTool, type ConformanceDriver } from "@nestbox/calls/conformance";
import { agentDriver } from "./agent-driver.ts";
import { piDriver } from "./pi-driver.ts";

export interface Overhead {
  readonly pi: number;
  readonly host: number;
  readonly agent: number;
  /** Microseconds of the same tool called as a function. */
  readonly direct: number;
}

const parameters = { type: "object", properties: { n: { type: "number" }, word: { type: "string" } }, required: ["n"] };
const leafBody = () => ({ content: [{ type: "text" as const, text: "leaf" }], details: {}, structuredContent: { ok: true } });

/** Microseconds of one nested call of a tool that does nothing, as the median of the rounds, one call after the other. */
async function measureIn(driver: ConformanceDriver, calls: number, rounds: number): Promise<number> {
  const times: number[] = [];
  await driver.run({
    tools: [
      scenarioTool("top", async (_params, ctx) => {
        for (let round = 0; round <= rounds; round++) {
          const startedAt = performance.now();
          for (let n = 0; n < calls; n++) await ctx.executeTool("leaf", { n, word: "word" });
          // The first round warms up.
          if (round > 0) times.push(((performance.now() - startedAt) * 1_000) / calls);
        }
        return "done";
      }),
      scenarioTool("leaf", leafBody, { parameters }),
    ],
    handlers: {},
    calls: [{ id: "C", name: "top", args: {} }],
    onEvent: () => {},
    onReady: () => {},
  });
  return median(times);
}

async function measureDirect(calls: number, rounds: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const startedAt = performance.now();
    for (let n = 0; n < calls; n++) await Promise.resolve(leafBody());
    if (round > 0) times.push(((performance.now() - startedAt) * 1_000) / calls);
  }
  return median(times);
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The overhead of one nested call in each host, in one process and one run. */
export async function measureOverhead({ calls = 1_000, rounds = 9 } = {}): Promise<Overhead> {
  const pi = await measureIn(piDriver, calls, rounds);
  const host = await measureIn(createHostDriver(), calls, rounds);
  const agent = await measureIn(agentDriver, calls, rounds);
  return { pi, host, agent, direct: await measureDirect(calls, rounds) };
}
