import { describe, expect, test } from "vitest";
import type { ScriptEnvironment } from "../../src/types.ts";
import type { FakeTool } from "./fake-caller.ts";
import { harness } from "./harness.ts";

const { run, value } = harness({ maxProcesses: 1 });

/** Calls that answer after so many milliseconds, in the order in which the script sees them. */
const code = `const seen = [];
  await Promise.all([0, 1, 2, 3].map((i) => tools.wait({ i, ms: [60, 0, 40, 20][i] }).then(() => seen.push(i))));
  return seen`;
const wait: FakeTool = {
  name: "wait",
  run: ({ ms }) => new Promise((resolve) => setTimeout(() => resolve({}), Number(ms))),
};
const seen = (order?: ScriptEnvironment["order"]) =>
  value(code, { tools: [wait], ...(order === undefined ? {} : { environment: { order } }) });

/** Releases results in the order of a record: what is not their turn waits. */
function recorded(record: readonly number[]): NonNullable<ScriptEnvironment["order"]> {
  const left = [...record];
  return (ready) => {
    const out: number[] = [];
    while (left[0] !== undefined && ready.includes(left[0])) out.push(left.shift() as number);
    return out;
  };
}

describe("the order of results", () => {
  test("is that of their arrival", async () => {
    expect(await seen()).toEqual([1, 3, 2, 0]);
  });

  // hostile 47
  test("is the one that is injected, however the results come", async () => {
    expect(await seen(recorded([1, 2, 3, 4]))).toEqual([0, 1, 2, 3]);
    expect(await seen(recorded([3, 1, 4, 2]))).toEqual([2, 0, 3, 1]);
  });

  test("is injected for results of one moment as well, and numbers count all calls of the script", async () => {
    const asked: (readonly number[])[] = [];
    const outcome = await value(
      `const seen = [];
       const note = (name) => () => seen.push(name);
       await Promise.all([tools.noop({}).then(note("tool")), ctx.executeTool("noop", {}).then(note("execute")), host().then(note("host"))]);
       return seen`,
      {
        globals: [{ name: "host", execute: () => 1 }],
        environment: { order: (ready) => (asked.push(ready), ready.toSorted((a, b) => b - a)) },
      },
    );
    expect(outcome).toEqual(["host", "execute", "tool"]);
    expect(asked.map((ready) => ready.toSorted((a, b) => a - b))).toEqual([[1, 2, 3]]);
  });

  test("never loses a result: what it leaves out follows, what is not ready is nobody's", async () => {
    expect(await seen(() => [])).toEqual([1, 3, 2, 0]);
    expect(await seen((ready) => [99, ...ready, ...ready, -1])).toEqual([1, 3, 2, 0]);
  });

  test("that cannot be told ends the script, never the host", async () => {
    const order = (): never => {
      throw new Error("the record has ended");
    };
    expect(await run(code, { tools: [wait], environment: { order } })).toMatchObject({
      ok: false,
      error: { kind: "sandbox", message: expect.stringContaining("the record has ended") },
    });
    expect(await value("return 1")).toBe(1);
  });
});
