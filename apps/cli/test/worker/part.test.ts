import type { ScriptOutcome } from "@nestbox/codemode";
import { describe, expect, it } from "vitest";

import type { FleetRun } from "../../src/fleet/engine.ts";
import type { WorkerEvent } from "../../src/worker/events.ts";
import { capLimits } from "../../src/worker/caps.ts";
import { Part } from "../../src/worker/part.ts";

const base = {
  output: [],
  calls: [],
  warnings: [],
  stats: { wallMs: 0, cpuMs: 0, pausedMs: 0, calls: 0, outputChars: 0 },
} as const;
const ok: ScriptOutcome = { ...base, ok: true, value: 1, storeWrites: { set: {}, delete: [] } };
const error = (kind: "aborted" | "timeout" | "sandbox"): ScriptOutcome => ({
  ...base,
  ok: false,
  error: { kind, name: "Error", message: "password-417", stack: "" },
});

/** A part whose time passes at once, under an engine that says these things of the run, one after the other. */
function partOf(says: readonly (Partial<FleetRun> | "away" | undefined)[], draining = false) {
  const events: WorkerEvent[] = [];
  const waited: number[] = [];
  const left = [...says];
  let settled = 0;
  let time = 1_000;
  const part = new Part({
    runId: "r",
    now: () => (time += 10),
    tell: (event) => void events.push(event),
    draining: () => draining,
    async status() {
      const run = left.length > 1 ? left.shift() : left[0];
      if (run === "away") throw new Error("It does not answer");
      return run === undefined ? undefined : { runId: "r", state: "running", ...run };
    },
    after(ms, run) {
      waited.push(ms);
      queueMicrotask(run);
    },
    onSettled: () => void settled++,
  });
  const ends = (): readonly unknown[] =>
    events.flatMap((event) => (event.type === "run.let-go" ? [event.end] : []));
  return {
    part,
    events,
    ends,
    waited,
    settled: () => settled,
    rest: () => new Promise((resolve) => setTimeout(resolve, 20)),
  };
}

describe("a part of a run", () => {
  it("was begun here, or taken up again where it began before", () => {
    for (const [startedAt, resumed] of [
      [1_010, false],
      [999, true],
    ] as const) {
      const { part, events } = partOf([]);
      part.begin(startedAt);
      expect(events).toEqual([{ type: "run.begun", runId: "r", resumed }]);
    }
  });

  it("ends as its script ends, without asking the engine", () => {
    const well = partOf(["away"]);
    well.part.begin(1_010);
    well.part.ran(ok);
    expect(well.ends()).toEqual([{ kind: "ended", outcome: "ok" }]);
    const late = partOf(["away"]);
    late.part.begin(1_010);
    late.part.ran(error("timeout"));
    expect(late.ends()).toEqual([{ kind: "ended", outcome: "timeout" }]);
    expect(late.settled()).toBe(1);
  });

  it.each([
    ["parked", [{ state: "running" }, "away", { state: "parked" }], { kind: "parked" }],
    ["cancelled", [{ state: "ended", ok: false }], { kind: "ended", outcome: "aborted" }],
    ["due again", [{ state: "queued" }], { kind: "released" }],
    [
      "halted for other tools",
      [{ state: "halted", message: "The run cannot go on here, it began under other conditions: tool a" }],
      { kind: "halted", why: "changed" },
    ],
    [
      "diverged",
      [{ state: "halted", message: "The script diverged from its journal at call 1: recorded pay(417)" }],
      { kind: "halted", why: "diverged" },
    ],
    ["halted otherwise", [{ state: "halted", message: "password-417" }], { kind: "halted", why: "other" }],
    ["taken over", [{ state: "running" }], { kind: "released" }],
  ] as const)("is %s where the engine says so, and quotes nothing", async (_name, says, end) => {
    const { part, ends, rest, events } = partOf(says);
    part.begin(1_010);
    part.ran(error("aborted"));
    await rest();
    expect(ends()).toEqual([end]);
    expect(JSON.stringify(events)).not.toContain("417");
  });

  it("is let go of where the worker drains", async () => {
    const { part, ends, rest } = partOf([{ state: "running" }], true);
    part.begin(1_010);
    part.ran(error("aborted"));
    await rest();
    expect(ends()).toEqual([{ kind: "released" }]);
  });

  it("tells of one that ended without its script being run, and of none that nothing is known of", async () => {
    const ended = partOf([{ state: "ended", ok: false }]);
    ended.part.prepared();
    await ended.rest();
    expect(ended.events).toEqual([
      {
        type: "run.let-go",
        runId: "r",
        end: { kind: "ended", outcome: "aborted" },
        durationMs: undefined,
      },
    ]);
    const unknown = partOf(["away"]);
    unknown.part.prepared();
    await unknown.rest();
    expect([unknown.events, unknown.settled()]).toEqual([[], 1]);
  });

  it("is told once, also where a sandbox that failed is tried again and the run comes back", async () => {
    const { part, ends, rest, settled } = partOf([{ state: "running" }]);
    part.begin(1_010);
    part.ran(error("sandbox"));
    part.begin(1_010);
    part.ran(ok);
    part.replaced();
    await rest();
    expect([ends(), settled()]).toEqual([[{ kind: "ended", outcome: "ok" }], 1]);
  });
});

describe("limits", () => {
  it("are those of the submission where they are lower, and the worker's where they are not", () => {
    const caps = { limits: { memoryMb: 256, cpuMs: 30_000, maxCalls: 100 }, timeoutMs: 5_000 };
    expect(capLimits({ memoryMb: 4_096, cpuMs: 10, maxLogLines: 7 }, caps)).toEqual({
      memoryMb: 256,
      cpuMs: 10,
      maxCalls: 100,
      maxLogLines: 7,
      timeoutMs: 5_000,
    });
    expect(capLimits({ timeoutMs: 1 }, caps).timeoutMs).toBe(1);
    expect(capLimits(undefined, { limits: {} })).toEqual({});
  });
});
