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
  readonly onWake?: () => void;
  readonly begin?: () => Promise<{ readonly script: string } | undefined>;
  readonly park?: () => boolean;
  readonly lost?: () => boolean;
  readonly away?: () => boolean;
  readonly stop?: () => Promise<void>;
  readonly signal?: AbortSignal;
  readonly closed?: AbortSignal;
}

/** The journal in memory, and a record of what was told to the database. */
function rig({
  code = "return 1",
  onStep,
  onWake,
  begin,
  park = () => true,
  lost = () => false,
  away = () => false,
  stop = () => Promise.resolve(),
  signal,
  closed,
}: RigOptions = {}) {
  const memory = createMemoryJournal();
  const told: JsonValue[] = [];
  const pauses: number[] = [];
  const said: string[] = [];
  const journal = (runId: string) => {
    const kept: RunJournal = memory.run(runId);
    return {
      ...kept,
      owner: () => "7",
      lost,
      away,
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
      return stop();
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
    runs: {
      parts,
      clock,
      journal,
      run: (runId: string): RunJournal => {
        const kept = memory.run(runId);
        return {
          ...kept,
          wake: async (...args) => {
            onWake?.();
            return await kept.wake(...args);
          },
        };
      },
    },
    deployment: "default",
    signal: signal ?? new AbortController().signal,
    closed: closed ?? new AbortController().signal,
    onLog: (level: string, message: string) => said.push(`${level} ${message}`),
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
  return {
    told,
    pauses,
    said,
    go: (cancelled?: AbortSignal) => carryOn(options, "run", 3, cancelled),
    memory,
  };
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

  test("stays with its worker while the database is away, and says so once", async () => {
    let tries = 0;
    const { go, pauses, said } = rig({
      begin: () =>
        ++tries < 7
          ? Promise.reject(new DbosError("unreachable", "away"))
          : Promise.resolve({ script: JSON.stringify({ code: "return 1" }) }),
    });
    expect(await go()).toBe("ended");
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    expect(said).toEqual([
      "warn The run run stays here until it can be kept again: away",
      "info The run run could be kept again",
    ]);
  });

  test("is not let go of while the database refuses to keep that it has ended or halted", async () => {
    for (const code of ["return 1", "await tools.hang({})"]) {
      let refusals = 0;
      const { go, told } = rig({
        code,
        stop: () =>
          ++refusals < 4 ? Promise.reject(new DbosError("refused", "permission denied")) : Promise.resolve(),
        onStep: (key) => {
          if (key === "1") throw new DbosError("refused", "permission denied");
        },
      });
      expect(await go()).toBe(code === "return 1" ? "ended" : "halted");
      expect(told.filter((one) => Array.isArray(one) && one[0] === "stop").length).toBe(4);
    }
  });

  test("is tried six times when its journal fails, later and later, and halts then", async () => {
    const { go, told, pauses } = rig({
      onStep: (key) => {
        if (key === "engine") throw new DbosError("journal", "A step of the journal cannot be read");
      },
    });
    expect(await go()).toBe("halted");
    expect(pauses).toEqual([500, 1_000, 1_500, 2_000, 2_500]);
    expect(told.at(-1)).toEqual(["stop", "7", "halted", "A step of the journal cannot be read"]);
  });

  test("does not halt for a database that is away, however often it is", async () => {
    let failures = 0;
    let away = false;
    const { go, told } = rig({
      onStep: (key) => {
        away = key === "engine" && ++failures < 20;
        if (away) throw new DbosError("unreachable", "The database takes no writes");
      },
      away: () => away,
    });
    expect(await go()).toBe("ended");
    expect(failures).toBe(20);
    expect(told.at(-1)).toEqual(["stop", "7", "ended"]);
  });

  test("has no end where nothing can be kept until its worker has closed: others take it", async () => {
    const drain = new AbortController();
    const closed = new AbortController();
    let tries = 0;
    const { go } = rig({
      begin: () => {
        if (++tries === 3) drain.abort();
        if (tries === 5) closed.abort();
        return Promise.reject(new DbosError("unreachable", "away"));
      },
      signal: drain.signal,
      closed: closed.signal,
    });
    let ends = 0;
    void go().then(
      () => ends++,
      () => ends++,
    );
    await expect.poll(() => tries, { timeout: 10_000 }).toBe(5);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([tries, ends]).toEqual([5, 0]);
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

  test("says when that could not be kept, and ends so when it can be kept again", async () => {
    let wakes = 0;
    let begins = 0;
    const { go, memory, said } = rig({
      code: "await tools.hang({})",
      onWake() {
        if (++wakes === 1) throw new DbosError("unreachable", "The database does not answer");
      },
      // Away as well: it is tried again later.
      begin: () =>
        ++begins === 1
          ? Promise.reject(new DbosError("unreachable", "The database does not answer"))
          : Promise.resolve({ script: JSON.stringify({ code: "await tools.hang({})" }) }),
    });
    expect(await go(AbortSignal.abort())).toBe("ended");
    expect(said).toContain("warn The run run could not be cancelled: The database does not answer");
    expect(memory.steps("run")["end"]).toMatchObject({ error: { kind: "aborted", message: "Cancelled" } });
  });
});
