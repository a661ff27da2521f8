import { afterAll, expect, test } from "vitest";
import { fakeTools } from "../../src/durable/conformance/fake-tools.ts";
import {
  createMemoryJournal,
  parseRecording,
  recordingText,
  recordRun,
  replayRecording,
  runDurable,
} from "../../src/durable/index.ts";
import { fingerprintOf } from "../../src/durable/parking.ts";
import { createRunner } from "../../src/node/index.ts";
import { durableTools } from "./harness.ts";

const runner = createRunner({ maxProcesses: 1 });
afterAll(() => runner.close());

const DEPLOY = "try { return (await tools.deploy({ n: 1 })).n } catch (error) { return error.message }";

test("a run that somebody else has said the end of goes on and ends", async () => {
  const storage = createMemoryJournal();
  const { callerFor, effects } = fakeTools();
  const carryOn = (code?: string) =>
    runDurable({
      runner,
      journal: storage.run("a"),
      callerFor,
      script: code === undefined ? undefined : { code },
    });
  await storage.run("a").wake("end", "over");
  const result = await carryOn("return (await tools.effect({ n: 1 })).n");
  expect(result).toMatchObject({ state: "ended", outcome: { ok: true, value: 1 } });
  expect(await carryOn()).toEqual(result);
  expect(effects).toEqual(["effect:1"]);
});

test.each([
  ["another question", "not-this-one", []],
  ["this one", undefined, ["deploy:1"]],
])("hostile 40: a decision about %s counts for that only", async (_name, fingerprint, ran) => {
  const storage = createMemoryJournal();
  const { callerFor, parking, effects } = fakeTools();
  const go = () =>
    runDurable({ runner, journal: storage.run("a"), callerFor, parking, script: { code: DEPLOY } });
  const parked = await go();
  const waiting = parked.state === "parked" ? parked.waitingFor[0] : undefined;
  const asked = fingerprintOf(waiting?.question);
  if (asked === undefined) throw new Error("the question has no fingerprint");
  await storage.run("a").wake("1", { kind: "approved", fingerprint: fingerprint ?? asked });
  expect(await go()).toMatchObject({ state: "ended", outcome: { ok: true } });
  expect(effects).toEqual(ran);
});

test("hostile 40: a decision that came before its question and names another counts for nothing", async () => {
  const storage = createMemoryJournal();
  const { callerFor, parking, effects } = fakeTools();
  await storage.run("a").wake("1", { kind: "approved", fingerprint: "of something else" });
  const result = await runDurable({
    runner,
    journal: storage.run("a"),
    callerFor,
    parking,
    script: { code: DEPLOY },
  });
  expect(result).toMatchObject({ state: "ended" });
  expect(effects).toEqual([]);
});

test("a start that no run can have halts it with a reason, and a recording of it is refused", async () => {
  const { recording } = await recordRun({ runner, request: { code: "return 1", caller: durableTools() } });
  for (const limits of [{ cpuMs: "9" }, { memoryMb: -1 }, { maxDepth: null }]) {
    const start = { ...recording.start, limits: { ...recording.start.limits, ...limits } };
    const storage = createMemoryJournal();
    await storage.run("a").step("start", () => Promise.resolve(JSON.parse(JSON.stringify(start)) as never));
    const { callerFor } = fakeTools();
    expect(await runDurable({ runner, journal: storage.run("a"), callerFor })).toMatchObject({
      state: "halted",
      halt: { kind: "journal" },
    });
    const text = JSON.stringify({ ...recording, start });
    expect(parseRecording(text)).toMatchObject({ ok: false, message: expect.stringContaining("damaged") });
  }
  const globals = ["tools", "a.b.c"];
  const odd = parseRecording(recordingText({ ...recording, start: { ...recording.start, globals } }));
  if (!odd.ok) throw new Error(odd.message);
  expect(await replayRecording({ runner, recording: odd.recording })).toMatchObject({ kind: "failed" });
});
