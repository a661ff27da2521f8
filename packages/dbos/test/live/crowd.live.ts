import { Client } from "pg";
import { expect, test } from "vitest";
import { eachWithFleet } from "./each-with-fleet.ts";
import type { Fleet } from "./fleet.ts";

let fleet: Fleet;
eachWithFleet("crowd", (ofTest) => {
  fleet = ofTest;
});

test("the runs of a dead worker are found, however many older ones living workers carry on", async () => {
  const client = new Client({ connectionString: fleet.databaseUrl });
  await client.connect();
  try {
    const dying = await fleet.start();
    // A living worker is one whose name is locked; this one has more runs, all older, than are put back at a time.
    await client.query("SELECT pg_advisory_lock(hashtextextended('nestbox worker crowd', 0))");
    await client.query(
      `INSERT INTO dbos.workflow_status (workflow_uuid, status, name, executor_id, created_at, updated_at)
       SELECT 'crowd-' || n, 'PENDING', 'nestbox-run', 'crowd', n, n FROM generate_series(1, 1200) AS n`,
    );
    await fleet.runs.submit("one", {
      code: "return (await tools.retry({ n: 1, after: 3000 })).n",
    });
    await fleet.until("it is inside", () => fleet.effects("one").length === 1);
    await fleet.start();
    await fleet.kill(dying);
    const outcome = await fleet.runs.result("one");
    expect(outcome.ok && outcome.value).toBe(1);
    expect(fleet.effects("one").map(({ what }) => what)).toEqual(["retry:1", "retry:1"]);
    // What a living one carries on is left to it.
    const { rows } = await client.query(
      "SELECT count(*)::int AS n FROM dbos.workflow_status WHERE executor_id = 'crowd' AND status = 'PENDING'",
    );
    expect(rows).toEqual([{ n: 1200 }]);
  } finally {
    await client.end();
  }
});
