import { expect, test } from "vitest";
import {
  cancelDurable,
  createMemoryJournal,
  ENDING_CHARS,
  readRunEnding,
  runDurable,
} from "../../src/durable/index.ts";
import { createRunner } from "../../src/node/index.ts";

const failed = (message: string, kind = "script", more: object = {}): string =>
  JSON.stringify({ ok: false, error: { kind, name: "Error", message, line: 1 }, output: [], ...more });

test("the beginning of an end says how it was, whatever stands behind it", () => {
  expect(readRunEnding('{"ok":true,"value":"…')).toEqual({ ok: true });
  expect(readRunEnding(failed("no", "script", { output: ["x".repeat(1e6)] }).slice(0, ENDING_CHARS))).toEqual(
    { ok: false, error: { kind: "script", name: "Error", message: "no" } },
  );
  expect(readRunEnding(failed('"a"\\\n\u0000é'))).toMatchObject({ error: { message: '"a"\\\n\u0000é' } });
});

test("a message that is cut off anywhere is told as far as it goes", () => {
  const whole = failed(`${"x".repeat(100)}\\"\u0001${"\u0002".repeat(2_000)}`);
  // From where it says how the run ended.
  for (let end = '{"ok":false,'.length; end < 400; end++)
    expect(readRunEnding(whole.slice(0, end))).toMatchObject({ ok: false });
  const ending = readRunEnding(whole.slice(0, ENDING_CHARS));
  if (ending?.ok !== false) throw new Error("It has failed");
  expect(ending.error?.message.length).toBeLessThanOrEqual(500);
  expect(ending.error?.message.startsWith(`${"x".repeat(100)}\\"\u0001\u0002`)).toBe(true);
});

test("what is no end of a run is none", () => {
  for (const text of ["", "null", '{"ok":1}', '{"value":1,"ok":true}', '{"ok":trueish}'])
    expect(readRunEnding(text)).toBeUndefined();
  // A stranger's: no kind of ours, no text.
  expect(readRunEnding('{"ok":false,"error":{"kind":7,"name":"n","message":"m"}}')).toEqual({ ok: false });
  expect(readRunEnding('{"ok":false,"error":{"kind":"script","name":"\\x","message":"m"}}')).toEqual({
    ok: false,
  });
  expect(readRunEnding('{"ok":false}')).toEqual({ ok: false });
});

test("ends that runs really have are read: a failure, a cancellation, a value", async () => {
  await using runner = Object.assign(createRunner({ maxProcesses: 1 }), {
    [Symbol.asyncDispose]: () => runner.close(),
  });
  const journal = createMemoryJournal();
  const none = { tools: [], executeTool: () => Promise.reject(new Error("none")) };
  const endOf = async (runId: string, code: string) => {
    const result = await runDurable({
      runner,
      journal: journal.run(runId),
      script: { code },
      callerFor: () => none,
    });
    if (result.state !== "ended") throw new Error(`It is ${result.state}`);
    return readRunEnding(JSON.stringify(result.outcome));
  };
  expect(await endOf("good", "return 1")).toEqual({ ok: true });
  expect(await endOf("bad", "throw new RangeError('too far')")).toEqual({
    ok: false,
    error: { kind: "script", name: "RangeError", message: "too far" },
  });
  await cancelDurable(journal.run("gone"), "Cancelled by ada");
  expect(await endOf("gone", "return 1")).toEqual({
    ok: false,
    error: { kind: "aborted", name: "AbortError", message: "Cancelled by ada" },
  });
});
