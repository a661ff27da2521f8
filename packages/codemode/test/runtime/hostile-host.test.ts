import { describe, expect, test } from "vitest";
import { createRunner } from "../../src/node/index.ts";
import type { ScriptEnvironment, ScriptRequest } from "../../src/types.ts";
import { CASE_TOOLS, fakeCaller } from "./fake-caller.ts";
import { harness } from "./harness.ts";

const { run } = harness({ maxProcesses: 1 });

const trap = (): never => {
  throw new Error("trap");
};

/** A clock that tells the time of the start and no other. */
const brokenClock = (): ScriptEnvironment => {
  let asked = 0;
  return { now: () => (asked++ === 0 ? 1e12 : trap()) };
};

/** Results that no code can read without being thrown at. A rejection that escapes fails the run of the tests. */
const UNREADABLE: readonly (readonly [string, () => unknown])[] = [
  [
    "a getter that throws",
    () => ({
      get a(): never {
        return trap();
      },
    }),
  ],
  ["a Proxy without a prototype", () => new Proxy({}, { getPrototypeOf: trap })],
  ["a Proxy without keys", () => ({ a: new Proxy({}, { ownKeys: trap }) })],
  [
    "a Proxy that throws at everything",
    () => new Proxy({}, { get: trap, getPrototypeOf: trap, ownKeys: trap }),
  ],
];

/** Arrays whose holes nobody could wait for: a slip of an index, and a Proxy that tells another length. */
const SPARSE: readonly (readonly [string, () => unknown])[] = [
  [
    "a sparse array of four billion",
    () => {
      const rows: unknown[] = [];
      rows[4_294_967_290] = 1;
      return { rows };
    },
  ],
  [
    "an array that says it is endless",
    () => ({ rows: new Proxy([], { get: (_, key) => (key === "length" ? 2 ** 32 - 1 : undefined) }) }),
  ],
];

describe("a host whose own parts misbehave", () => {
  test.each(SPARSE)("hostile 37: does not wait for a result that is %s", async (_, make) => {
    const outcome = await run("return await tools.odd({})", { tools: [{ name: "odd", run: make }] });
    expect(outcome).toMatchObject({ ok: true, value: { rows: null } });
    expect(outcome.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^rows of the result of odd is an array of \d+ items, more than 16777216: it became null$/,
      ),
    ]);
  });

  test.each(UNREADABLE)("lives on with a result that is %s: the script gets an answer", async (_, make) => {
    const code =
      "try { return ['value', await tools.odd({})] } catch (error) { return ['error', error.message] }";
    const outcome = await run(code, { tools: [{ name: "odd", run: make }], limits: { timeoutMs: 20_000 } });
    expect(outcome).toMatchObject({
      ok: true,
      value: [expect.stringMatching(/value|error/), expect.toSatisfy(() => true)],
    });
    const ofGlobal = await run("try { await odd() } catch {} return 'lives'", {
      globals: [{ name: "odd", execute: make }],
      limits: { timeoutMs: 20_000 },
    });
    expect(ofGlobal).toMatchObject({ ok: true, value: "lives" });
  });

  test("lives on with a thrown value that cannot be described", async () => {
    const thrown = {
      toString: trap,
      get message(): never {
        return trap();
      },
    };
    const outcome = await run("try { await odd() } catch (error) { return error.message }", {
      globals: [
        {
          name: "odd",
          execute: () => {
            throw thrown;
          },
        },
      ],
      limits: { timeoutMs: 20_000 },
    });
    expect(outcome).toMatchObject({ ok: true, value: "a value that cannot be described" });
  });

  test.each<readonly [string, string, () => ScriptEnvironment]>([
    ["clock, at an answer", "await tools.noop({}); return 1", brokenClock],
    ["clock, at a timer", "await new Promise((resolve) => setTimeout(resolve, 5)); return 1", brokenClock],
    ["order", "await tools.noop({}); return 1", () => ({ order: trap })],
    [
      "turns, at a rest",
      "await new Promise((resolve) => setTimeout(resolve, 5)); return 1",
      () => ({ turns: trap }),
    ],
    [
      "turns, at an answer",
      "await tools.noop({}); return 1",
      () => ({ turns: ({ ready }) => void (ready > 0 && trap()) }),
    ],
  ])("lives on with an injected part that throws: %s", async (_, code, environment) => {
    const outcome = await run(code, { environment: environment(), limits: { timeoutMs: 20_000 } });
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "sandbox", message: expect.stringContaining("trap") },
    });
    expect(await run("return 1")).toMatchObject({ ok: true, value: 1 });
  });

  test("lives on with a listener that rejects", async () => {
    const outcome = await run("text('a'); await tools.noop({}); return 1", {
      onEvent: () => Promise.reject(new Error("listener")),
    });
    expect(outcome).toMatchObject({ ok: true, value: 1 });
  });

  test.each<readonly [string, Partial<ScriptRequest>]>([
    ["texts", { describe: trap }],
    [
      "catalogue",
      {
        caller: {
          get tools(): never {
            return trap();
          },
          executeTool: trap,
        },
      },
    ],
    ["clock", { environment: { now: trap } }],
  ])("gives its sandbox back when its %s throws", async (_, request) => {
    const runner = createRunner({ maxProcesses: 1, waitMs: 20_000 });
    const caller = fakeCaller(CASE_TOOLS);
    await expect(runner.run({ code: "return 1", caller, ...request })).rejects.toThrow("trap");
    expect(await runner.run({ code: "return 2", caller })).toMatchObject({ ok: true, value: 2 });
    await runner.close();
  });
});
