import { createMemoryJournal, durableClock, type RunJournal } from "@nestbox/codemode/durable";
import { createRunner } from "@nestbox/codemode/node";
import type { JsonValue } from "@nestbox/tool";
import { afterAll, describe, expect, test } from "vitest";
import { DbosError } from "../src/errors.ts";
import { type CarryOnOptions, carryOn } from "../src/node/carry-on.ts";

const runner = createRunner({ maxProcesses: 1 });
afterAll(() => runner.close());

interface RigOptions {
  readonly code?: string;
  /** Before every step. */
  readonly onStep?: (key: string) => void;
  readonly begin?: () => Promise<{ readonly script: string } | undefined>;
  readonly park?: () => boolean;
  readonly lost?: () => boolean;
  readonly signal?: AbortSignal;
}

/** The journal in memory, and a record of what was told to the database. */
function rig({
  code = "return 1",
  onStep,
  begin,
  park = () => true,
  lost = () => false,
  signal,
}: RigOptions = {}) {
  const memory = createMemoryJournal();
  const told: JsonValue[] = [];
  const pauses: number[] = [];
  const journal = (runId: string) => {
    const kept: RunJournal = memory.run(runId);
    return {
      ...kept,
      owner: () => "7",
      lost,
      step: async (...args: Parameters<RunJournal["step"]>) => {
        onStep?.(args[0]);
        return await kept.step(...args);
      },
    };
  };
  const parts = {
    begin: (runId: string, part: number, deployment: string) => {
      told.push(["begin", runId, part, deployment]);
      return begin === undefined ? Promise.resolve({ script: JSON.stringify({ code }) }) : begin();
    },
    park: (_runId: string, _part: number, owner: string, keys: readonly string[], wakeAt?: number) => {
      told.push(["park", owner, [...keys], wakeAt !== undefined]);
      return Promise.resolve(park());
    },
    stop: (_runId: string, _part: number, owner: string, state: string, message?: string) => {
      told.push(["stop", owner, state, ...(message === undefined ? [] : [message])]);
      return Promise.resolve();
    },
    release: (_runId: string, _part: number, owner: string) => {
      told.push(["release", owner]);
      return Promise.resolve();
    },
  };
  const clock = {
    now: () => durableClock.now(),
    after(ms: number, run: () => void) {
      pauses.push(ms);
      return durableClock.after(0, run);
    },
  };
  const tool = (name: string) => ({ name, label: name, description: name, parameters: { type: "object" } });
  const options = {
    runs: { parts, clock, journal, run: memory.run },
    deployment: "default",
    signal: signal ?? new AbortController().signal,
    carrierFor: () => ({
      runner,
      callerFor: (callId: string) => ({
        tools: [tool("hang")],
        executeTool: async (name: string, _args: unknown, call?: { readonly signal?: AbortSignal }) => {
          await new Promise<void>((resolve) => call?.signal?.addEventListener("abort", () => resolve()));
          const toolCall = { type: "toolCall" as const, id: callId, name, arguments: {} };
          return { toolCall, result: { content: [], details: {} }, isError: true };
        },
      }),
    }),
    // The parts of a worker's runs that carrying on uses.
  } as unknown as CarryOnOptions;
  return { told, pauses, go: (cancelled?: AbortSignal) => carryOn(options, "run", 3, cancelled), memory };
}

const FAR = "await new Promise((r) => setTimeout(r, 86400000))";

describe("one part of a run", () => {
  test("ends with its run", async () => {
    const { go, told } = rig();
    expect(await go()).toBe("ended");
    expect(told).toEqual([
      ["begin", "run", 3, "default"],
      ["stop", "7", "ended"],
    ]);
  });

  test("that is no longer the one that may does nothing", async () => {
    const { go, told } = rig({ begin: () => Promise.resolve(undefined) });
    expect(await go()).toBe("stale");
    expect(told.length).toBe(1);
  });

  test("ends where the run parks, and tells by what it may be woken, a cancel included", async () => {
    const { go, told } = rig({ code: FAR });
    expect(await go()).toBe("parked");
    expect(told.at(-1)).toEqual(["park", "7", ["cancel"], true]);
  });

  test("goes on at once when it was woken before it was parked", async () => {
    let parks = 0;
    const { go, told } = rig({ code: FAR, park: () => ++parks === 3 });
    expect(await go()).toBe("parked");
    expect(told.filter((one) => Array.isArray(one) && one[0] === "park").length).toBe(3);
  });

  test("is handed on when the worker lets go", async () => {
    const { go, told } = rig({ code: FAR, signal: AbortSignal.abort() });
    expect(await go()).toBe("released");
    expect(told.at(-1)).toEqual(["release", "7"]);
  });

  test("ends quietly when another process has taken the run over", async () => {
    const onStep = (key: string): void => {
      if (key === "engine") throw new DbosError("lost", "Another process has taken the run over");
    };
    const { go, told } = rig({ onStep, lost: () => true });
    expect(await go()).toBe("taken over");
    expect(told.length).toBe(1);
  });

  test("tries again when the journal fails, and halts when that does not pass", async () => {
    let failures = 0;
    const passing = rig({
      onStep: (key) => {
        if (key === "engine" && ++failures < 3) throw new Error("not now");
      },
    });
    expect(await passing.go()).toBe("ended");
    expect(passing.pauses).toEqual([500, 1_000]);

    const failing = rig({
      onStep: (key) => {
        if (key === "engine") throw new Error("never");
      },
    });
    expect(await failing.go()).toBe("halted");
    expect(failing.told.at(-1)).toEqual(["stop", "7", "halted", "never"]);
  });

  test("stays with its worker while the database is away", async () => {
    let tries = 0;
    const { go, pauses } = rig({
      begin: () =>
        ++tries < 3
          ? Promise.reject(new DbosError("unreachable", "away"))
          : Promise.resolve({ script: JSON.stringify({ code: "return 1" }) }),
    });
    expect(await go()).toBe("ended");
    expect(pauses).toEqual([1_000, 1_000]);
  });

  test("halts for what is no script, and for limits that are none", async () => {
    for (const script of ["1", "{}", '{"code":1}', '{"code":"1","limits":{"timeoutMs":5}}']) {
      const { go, told } = rig({ begin: () => Promise.resolve({ script }) });
      expect(await go()).toBe("halted");
      expect(told.at(-1)).toEqual(["stop", "7", "halted", expect.any(String)]);
    }
  });

  test("ends as aborted when DBOS cancels its workflow", async () => {
    const { go, memory } = rig({ code: "await tools.hang({})" });
    const cancelled = new AbortController();
    const going = go(cancelled.signal);
    setTimeout(() => cancelled.abort(), 500);
    expect(await going).toBe("ended");
    expect(memory.steps("run")["end"]).toMatchObject({ error: { kind: "aborted", message: "Cancelled" } });
  });
});
