import { afterAll, describe, expect, test } from "vitest";
import { compareOutcomes } from "../../src/durable/compare.ts";
import {
  parseRecording,
  type Recording,
  recordingText,
  recordRun,
  repeatablePart,
  replayRecording,
} from "../../src/durable/index.ts";
import { createRunner } from "../../src/node/index.ts";
import type { ScriptRequest } from "../../src/types.ts";
import { durableTools, hostFunctions } from "./harness.ts";
import { SCRIPTS } from "./scripts.ts";

const runner = createRunner({ maxProcesses: 2 });
afterAll(() => runner.close());

/** Records a script and reads the recording back from its text, as from a file. */
async function record(code: string, request: Partial<ScriptRequest> = {}): Promise<Recording> {
  // Answers come in another order than the calls were made.
  const caller = durableTools((call) => [6, 1, 4, 0, 8, 2][call % 6] ?? 0);
  const { recording } = await recordRun({
    runner,
    request: { code, caller, globals: hostFunctions, ...request },
  });
  const parsed = parseRecording(recordingText(recording));
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.recording;
}

describe("a recording repeats letter for letter, and calls nothing", () => {
  test("there are at least sixty scripts", () => {
    expect(new Set(SCRIPTS.map(([title]) => title)).size).toBeGreaterThanOrEqual(60);
  });

  test.each(SCRIPTS)("%s", async (_title, code) => {
    const recording = await record(code, { store: { first: '"kept"' } });
    const replayed = await replayRecording({ runner, recording });
    expect(replayed).toMatchObject({ kind: "equal", engine: [] });
    const outcome = "outcome" in replayed ? replayed.outcome : undefined;
    const text = JSON.stringify(outcome === undefined ? undefined : repeatablePart(outcome));
    expect(text).toBe(JSON.stringify(repeatablePart(recording.outcome)));
  });
});

test("time passes for a script while its calls take it, and the same in a repetition", async () => {
  const recording = await record(
    "const t = [Date.now()]; for (let i = 0; i < 3; i++) { await tools.work({ ms: 30 }); t.push(Date.now()) } return t.map((at) => at - t[0])",
  );
  const { outcome } = recording;
  const [, first = 0, second = 0, third = 0] = outcome.ok ? (outcome.value as number[]) : [];
  // A timer of the system may come a moment early.
  expect([first >= 25, second >= first + 25, third >= second + 25]).toEqual([true, true, true]);
  expect(await replayRecording({ runner, recording })).toMatchObject({ kind: "equal" });
});

describe("a repetition that goes another way", () => {
  const code =
    "const a = await tools.work({ i: 1 });\nconst b = await tools.other({ i: 2 });\nreturn [a.i, b.i]";

  test.each([
    [
      "other arguments",
      "i: 2",
      "i: 3",
      { place: "call", call: 2, line: 2, recorded: 'other({"i":2})', came: 'other({"i":3})' },
    ],
    ["another tool", "tools.other", "tools.work", { place: "call", call: 2, line: 2, came: 'work({"i":2})' }],
    [
      "a call less",
      "await tools.other({ i: 2 })",
      "{ i: 2 }",
      { place: "end", recorded: 'call 2, other({"i":2}) (line 2)' },
    ],
    [
      "a call more",
      "return [",
      "await tools.work({ i: 9 });\nreturn [",
      { place: "call", call: 3, line: 3, came: 'work({"i":9})' },
    ],
    ["another first call", "i: 1", "i: 0", { place: "call", call: 1, line: 1 }],
  ])("names the place: %s", async (_title, from, to, place) => {
    const recording = await record(code);
    const result = await replayRecording({ runner, recording, code: code.replace(from, to) });
    expect(result).toMatchObject({ kind: "diverged", divergence: place });
  });

  test("says where the same calls gave another result", async () => {
    const recording = await record(code);
    const result = await replayRecording({ runner, recording, code: code.replace("[a.i, b.i]", "[a.i, 7]") });
    expect(result).toMatchObject({
      kind: "different",
      differences: [{ path: "value[1]", recorded: "2", came: "7" }],
    });
  });

  test("is not equal when anything of the recording was changed", async () => {
    const recording = await record(
      "const r = await tools.work({ i: 1 }); text(Math.random().toFixed(9)); return r.i",
    );
    const forged = structuredClone(recording) as { start: { environment: { seed: number } } } & Recording;
    Object.assign(forged.start.environment, { seed: recording.start.environment.seed ^ 1 });
    expect(await replayRecording({ runner, recording: forged })).toMatchObject({
      kind: "different",
      differences: [{ path: "output[0].text" }],
    });
  });
});

describe("a run that was ended from outside", () => {
  test("is repeated up to its end", async () => {
    const recording = await record(
      "text('a'); await tools.work({ i: 1 }); text('b'); await tools.work({ ms: 60000 })",
      {
        limits: { timeoutMs: 1_500 },
      },
    );
    expect(recording.outcome).toMatchObject({ ok: false, error: { kind: "timeout" } });
    expect(await replayRecording({ runner, recording })).toMatchObject({ kind: "equal" });
  });

  test("keeps that a call took too long", async () => {
    const recording = await record(
      "try { await tools.work({ ms: 60000 }) } catch (error) { return [error.name, error.message] }",
      {
        limits: { callTimeoutMs: 200 },
      },
    );
    expect(recording.outcome).toMatchObject({
      ok: true,
      value: ["TimeoutError", expect.stringContaining("200 ms")],
    });
    expect(await replayRecording({ runner, recording })).toMatchObject({ kind: "equal" });
  });

  test("is aborted by the signal of its request", async () => {
    const controller = new AbortController();
    const running = record("text('a'); await tools.work({ ms: 60000 })", {
      signal: controller.signal,
      onEvent: (event) => event.type === "call" && controller.abort(),
    });
    const recording = await running;
    expect(recording.outcome).toMatchObject({ ok: false, error: { kind: "aborted" } });
    expect(await replayRecording({ runner, recording })).toMatchObject({ kind: "equal" });
  });
});

describe("the file of a recording", () => {
  test.each([
    ["no JSON", "{", "no JSON"],
    ["another file", '{"format":"x"}', "not a recording"],
    ["a newer version", '{"format":"nestbox-recording","version":9}', "version 9"],
    ["a part of one", '{"format":"nestbox-recording","version":1,"start":{"format":1}}', "damaged"],
  ])("is refused with a reason: %s", (_title, text, message) => {
    expect(parseRecording(text)).toMatchObject({ ok: false, message: expect.stringContaining(message) });
  });
});

test("outcomes are compared to the last letter, order of keys included", async () => {
  const { outcome } = await record("return { a: 1, b: 2 }");
  const other = (await record("return { b: 2, a: 1 }")).outcome;
  expect(compareOutcomes(outcome, outcome)).toEqual([]);
  expect(compareOutcomes(outcome, other)).toEqual([
    { path: "value", recorded: '["a","b"]', came: '["b","a"]' },
  ]);
});
