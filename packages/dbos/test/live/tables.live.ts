import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LAUNCH } from "../../src/node/launch.ts";
import { openDbos } from "../../src/node/index.ts";
import { pause } from "./cluster.ts";
import { eachWithFleet } from "./each-with-fleet.ts";
import type { Fleet } from "./fleet.ts";

let fleet: Fleet;
let admin: Client;
eachWithFleet("tables", (ofTest) => {
  fleet = ofTest;
});
beforeEach(async () => {
  admin = new Client({ connectionString: fleet.databaseUrl });
  await admin.connect();
});
afterEach(async () => {
  await admin.end();
});

const SCRIPT = { code: "return await tools.deploy({ n: 1 })" };
/** As they are before a step of DBOS's that has not been made yet, and after it. */
const lacking = "ALTER TABLE dbos.workflow_status RENAME COLUMN creator_xid TO not_yet";
const whole = "ALTER TABLE dbos.workflow_status RENAME COLUMN not_yet TO creator_xid";

describe("while DBOS's tables are being made", () => {
  test("a submission that comes while the first worker makes them waits, and is kept once", async () => {
    const starting = fleet.start();
    // From before the first of the tables until the worker is ready.
    const sent: Promise<unknown>[] = [];
    const seen = { ready: false };
    const done = starting.then(() => (seen.ready = true));
    await fleet.until("the worker launches", async () => {
      const { rows } = await admin.query("SELECT 1 FROM pg_namespace WHERE nspname = 'dbos'");
      return rows.length > 0 || seen.ready;
    });
    for (let n = 0; !seen.ready && n < 40; n++) {
      sent.push(fleet.runs.submit(`early_${n}`, { code: `return ${n}` }));
      await pause(20);
    }
    await done;
    expect(sent.length).toBeGreaterThan(0);
    for (const answer of await Promise.all(sent)) expect(answer).toEqual({ begun: true });
    for (let n = 0; n < sent.length; n++)
      expect(await fleet.runs.result(`early_${n}`)).toMatchObject({ ok: true, value: n });
  });

  test("submissions, answers and cancellations wait for a worker that changes them", async () => {
    const worker = await fleet.start();
    await fleet.runs.submit("asks", SCRIPT);
    await fleet.until("it asks", async () => (await fleet.runs.status("asks"))?.state === "parked");
    await fleet.kill(worker, "SIGTERM");
    await admin.query(lacking);
    await admin.query(LAUNCH);
    const submitted = fleet.runs.submit("early", { code: "return 1" });
    const answered = fleet.runs.run("asks").wake("1", { kind: "approved" });
    const settled = await Promise.race([submitted, answered, pause(1_500).then(() => "they wait")]);
    expect(settled).toBe("they wait");
    await admin.query(whole);
    expect(await submitted).toEqual({ begun: true });
    expect(await answered).toEqual({ kind: "stored" });
    await admin.query(LAUNCH.replace("pg_try_advisory_lock", "pg_advisory_unlock"));
    await fleet.start();
    expect(await fleet.runs.result("early")).toMatchObject({ ok: true, value: 1 });
    expect((await fleet.runs.result("asks")).ok).toBe(true);
  });

  test("where nobody makes them, or somebody does for too long, the refusal is in our own words", async () => {
    const runs = await openDbos({ databaseUrl: fleet.databaseUrl, unavailableMs: 3_000 });
    try {
      const refused = (message: RegExp, code = "refused") =>
        expect(runs.submit("early", SCRIPT)).rejects.toMatchObject({
          code,
          message: expect.stringMatching(message) as string,
        });
      await refused(/^DBOS has no tables in this database yet/);
      await fleet.kill(await fleet.start(), "SIGTERM");
      await admin.query(lacking);
      await refused(/those of another version: a worker of this version makes them$/);
      await admin.query(LAUNCH);
      await refused(/^A worker is still making DBOS's tables in this database$/, "unreachable");
      // Nothing of them was kept.
      expect(await runs.status("early")).toBeUndefined();
    } finally {
      await runs.close();
    }
  });
});
