import { DbosError } from "../errors.ts";
import type { Database } from "./database.ts";

const VERSION = 1;

/** What of it is large stands beside the rows and is not compressed: that would cost more than it saves. */
const TABLES = `
  CREATE SCHEMA nestbox;
  CREATE TABLE nestbox.version (version integer NOT NULL);
  INSERT INTO nestbox.version VALUES (${VERSION});
  CREATE TABLE nestbox.runs (
    run_id text COLLATE "C" PRIMARY KEY,
    -- Grows whenever a process takes the run over; whoever holds an older one can keep nothing.
    owner bigint NOT NULL,
    begun_at bigint NOT NULL,
    -- Of a run that workers carry on: the number of the workflow that may do it now.
    part integer,
    -- queued, running, parked, halted, ended
    state text,
    script text,
    -- Of its submission: sent twice, it counts once.
    submitted uuid,
    -- The workers that began it, and the only ones that carry it on.
    deployment text,
    wake_at bigint,
    -- Why it is halted.
    message text,
    -- How often a worker has died while it carried on the present part.
    deaths integer NOT NULL DEFAULT 0
  );
  CREATE TABLE nestbox.steps (
    run_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    -- 0 begun, 1 done, 2 interrupted
    state smallint NOT NULL,
    value text,
    -- Of a large value, which stands in its own table.
    hash text,
    PRIMARY KEY (run_id, key)
  );
  CREATE TABLE nestbox.waits (
    run_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    question text,
    asked_at bigint,
    value text,
    woken_at bigint,
    -- Of the wake that was kept: sent twice, it counts once.
    token uuid,
    PRIMARY KEY (run_id, key)
  );
  CREATE INDEX open_questions ON nestbox.waits (asked_at) WHERE question IS NOT NULL AND value IS NULL;
  CREATE TABLE nestbox.large (
    run_id text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (run_id, hash)
  );
  ALTER TABLE nestbox.large ALTER COLUMN body SET STORAGE EXTERNAL;
`;

/**
 * Makes them where they are not, or refuses; refuses those of another version. Those of DBOS are made by the first
 * worker.
 */
export async function prepareTables(database: Database, make = true): Promise<void> {
  if (!make) {
    const rows = await database.query("SELECT to_regclass('nestbox.version') IS NOT NULL AS there");
    if (rows[0]?.["there"] !== true)
      throw new DbosError("refused", "There are no runs in this database: the first worker makes the tables");
  }
  const version = await database.transaction(async (client) => {
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended('nestbox tables', 0))");
    const found = await client.query<{ there: unknown }>("SELECT to_regclass('nestbox.version') AS there");
    if (found.rows[0]?.there === null) await client.query(TABLES);
    const rows = await client.query<{ version: unknown }>("SELECT version FROM nestbox.version");
    return Number(rows.rows[0]?.version);
  });
  if (version !== VERSION) {
    const message = `The journal's tables are of version ${version}; this one reads version ${VERSION}`;
    throw new DbosError("journal", message);
  }
}
