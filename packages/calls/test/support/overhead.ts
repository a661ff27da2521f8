import { createHostDriver, scenarioTool, type ConformanceDriver } from "@nestbox/calls/conformance";
import { agentDriver } from "./agent-driver.ts";
import { piDriver } from "./pi-driver.ts";

/** Microseconds of one nested call of a tool that does nothing; medians over the rounds. */
export interface Overhead {
  /** Pi's own `ctx.executeTool`. */
  readonly pi: number;
  readonly host: number;
  readonly agent: number;
  /** Median of the ratios of each round: below 1, the host's call costs less than Pi's. */
  readonly hostToPi: number;
  readonly agentToPi: number;
}

const parameters = {
  type: "object",
  properties: { n: { type: "number" }, word: { type: "string" } },
  required: ["n"],
};
const leafBody = () => ({
  content: [{ type: "text" as const, text: "leaf" }],
  details: {},
  structuredContent: { ok: true },
});

/** Lets `count` parties go one after the other, round and round. */
function createBaton(count: number): {
  readonly take: (party: number) => Promise<void>;
  readonly pass: () => void;
} {
  let holder = 0;
  const waiting = new Map<number, () => void>();
  return {
    take: (party) =>
      holder === party ? Promise.resolve() : new Promise((resolve) => void waiting.set(party, resolve)),
    pass() {
      holder = (holder + 1) % count;
      const next = waiting.get(holder);
      waiting.delete(holder);
      next?.();
    },
  };
}

/**
 * The overhead of one nested call in each host, in one process and one run. The hosts take turns round by round, so
 * that whatever else the machine does hits all of them.
 */
export async function measureOverhead({ calls = 500, rounds = 31 } = {}): Promise<Overhead> {
  const drivers: readonly ConformanceDriver[] = [piDriver, createHostDriver(), agentDriver];
  const baton = createBaton(drivers.length);
  const times = await Promise.all(
    drivers.map(async (driver, party) => {
      const own: number[] = [];
      const top = scenarioTool("top", async (_params, ctx) => {
        // The first rounds warm up.
        for (let round = -3; round < rounds; round++) {
          await baton.take(party);
          const startedAt = performance.now();
          for (let n = 0; n < calls; n++) await ctx.executeTool("leaf", { n, word: "word" });
          if (round >= 0) own.push(((performance.now() - startedAt) * 1_000) / calls);
          baton.pass();
        }
        return "done";
      });
      await driver.run({
        tools: [top, scenarioTool("leaf", leafBody, { parameters })],
        handlers: {},
        calls: [{ id: "C", name: "top", args: {} }],
        onEvent: () => {},
        onReady: () => {},
      });
      return own;
    }),
  );
  const [pi = [], host = [], agent = []] = times;
  const ratio = (other: number[]): number =>
    median(other.map((time, round) => time / (pi[round] ?? Number.NaN)));
  return {
    pi: median(pi),
    host: median(host),
    agent: median(agent),
    hostToPi: ratio(host),
    agentToPi: ratio(agent),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
