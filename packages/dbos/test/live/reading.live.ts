import { readHistory } from "@nestbox/codemode/durable";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openDbos } from "../../src/node/index.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { type Fleet, openFleet } from "./fleet.ts";

let cluster: Cluster;
let fleet: Fleet;
let count = 0;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(async () => {
  await cluster.close();
});
beforeEach(async () => {
  fleet = await openFleet(cluster, `reading_${++count}`);
});
afterEach(async () => {
  await fleet.close();
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
    expect(await fleet.runs.entries("nobody")).toEqual({ steps: [], waits: [], complete: true });
    expect(fleet.effects("read").map(({ what }) => what)).toEqual(["effect:1", "deploy:2", "big:30000"]);
  });

  test("sees which worker has a run, what runs wait for, and how they ended", async () => {
    await fleet.start();
    await fleet.runs.submit("good", { code: "return 1" });
    await fleet.runs.result("good");
    await fleet.runs.submit("bad", { code: "throw new Error('no')" });
    await fleet.runs.result("bad");
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
    const newest = await fleet.runs.runs({ newestFirst: true });
    expect(newest.map(({ runId, ok, waitingFor }) => [runId, ok, waitingFor])).toEqual([
      ["busy", undefined, 0],
      ["asks", undefined, 2],
      ["bad", false, 0],
      ["good", true, 0],
    ]);
    expect(newest.slice(2).every(({ begunAt, endedAt = 0 }) => endedAt >= begunAt)).toBe(true);
    expect((await fleet.runs.runs({ limit: 1 })).map(({ runId }) => runId)).toEqual(["good"]);
    expect((await fleet.runs.questions({ runId: "asks" })).map(({ key }) => key).toSorted()).toEqual([
      "1",
      "2",
    ]);
    expect(await fleet.runs.questions({ runId: "busy" })).toEqual([]);
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
