/** The journal of a run as it stands, read without taking the run over. */
import type { JsonValue } from "@nestbox/tool";
import { DbosError } from "../errors.ts";
import { checkRunId } from "../run-id.ts";
import type { Database, Row } from "./database.ts";
import { parse, sha256 } from "./values.ts";

export interface EntriesOptions {
  /** Bytes of JSON above which a value is left out and only its beginning told. Default 65,536. */
  readonly maxValueBytes?: number;
  /** Entries of a kind; the rest is left out. Default 20,000. */
  readonly limit?: number;
}

export interface StepEntry {
  readonly key: string;
  readonly state: "begun" | "done" | "interrupted";
  readonly value?: JsonValue;
  /** Instead of a value that is too large for the reader: its size, and its JSON up to 4,096 characters. */
  readonly large?: { readonly bytes: number; readonly head: string };
}

/** What somebody was asked or told: a question, its answer, or both. Times are milliseconds since the epoch. */
export interface WaitEntry {
  readonly key: string;
  readonly question?: JsonValue;
  readonly askedAt?: number;
  readonly value?: JsonValue;
  readonly wokenAt?: number;
}

/** In no order: the keys of calls are their numbers. */
export interface RunEntries {
  readonly steps: readonly StepEntry[];
  readonly waits: readonly WaitEntry[];
  /** Nothing was left out but what `maxValueBytes` says. */
  readonly complete: boolean;
}

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
  return {
    steps: steps.slice(0, limit).map((row) => stepOf(row, maxValueBytes)),
    waits: waits.slice(0, limit).map(waitOf),
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

function waitOf(row: Row): WaitEntry {
  const { key, question, asked_at: askedAt, value, woken_at: wokenAt } = row;
  return {
    key: String(key),
    ...(typeof question === "string" ? { question: parse(question) } : {}),
    ...(askedAt === null ? {} : { askedAt: Number(askedAt) }),
    ...(typeof value === "string" ? { value: parse(value) } : {}),
    ...(wokenAt === null ? {} : { wokenAt: Number(wokenAt) }),
  };
}
