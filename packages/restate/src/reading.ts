/**
 * What the server keeps of runs, read through its queries: no worker is asked, nothing is claimed, and a run that is
 * parked, halted or has lost its workers is read as any other.
 */
import {
  type EntriesOptions,
  type JournalWait,
  readRunEnding,
  type RunEnding,
  type RunEntries,
  type StepEntry,
} from "@nestbox/codemode/durable";
import type { JsonValue } from "@nestbox/tool";
import type { BlobStore } from "./blobs.ts";
import { isRecord } from "./guards.ts";
import { checkRunId, END, JOURNAL_OBJECT, readEntry, unreadable } from "./protocol.ts";
import { createSealer, readSealed, type Sealed } from "./seal.ts";

/** What a person is asked, and has not answered. */
export interface RestateQuestion {
  readonly runId: string;
  readonly key: string;
  readonly question: JsonValue;
  readonly askedAt: number;
}

export interface Reading {
  /** Of one run or of all, the oldest first. */
  questions(options: {
    readonly runId?: string;
    readonly limit: number;
  }): Promise<readonly RestateQuestion[]>;
  entries(runId: string, options?: EntriesOptions): Promise<RunEntries>;
  /** How many questions are open, by run. */
  waiting(runId?: string): Promise<ReadonlyMap<string, number>>;
  /** How runs ended, by run; one whose large outcome was kept without its beginning is left out. */
  ends(runIds: readonly string[]): Promise<ReadonlyMap<string, RunEnding>>;
  /** Those that are suspended because no worker had room for them. */
  roomless(runIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** What an invocation was given. */
  submitted(runId: string, invocationId: string): Promise<JsonValue | undefined>;
}

type Query = (sql: string) => Promise<readonly unknown[]>;

const HEAD_CHARS = 4_096;
/** Ids in one condition of a query. */
const IDS_A_QUERY = 500;
const FROM = `FROM state q WHERE q.service_name = '${JOURNAL_OBJECT}'`;
/** No answer to it, and no end of its run. */
const OPEN = `q.key LIKE 'q/%'
  AND NOT EXISTS (SELECT 1 FROM state w WHERE w.service_name = '${JOURNAL_OBJECT}'
    AND w.service_key = q.service_key AND w.key = concat('w/', substr(q.key, 3)))
  AND NOT EXISTS (SELECT 1 FROM state e WHERE e.service_name = '${JOURNAL_OBJECT}'
    AND e.service_key = q.service_key AND e.key = 'w/${END}')`;

export function createReading(query: Query, blobs: BlobStore | undefined): Reading {
  const sealer = createSealer(
    blobs ?? { put: () => noStore(), get: () => noStore(), remove: () => noStore() },
    { inlineChars: 0, maxValueChars: 0 },
  );
  /** Letters, digits and four signs: nothing that ends a string. */
  const ofRun = (runId: string): string => {
    checkRunId(runId);
    return `AND q.service_key = '${runId}'`;
  };

  return {
    async questions({ runId, limit }) {
      const rows = await query(
        `SELECT q.service_key, q.key, q.value_utf8 ${FROM} ${runId === undefined ? "" : ofRun(runId)} AND ${OPEN}`,
      );
      const found = rows.map((row) => {
        const { key, value, runId: of } = readRow(row);
        const { question, at } = questionIn(value);
        return { runId: of, key: key.slice(2), question, askedAt: at };
      });
      const oldest = found.toSorted((a, b) => a.askedAt - b.askedAt).slice(0, limit);
      return await Promise.all(
        oldest.map(async (one) => ({ ...one, question: await sealer.open(one.runId, one.question) })),
      );
    },

    async waiting(runId) {
      const rows = await query(
        `SELECT q.service_key AS run, count(*) AS open ${FROM} ${runId === undefined ? "" : ofRun(runId)} AND ${OPEN} GROUP BY q.service_key`,
      );
      return new Map(
        rows.map((row) =>
          isRecord(row) && typeof row["run"] === "string"
            ? [row["run"], Number(row["open"])]
            : unreadable("row of a list"),
        ),
      );
    },

    async roomless(runIds) {
      const found = new Set<string>();
      for (let from = 0; from < runIds.length; from += IDS_A_QUERY) {
        const ids = runIds.slice(from, from + IDS_A_QUERY);
        for (const id of ids) checkRunId(id);
        const rows = await query(
          `SELECT q.service_key, q.key, q.value_utf8 ${FROM} AND q.service_key IN (${ids.map((id) => `'${id}'`).join(", ")}) AND q.key = 'parked' AND q.value_utf8 LIKE '%"room":true}'`,
        );
        for (const row of rows) found.add(readRow(row).runId);
      }
      return found;
    },

    async ends(runIds) {
      const ends = new Map<string, RunEnding>();
      for (let from = 0; from < runIds.length; from += IDS_A_QUERY) {
        const ids = runIds.slice(from, from + IDS_A_QUERY);
        for (const id of ids) checkRunId(id);
        const rows = await query(
          `SELECT q.service_key, q.key, q.value_utf8 ${FROM} AND q.service_key IN (${ids.map((id) => `'${id}'`).join(", ")}) AND q.value_utf8 LIKE '{"key":"${END}","state":"done"%'`,
        );
        for (const row of rows) {
          const { runId, value } = readRow(row);
          const sealed = readEntry(value).value;
          const head = sealed !== undefined && "json" in sealed ? sealed.json : sealed?.head;
          const end = head === undefined ? undefined : readRunEnding(head);
          if (end !== undefined) ends.set(runId, end);
        }
      }
      return ends;
    },

    async entries(runId, { maxValueBytes = 65_536, limit = 20_000 } = {}) {
      const rows = await query(
        `SELECT q.service_key, q.key, q.value_utf8 ${FROM} ${ofRun(runId)} LIMIT ${Math.floor(limit) + 1}`,
      );
      const steps: StepEntry[] = [];
      const waits = new Map<string, JournalWait>();
      const about = (key: string): JournalWait => waits.get(key) ?? { key };
      for (const row of rows.slice(0, limit)) {
        const { key, value } = readRow(row);
        const name = key.slice(2);
        if (key.startsWith("s/")) {
          const entry = readEntry(value);
          if (entry.state === "dropped") continue;
          steps.push({
            key: entry.key,
            state: entry.state,
            ...(entry.value === undefined ? {} : await valueOf(runId, entry.value, maxValueBytes)),
          });
        } else if (key.startsWith("q/")) {
          const { question, at } = questionIn(value);
          const { value: asked } = await valueOf(runId, question, maxValueBytes);
          waits.set(name, {
            ...about(name),
            askedAt: at,
            ...(asked === undefined ? {} : { question: asked }),
          });
        } else if (key.startsWith("w/")) {
          const sealed = isRecord(value) ? readSealed(value["value"]) : undefined;
          if (sealed === undefined) unreadable("value");
          const { value: woken } = await valueOf(runId, sealed, maxValueBytes);
          waits.set(name, { ...about(name), value: woken ?? null });
        }
      }
      return { steps, waits: [...waits.values()], complete: rows.length <= limit };
    },

    async submitted(runId, invocationId) {
      const [row] = await query(
        `SELECT entry_json FROM sys_journal WHERE id = '${invocationId}' AND index = 0 LIMIT 1`,
      );
      const json = isRecord(row) ? row["entry_json"] : undefined;
      if (typeof json !== "string") return undefined;
      const input = at(at(JSON.parse(json), "Command"), "Input");
      const bytes = at(input, "payload");
      if (!Array.isArray(bytes)) return undefined;
      const given: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes as number[])));
      const sealed = readSealed(at(given, "script"));
      return sealed === undefined ? undefined : await sealer.open(runId, sealed);
    },
  };

  async function valueOf(
    runId: string,
    sealed: Sealed,
    maxValueBytes: number,
  ): Promise<Pick<StepEntry, "value" | "large">> {
    if ("json" in sealed) {
      const { json } = sealed;
      return json.length <= maxValueBytes
        ? { value: await sealer.open(runId, sealed) }
        : { large: { bytes: json.length, head: json.slice(0, HEAD_CHARS) } };
    }
    if (blobs === undefined) return { large: { bytes: sealed.chars, head: sealed.head ?? "" } };
    if (sealed.chars <= maxValueBytes) return { value: await sealer.open(runId, sealed) };
    const text = await blobs.get(runId, sealed.sha256);
    return { large: { bytes: sealed.chars, head: (text ?? "").slice(0, HEAD_CHARS) } };
  }
}

function noStore(): Promise<never> {
  return unreadable("value without the store of large values (blobs)");
}

const at = (record: unknown, name: string): unknown =>
  isRecord(record) && Object.hasOwn(record, name) ? record[name] : undefined;

function readRow(row: unknown): { readonly runId: string; readonly key: string; readonly value: unknown } {
  const [runId, key, text] = ["service_key", "key", "value_utf8"].map((name) => at(row, name));
  if (typeof runId !== "string" || typeof key !== "string" || typeof text !== "string")
    return unreadable("row of a journal");
  try {
    return { runId, key, value: JSON.parse(text) };
  } catch {
    return unreadable("row of a journal");
  }
}

function questionIn(value: unknown): { readonly question: Sealed; readonly at: number } {
  const question = readSealed(at(value, "question"));
  const asked = at(value, "at");
  return question === undefined || typeof asked !== "number"
    ? unreadable("question")
    : { question, at: asked };
}
