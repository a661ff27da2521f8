import { cancelDurable, readHistory } from "@nestbox/codemode/durable";
import { describe, expect, test } from "vitest";
import { openDbos } from "../../src/node/index.ts";
import type { Cluster } from "./cluster.ts";
import { eachWithFleet } from "./each-with-fleet.ts";
import type { Fleet } from "./fleet.ts";

let cluster: Cluster;
let fleet: Fleet;
eachWithFleet("reading", (ofTest, ofFile) => {
  fleet = ofTest;
  cluster = ofFile;
});

const parked = (runId: string): Promise<void> =>
  fleet.until(`${runId} is parked`, async () => (await fleet.runs.status(runId))?.state === "parked");

describe("whoever looks at runs", () => {
  test("reads a journal without taking the run from the one who carries it on", async () => {
    await fleet.start();
    await fleet.runs.submit("read", {
      code: "await tools.effect({ n: 1 }); await tools.deploy({ n: 2 }); return await tools.big({ n: 30_000 })",
    });
    await parked("read");
    const before = readHistory(await fleet.runs.entries("read"));
    expect(before.calls.map(({ call, state }) => [call?.name, state])).toEqual([
      ["effect", "ended"],
      ["deploy", "waiting"],
    ]);
    // Read again and again while it goes on: nothing of it is lost.
    const wake = fleet.runs.run("read").wake("2", { kind: "approved", by: "ada" });
    const reading = Array.from({ length: 20 }, () => fleet.runs.entries("read"));
    await Promise.all([wake, ...reading]);
    const outcome = await fleet.runs.result("read");
    expect(outcome.ok).toBe(true);
    const contents = await fleet.runs.entries("read", { maxValueBytes: 2_000 });
    expect(contents.complete).toBe(true);
    const after = readHistory(contents);
    expect(after.calls[1]?.questions[0]?.decision).toMatchObject({ kind: "approved", by: "ada" });
    // Of what is too large for the reader, its size and its beginning.
    const large = contents.steps.find(({ key }) => key === "3")?.large;
    expect(large?.bytes).toBeGreaterThan(2_000);
    expect(large?.head.length).toBeLessThanOrEqual(4_096);
    expect(large?.head).toMatch(/^\{"call":\{"name":"big"/);
    const whole = await fleet.runs.entries("read", { maxValueBytes: 1e9 });
    expect(readHistory(whole).calls[2]).toMatchObject({ state: "ended", call: { name: "big" } });
    expect((await fleet.runs.entries("read", { limit: 1 })).complete).toBe(false);
    expect(await fleet.runs.entries("nobody")).toEqual({
      steps: [],
      waits: [],
      deaths: [],
      complete: true,
    });
    expect(fleet.effects("read").map(({ what }) => what)).toEqual(["effect:1", "deploy:2", "big:30000"]);
  });

  test("sees which worker has a run, what runs wait for, and how they ended", async () => {
    await fleet.start();
    await fleet.runs.submit("good", { code: "return 1" });
    await fleet.runs.result("good");
    await fleet.runs.submit("bad", { code: "throw new Error('no')" });
    await fleet.runs.result("bad");
    // Its outcome is large, and of that no more than its beginning is read.
    await fleet.runs.submit("long", { code: "text('x'.repeat(100_000)); throw new RangeError('too far')" });
    await fleet.runs.result("long");
    await fleet.runs.submit("asks", {
      code: "await Promise.all([tools.deploy({ n: 1 }), tools.deploy({ n: 2 })])",
    });
    await parked("asks");
    await fleet.runs.submit("busy", { code: "await tools.effect({ n: 1, after: 3000 })" });
    await fleet.until(
      "a worker is told",
      async () => (await fleet.runs.status("busy"))?.worker !== undefined,
    );
    expect((await fleet.runs.status("busy"))?.worker).toMatch(/^nestbox-/);
    // A call under way has its name.
    const under = async () => readHistory(await fleet.runs.entries("busy")).calls;
    await fleet.until("the call is under way", async () => (await under()).length > 0);
    expect(await under()).toMatchObject([{ number: 1, state: "begun", call: { name: "effect", line: 1 } }]);
    const newest = await fleet.runs.runs({ newestFirst: true });
    expect(newest.map(({ runId, ok, waitingFor }) => [runId, ok, waitingFor])).toEqual([
      ["busy", undefined, 0],
      ["asks", undefined, 2],
      ["long", false, 0],
      ["bad", false, 0],
      ["good", true, 0],
    ]);
    const error = { kind: "script", name: "RangeError", message: "too far" };
    expect(newest[2]?.error).toEqual(error);
    expect((await fleet.runs.status("long"))?.error).toEqual(error);
    expect(newest[3]?.error).toEqual({ kind: "script", name: "Error", message: "no" });
    expect(newest[4]?.error).toBeUndefined();
    expect(newest.slice(2).every(({ begunAt, endedAt = 0 }) => endedAt >= begunAt)).toBe(true);
    expect((await fleet.runs.runs({ limit: 1 })).map(({ runId }) => runId)).toEqual(["good"]);
    expect((await fleet.runs.questions({ runId: "asks" })).map(({ key }) => key).toSorted()).toEqual([
      "1",
      "2",
    ]);
    expect(await fleet.runs.questions({ runId: "busy" })).toEqual([]);
    // A list tells one that was cancelled from one that failed.
    await cancelDurable(fleet.runs.run("asks"), "Cancelled by ada");
    await fleet.runs.result("asks");
    const cancelled = (await fleet.runs.runs()).find(({ runId }) => runId === "asks");
    expect(cancelled).toMatchObject({
      state: "ended",
      ok: false,
      error: { kind: "aborted", name: "AbortError", message: "Cancelled by ada" },
    });
  });

  test("has the name of a call in which a worker died, and which worker that was", async () => {
    const first = await fleet.start();
    await fleet.runs.submit("dies", { code: "return await tools.effect({ n: 1, after: 60_000 })" });
    const calls = async () => readHistory(await fleet.runs.entries("dies")).calls;
    await fleet.until("the call is under way", async () => (await calls()).length > 0);
    const dead = (await fleet.runs.status("dies"))?.worker;
    expect(dead).toMatch(/^nestbox-/);
    await fleet.kill(first);
    await fleet.start();
    expect((await fleet.runs.result("dies")).ok).toBe(false);
    expect(await calls()).toMatchObject([{ state: "interrupted", call: { name: "effect" } }]);
    const { begunAt = 0 } = (await calls())[0] ?? {};
    expect(begunAt).toBeGreaterThan(0);
    const { deaths, waits } = await fleet.runs.entries("dies");
    expect(deaths).toEqual([{ worker: dead, at: expect.any(Number) as number, again: true }]);
    expect(deaths?.[0]?.at).toBeGreaterThanOrEqual(begunAt);
    expect(waits.map(({ key }) => key)).toEqual(["end"]);
    expect(await fleet.runs.remove("dies")).toBe(true);
    expect((await fleet.runs.entries("dies")).deaths).toEqual([]);
  });

  test("leaves a database as it is where it makes no tables", async () => {
    cluster.create("empty");
    const databaseUrl = cluster.url("empty");
    const look = (): Promise<unknown> => openDbos({ databaseUrl, makeTables: false });
    await expect(look()).rejects.toMatchObject({ code: "refused" });
    await expect(look()).rejects.toThrow(/the first worker makes the tables/);
    await (await openDbos({ databaseUrl })).close();
    const runs = await openDbos({ databaseUrl, makeTables: false });
    expect(await runs.runs()).toEqual([]);
    await runs.close();
  });
});
