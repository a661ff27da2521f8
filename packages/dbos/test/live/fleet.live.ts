import { DBOSClient } from "@dbos-inc/dbos-sdk";
import { cancelDurable, type DurableScript } from "@nestbox/codemode/durable";
import type { ScriptOutcome } from "@nestbox/codemode";
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { openDbos } from "../../src/node/index.ts";
import { type Cluster, pause } from "./cluster.ts";
import { eachWithFleet } from "./each-with-fleet.ts";
import type { Fleet } from "./fleet.ts";

const YES = { kind: "approved" } as const;

let cluster: Cluster;
let fleet: Fleet;
eachWithFleet("fleet", (ofTest, ofFile) => {
  fleet = ofTest;
  cluster = ofFile;
});

function valueOf(outcome: ScriptOutcome): unknown {
  if (outcome.ok) return outcome.value;
  throw new Error(JSON.stringify(outcome.error));
}

const what = (runId: string): readonly string[] => fleet.effects(runId).map((effect) => effect.what);
const stateOf = async (runId: string): Promise<string | undefined> => (await fleet.runs.status(runId))?.state;
const parked = (runId: string): Promise<void> =>
  fleet.until(`${runId} is parked`, async () => {
    const status = await fleet.runs.status(runId);
    if (status?.state === "halted" || status?.state === "ended") throw new Error(JSON.stringify(status));
    return status?.state === "parked";
  });

async function rows(text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: fleet.databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

describe("a submitted run", () => {
  test("begins once, runs on a worker and ends once; DBOS keeps nothing of what it said", async () => {
    await expect(fleet.runs.submit("early", { code: "return 1" })).rejects.toMatchObject({ code: "refused" });
    await fleet.start();
    const code = `const word = "pass" + "phrase-417"; const { n } = await tools.effect({ n: 7, word }); return [n, word]`;
    expect(await fleet.runs.submit("first", { code })).toEqual({ begun: true });
    expect(await fleet.runs.submit("first", { code })).toEqual({ begun: false, same: true });
    expect(await fleet.runs.submit("first", { code: "return 0" })).toEqual({ begun: false, same: false });
    expect(valueOf(await fleet.runs.result("first"))).toEqual([7, "passphrase-417"]);
    expect(valueOf(await fleet.runs.result("first"))).toEqual([7, "passphrase-417"]);
    await fleet.until("it has ended", async () => (await stateOf("first")) === "ended");
    expect(fleet.effects("first").map(({ callId }) => callId)).toEqual(["first:1"]);

    const kept = JSON.stringify([
      await rows("SELECT * FROM dbos.workflow_status"),
      await rows("SELECT * FROM dbos.operation_outputs"),
    ]);
    expect(kept).toContain("first");
    expect(kept).not.toContain("phrase");
    expect(kept).not.toContain("tools");

    expect(await fleet.runs.remove("first")).toBe(true);
    expect(await fleet.runs.remove("first")).toBe(false);
    expect(await rows("SELECT 1 FROM dbos.workflow_status")).toEqual([]);
    expect(await rows("SELECT 1 FROM nestbox.steps")).toEqual([]);
  });

  test("whose removal failed half way is removed by the next one, and its id can be begun again", async () => {
    await fleet.start();
    const stateOf = async () => (await fleet.runs.status("again"))?.state;
    const script = { code: "return (await tools.effect({ n: 1 })).n" };
    await fleet.runs.submit("again", script);
    expect(valueOf(await fleet.runs.result("again"))).toBe(1);
    await fleet.until("it has ended", async () => (await stateOf()) === "ended");
    await rows("ALTER TABLE dbos.workflow_status RENAME TO elsewhere");
    await expect(fleet.runs.remove("again")).rejects.toBeInstanceOf(Error);
    await rows("ALTER TABLE dbos.elsewhere RENAME TO workflow_status");
    expect(await fleet.runs.remove("again")).toBe(true);
    expect(await fleet.runs.submit("again", script)).toEqual({ begun: true });
    expect(valueOf(await fleet.runs.result("again"))).toBe(1);
    expect(fleet.effects("again").length).toBe(2);
  });

  test("that nobody carries on is waited for until whoever waits closes", async () => {
    const others = await openDbos({ databaseUrl: fleet.databaseUrl });
    await fleet.start();
    await fleet.runs.submit("asks", { code: "return await tools.deploy({ n: 1 })" });
    const waiting = others.result("asks");
    const ends = waiting.then(
      () => "a result",
      (error: unknown) => error,
    );
    await fleet.until("it asks", async () => (await fleet.runs.questions()).length === 1);
    await others.close();
    expect(await ends).toMatchObject({ code: "misuse" });
  });

  test("that is no script is refused; one that is there all the same halts, and its worker goes on", async () => {
    await fleet.start();
    for (const part of [{ timeZone: "Nowhere/\u0000" }, { store: { a: 5 } }, { deadlineMs: "abc" }]) {
      const script = { code: "return 1", ...part } as unknown as DurableScript;
      await expect(fleet.runs.submit("wrong", script)).rejects.toMatchObject({ code: "misuse" });
    }
    expect(await fleet.runs.status("wrong")).toBeUndefined();
    // By one who writes to the database without asking.
    await fleet.runs.submit("sly", { code: "await tools.deploy({ n: 1 })" });
    await parked("sly");
    const sly = JSON.stringify({ code: "return 1", timeZone: "Nowhere/\u0000" }).replaceAll("'", "''");
    await rows(`UPDATE nestbox.runs SET script = '${sly}' WHERE run_id = 'sly'`);
    await fleet.runs.run("sly").wake("1", YES);
    await fleet.until("it is halted", async () => (await stateOf("sly")) === "halted");
    expect((await fleet.runs.status("sly"))?.message).toContain("This is no time zone");
    await fleet.runs.submit("after", { code: "return 2" });
    expect(valueOf(await fleet.runs.result("after"))).toBe(2);
  });

  test("parks without a workflow or a process, survives the end of all workers, and goes on when it is answered", async () => {
    const [first, second] = await Promise.all([fleet.start(), fleet.start()]);
    const runs = 120;
    const ids = Array.from({ length: runs }, (_, index) => `parked-${index}`);
    const code =
      "const { n } = await tools.effect(load('n')); return await tools.deploy({ n }).then((r) => r.n, () => -n)";
    for (const [index, id] of ids.entries()) {
      const n = JSON.stringify({ n: index });
      await fleet.runs.submit(id, { code, store: { n } });
    }
    await fleet.until(
      "all are parked",
      async () => (await fleet.runs.runs({ state: "parked" })).length === runs,
    );
    expect((await fleet.runs.questions()).length).toBe(runs);
    const active = "SELECT 1 FROM dbos.workflow_status WHERE status IN ('PENDING', 'ENQUEUED', 'DELAYED')";
    await fleet.until("no workflow is active", async () => (await rows(active)).length === 0);
    await Promise.all([fleet.kill(first), fleet.kill(second)]);

    for (const [index, id] of ids.entries())
      await fleet.runs.run(id).wake("2", index % 3 === 0 ? { kind: "declined" } : YES);
    await Promise.all([fleet.start(), fleet.start()]);
    for (const [index, id] of ids.entries())
      expect(valueOf(await fleet.runs.result(id))).toBe(index % 3 === 0 ? 0 - index : index);
    const effects = fleet.effects().map((effect) => effect.callId);
    expect(new Set(effects).size).toBe(effects.length);
    expect(effects.length).toBe(runs + ids.filter((_, index) => index % 3 !== 0).length);
    // Both have worked, before and after.
    expect(new Set(fleet.effects().map((effect) => effect.pid)).size).toBe(4);
  });

  test("no answer is lost, whenever it comes: before the run, while it runs, while it parks", async () => {
    await fleet.start();
    const ids = Array.from({ length: 60 }, (_, index) => `race-${index}`);
    await Promise.all(
      ids.map(async (id, index) => {
        if (index % 4 === 0) await fleet.runs.run(id).wake("1", YES);
        await fleet.runs.submit(id, { code: `return (await tools.deploy({ n: ${index} })).n` });
        await pause((index * 37) % 900);
        await fleet.runs.run(id).wake("1", YES);
      }),
    );
    for (const [index, id] of ids.entries()) expect(valueOf(await fleet.runs.result(id))).toBe(index);
    expect(fleet.effects().length).toBe(ids.length);
  });

  test("is cancelled while it is parked, by us, and while it runs, by DBOS", async () => {
    await fleet.start();
    await fleet.runs.submit("asleep", { code: "await tools.deploy({ n: 1 })" });
    await parked("asleep");
    await cancelDurable(fleet.runs.run("asleep"), "Not wanted any more");
    await fleet.runs.run("asleep").wake("1", YES);
    const outcome = await fleet.runs.result("asleep");
    expect(!outcome.ok && outcome.error).toMatchObject({ kind: "aborted", message: "Not wanted any more" });

    expect(await fleet.runs.questions()).toEqual([]);

    await fleet.runs.submit("awake", { code: "await tools.effect({ n: 1, after: 600000 })" });
    await fleet.until("it is inside", () => fleet.effects("awake").length === 1);
    const client = await DBOSClient.create({ systemDatabaseUrl: fleet.databaseUrl });
    await client.cancelWorkflow("awake");
    await client.destroy();
    const ended = await fleet.runs.result("awake");
    expect(!ended.ok && ended.error.kind).toBe("aborted");
    expect(what("asleep")).toEqual([]);
  });

  test("goes on by itself when its timer is due, and ends when its deadline is over", async () => {
    await fleet.start();
    // So that its processes are there before time counts.
    await fleet.runs.submit("warm", { code: "return 1" });
    await fleet.runs.result("warm");
    await fleet.runs.submit("late", { code: "await tools.deploy({ n: 1 })", deadlineMs: 1_500 });
    await fleet.runs.submit("timer", {
      code: "const t = Date.now(); await new Promise((r) => setTimeout(r, 8000)); await tools.effect({ n: 1 }); return Date.now() - t >= 8000",
    });
    await parked("timer");
    expect((await fleet.runs.status("timer"))?.wakeAt).toBeGreaterThan(0);
    const outcome = await fleet.runs.result("late");
    expect(!outcome.ok && outcome.error.kind).toBe("timeout");
    expect(valueOf(await fleet.runs.result("timer"))).toBe(true);
    expect(what("timer")).toEqual(["effect:1"]);
  });

  test("carried on by another process than its worker belongs to that one: the worker can neither halt nor hand it on", async () => {
    const worker = await fleet.start();
    const code =
      "const a = (await tools.effect({ n: 1, after: 3000 })).n; return [a, (await tools.effect({ n: 2 })).n]";
    await fleet.runs.submit("taken", { code });
    await fleet.until("it is inside", () => fleet.effects("taken").length === 1);
    const step = await fleet.runs.run("taken").step("start", () => Promise.reject(new Error("not again")));
    expect(step).toMatchObject({ kind: "done", replayed: true });
    await pause(4_000);
    await fleet.kill(worker, "SIGTERM");
    expect(worker.exitCode).toBe(0);
    expect(await fleet.runs.status("taken")).toMatchObject({ state: "running", message: undefined });
    expect(what("taken")).toEqual(["effect:1"]);
  });
});

describe("a death", () => {
  test("of a worker inside a call: the run goes on elsewhere, and only what may be repeated is", async () => {
    const dying = await fleet.start();
    const codes = {
      safe: "return [(await tools.effect({ n: 1 })).n, (await tools.retry({ n: 2, after: 600000 })).n]",
      unsafe:
        "const a = (await tools.effect({ n: 1 })).n; return [a, await tools.effect({ n: 2, after: 600000 }).catch((e) => e.name)]",
    };
    for (const [id, code] of Object.entries(codes)) await fleet.runs.submit(id, { code });
    await fleet.until("both are inside", () => fleet.effects().length === 4);
    await fleet.start();
    await fleet.kill(dying);
    expect(valueOf(await fleet.runs.result("unsafe"))).toEqual([1, "InterruptedError"]);
    await fleet.until("it was made again", () => fleet.effects("safe").length === 3);
    expect(what("safe")).toEqual(["effect:1", "retry:2", "retry:2"]);
    expect(what("unsafe")).toEqual(["effect:1", "effect:2"]);
    // A call that never ends is ended with its run.
    await cancelDurable(fleet.runs.run("safe"));
    const outcome = await fleet.runs.result("safe");
    expect(!outcome.ok && outcome.error.kind).toBe("aborted");
  });

  test("of the database in the middle: nothing is lost and nothing made twice", async () => {
    await Promise.all([fleet.start(), fleet.start()]);
    const ids = Array.from({ length: 12 }, (_, index) => `run-${index}`);
    const code =
      "let s = 0; for (let n = 1; n <= 20; n++) s += (await tools.effect({ n, after: 100 })).n; return s";
    for (const id of ids) await fleet.runs.submit(id, { code });
    await fleet.until("they are under way", () => fleet.effects().length > 40);
    await cluster.kill();
    await pause(1_000);
    await cluster.start();
    for (const id of ids) expect(valueOf(await fleet.runs.result(id))).toBe(210);
    for (const id of ids) expect(what(id)).toEqual(Array.from({ length: 20 }, (_, n) => `effect:${n + 1}`));
  });

  test("of whoever carries it on, again and again: the run halts and says so", async () => {
    const code = "await tools.deadly({ n: 0 }); return 1";
    const first = await fleet.start({ maxDeaths: 1 });
    await fleet.runs.submit("deadly", { code });
    await fleet.until("the first is dead", () => first.signalCode !== null);
    const second = await fleet.start({ maxDeaths: 1 });
    await fleet.until("the second is dead", () => second.signalCode !== null);
    await fleet.start({ maxDeaths: 1 });
    await fleet.until("it is halted", async () => (await stateOf("deadly")) === "halted");
    expect((await fleet.runs.status("deadly"))?.message).toBe("Its worker has died 2 times");
    expect(what("deadly")).toEqual(["deadly:0", "deadly:0"]);
  });
});

describe("a database that takes no writes", () => {
  const readOnly = async (on: boolean): Promise<void> => {
    const client = new Client({ connectionString: cluster.url("postgres") });
    await client.connect();
    await client.query("SET default_transaction_read_only = off");
    await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${on ? "on" : "off"}`);
    await client.query("SELECT pg_reload_conf()");
    await client.end();
  };

  test("loses no run: what is under way is kept once it can be, and no call is made twice", async () => {
    await fleet.start();
    const code =
      "const seen = []; for (let n = 1; n <= 3; n++) seen.push((await tools.effect({ n, after: 1_000 })).n); return seen";
    for (const id of ["one", "two"]) await fleet.runs.submit(id, { code });
    await fleet.until("both have begun", () => what("one").length > 0 && what("two").length > 0);
    try {
      await readOnly(true);
      const probe = openDbos({ databaseUrl: fleet.databaseUrl, unavailableMs: 500, makeTables: false });
      await expect((await probe).probe()).rejects.toMatchObject({
        code: "unreachable",
        message: expect.stringContaining("takes no writes") as string,
      });
      await (await probe).close();
      // Longer than it took to give a run up.
      await pause(15_000);
      expect([await stateOf("one"), await stateOf("two")]).toEqual(["running", "running"]);
    } finally {
      await readOnly(false);
    }
    for (const id of ["one", "two"]) {
      expect(valueOf(await fleet.runs.result(id))).toEqual([1, 2, 3]);
      expect(what(id)).toEqual(["effect:1", "effect:2", "effect:3"]);
    }
    await fleet.runs.probe();
    const left = "SELECT 1 FROM dbos.workflow_status WHERE status = 'PENDING'";
    await fleet.until("DBOS has nothing under way", async () => (await rows(left)).length === 0);
  });

  test("leaves nothing of DBOS's under way that nobody carries on", async () => {
    await fleet.start();
    await fleet.runs.submit("lost", { code: "return 1" });
    await fleet.runs.result("lost");
    const status = "SELECT status FROM dbos.workflow_status WHERE workflow_uuid = 'lost'";
    const succeeded = async (): Promise<boolean> => (await rows(status))[0]?.["status"] === "SUCCESS";
    await fleet.until("it has ended", succeeded);
    // As it stands where neither DBOS nor the journal could keep the end of a part: its worker lives, and has nothing
    // of it.
    await rows("DELETE FROM dbos.operation_outputs WHERE workflow_uuid = 'lost'");
    await rows("UPDATE nestbox.runs SET state = 'running' WHERE run_id = 'lost'");
    await rows("UPDATE dbos.workflow_status SET status = 'PENDING' WHERE workflow_uuid = 'lost'");
    await fleet.until("it is taken up again", succeeded);
    expect((await rows("SELECT state FROM nestbox.runs WHERE run_id = 'lost'"))[0]).toEqual({
      state: "ended",
    });
  });
});

describe("a deploy", () => {
  test("a worker that closes keeps what is under way, and another one goes on", async () => {
    const leaving = await fleet.start();
    const code =
      "const seen = []; for (let n = 1; n <= 3; n++) seen.push((await tools.effect({ n, after: 800 })).n); return seen";
    await fleet.runs.submit("moved", { code });
    await fleet.until("it is inside", () => fleet.effects("moved").length === 1);
    await fleet.kill(leaving, "SIGTERM");
    expect(leaving.exitCode).toBe(0);
    expect(await stateOf("moved")).toBe("queued");
    await fleet.start();
    expect(valueOf(await fleet.runs.result("moved"))).toEqual([1, 2, 3]);
    expect(what("moved")).toEqual(["effect:1", "effect:2", "effect:3"]);
    expect(new Set(fleet.effects("moved").map(({ pid }) => pid)).size).toBe(2);
  });

  test("with other tools halts a run that they cannot repeat: it can be cancelled there, and goes on with the old ones", async () => {
    const old = await fleet.start({ version: "1" });
    for (const id of ["kept", "given-up"]) {
      await fleet.runs.submit(id, { code: "return (await tools.deploy({ n: 1 })).n" });
      await parked(id);
    }
    await fleet.kill(old);
    const other = await fleet.start({ version: "2" });
    await fleet.runs.run("kept").wake("1", YES);
    await fleet.until("it is halted", async () => (await stateOf("kept")) === "halted");
    expect((await fleet.runs.status("kept"))?.message).toMatch(
      /under other conditions: changed tools? .*\bdeploy\b/,
    );
    expect(what("kept")).toEqual([]);
    await fleet.runs.run("given-up").wake("1", YES);
    await fleet.until("the other too", async () => (await stateOf("given-up")) === "halted");
    await cancelDurable(fleet.runs.run("given-up"), "Given up");
    const outcome = await fleet.runs.result("given-up");
    expect(!outcome.ok && outcome.error).toMatchObject({ kind: "aborted", message: "Given up" });
    await fleet.kill(other);
    await fleet.start({ version: "1" });
    expect(await fleet.runs.resume("kept")).toBe(true);
    expect(await fleet.runs.resume("kept")).toBe(false);
    expect(valueOf(await fleet.runs.result("kept"))).toBe(1);
    expect(what("kept")).toEqual(["deploy:1"]);
  });

  test("under a name of its own leaves the runs of the one before to the workers of that", async () => {
    const old = await fleet.start({ deployment: "autumn" });
    await fleet.runs.submit("old", { code: "return (await tools.deploy({ n: 1 })).n" });
    await parked("old");
    await fleet.kill(old);
    const other = await fleet.start({ deployment: "winter", version: "2" });
    await fleet.runs.run("old").wake("1", YES);
    await fleet.runs.submit("new", { code: "return (await tools.effect({ n: 2 })).n" });
    expect(valueOf(await fleet.runs.result("new"))).toBe(2);
    expect(fleet.effects("new")[0]?.pid).toBe(other.pid);
    expect(await fleet.runs.status("old")).toMatchObject({ state: "queued", deployment: "autumn" });
    await fleet.start({ deployment: "autumn" });
    expect(valueOf(await fleet.runs.result("old"))).toBe(1);
  });
});
