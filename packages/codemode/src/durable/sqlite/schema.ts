import type { DatabaseSync } from "node:sqlite";
import { CodemodeError } from "../../runner/errors.ts";

const VERSION = 1;

const TABLES = `
  CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    -- Grows whenever a process takes the run over; whoever holds an older one can keep nothing.
    owner INTEGER NOT NULL,
    begun_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE steps (
    run_id TEXT NOT NULL,
    key TEXT NOT NULL,
    -- 0 begun, 1 done, 2 interrupted
    state INTEGER NOT NULL,
    value TEXT,
    -- Of a large value, which stands in its own table.
    hash TEXT,
    PRIMARY KEY (run_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE waits (
    run_id TEXT NOT NULL,
    key TEXT NOT NULL,
    question TEXT,
    asked_at INTEGER,
    value TEXT,
    woken_at INTEGER,
    PRIMARY KEY (run_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX open_questions ON waits (asked_at) WHERE question IS NOT NULL AND value IS NULL;
  CREATE TABLE large (hash TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT;
`;

const OWN_TABLES = ["runs", "steps", "waits", "large"];

/** Makes the tables of a new file, and refuses those of another version or of something else. */
export function prepareSchema(db: DatabaseSync): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    const version = Number(Object.values(db.prepare("PRAGMA user_version").get() ?? {})[0]);
    const tables = new Set(
      db
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
        .all()
        .map((row) => row["name"]),
    );
    if (version === 0 && tables.size === 0) {
      db.exec(TABLES);
      db.exec(`PRAGMA user_version = ${VERSION}`);
    } else if (version === 0 || (version === VERSION && !OWN_TABLES.every((name) => tables.has(name)))) {
      throw new CodemodeError("journal", "The file is the database of something else, and no journal");
    } else if (version !== VERSION) {
      throw new CodemodeError(
        "journal",
        `The journal's file is of version ${version}; this one reads version ${VERSION}`,
      );
    }
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}
