/** The journal of a run as it stands, read without taking the run over. */
import type { EntriesOptions, JournalWait, RunDeath, RunEntries, StepEntry } from "@nestbox/codemode/durable";
import { DbosError } from "../errors.ts";
import { checkRunId } from "../run-id.ts";
import type { Database, Row } from "./database.ts";
import { parse, sha256 } from "./values.ts";

/** Begins the key under which a worker's death stands among what was woken: nobody waits for it. */
export const DEATH = "death ";

const HEAD_CHARS = 4_096;
const STATES = ["begun", "done", "interrupted"] as const;

export async function readEntries(
  database: Pick<Database, "query">,
  runId: string,
  { maxValueBytes = 65_536, limit = 20_000 }: EntriesOptions = {},
): Promise<RunEntries> {
  checkRunId(runId);
  const [steps, waits] = await Promise.all([
    database.query(
      `SELECT key, state, hash, bytes, CASE WHEN bytes <= $2 THEN text ELSE left(text, ${HEAD_CHARS}) END AS text
       FROM (
         SELECT s.key, s.state, s.hash, coalesce(s.value, l.body) AS text,
           octet_length(coalesce(s.value, l.body)) AS bytes
         FROM nestbox.steps s
         LEFT JOIN nestbox.large l ON s.value IS NULL AND l.run_id = s.run_id AND l.hash = s.hash
         WHERE s.run_id = $1 LIMIT $3
       ) AS all_steps`,
      [runId, maxValueBytes, limit + 1],
    ),
    database.query(
      `SELECT key, question, asked_at, value, woken_at FROM nestbox.waits WHERE run_id = $1
       ORDER BY coalesce(asked_at, woken_at) LIMIT $2`,
      [runId, limit + 1],
    ),
  ]);
  const told = waits.slice(0, limit).map(waitOf);
  return {
    steps: steps.slice(0, limit).map((row) => stepOf(row, maxValueBytes)),
    waits: told.filter(({ key }) => !key.startsWith(DEATH)),
    deaths: told.filter(({ key }) => key.startsWith(DEATH)).map(deathOf),
    complete: steps.length <= limit && waits.length <= limit,
  };
}

function stepOf(row: Row, maxValueBytes: number): StepEntry {
  const { key, text, hash } = row;
  const state = STATES[Number(row["state"])];
  if (typeof key !== "string" || state === undefined)
    throw new DbosError("journal", "A step of the journal cannot be read");
  if (typeof text !== "string") return { key, state };
  const bytes = Number(row["bytes"]);
  if (bytes > maxValueBytes) return { key, state, large: { bytes, head: text } };
  if (typeof hash === "string" && sha256(text) !== hash)
    throw new DbosError("blob", `The large value ${hash} is damaged`);
  return { key, state, value: parse(text) };
}

function deathOf({ value, wokenAt = 0 }: JournalWait): RunDeath {
  const record = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  const { worker, again } = record as Readonly<Record<string, unknown>>;
  return { worker: typeof worker === "string" ? worker : "", at: wokenAt, again: again !== false };
}

function waitOf(row: Row): JournalWait {
  const { key, question, asked_at: askedAt, value, woken_at: wokenAt } = row;
  return {
    key: String(key),
    ...(typeof question === "string" ? { question: parse(question) } : {}),
    ...(askedAt === null ? {} : { askedAt: Number(askedAt) }),
    ...(typeof value === "string" ? { value: parse(value) } : {}),
    ...(wokenAt === null ? {} : { wokenAt: Number(wokenAt) }),
  };
}
