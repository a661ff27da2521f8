import {
  durableClock,
  type DurableClock,
  type EntriesOptions,
  type RunEnding,
  type RunEntries,
} from "@nestbox/codemode/durable";
import type { JsonValue } from "@nestbox/tool";
import type { BlobStore } from "./blobs.ts";
import { isRecord } from "./guards.ts";
import { createIngress } from "./ingress.ts";
import { checkRunId, RUN_WORKFLOW, unreadable } from "./protocol.ts";
import { createReading, type RestateQuestion } from "./reading.ts";

export interface RestateAdminOptions {
  /** Of the server's admin API, for example `http://127.0.0.1:9070`. */
  readonly adminUrl: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  readonly clock?: DurableClock;
  /** Where large values stand, for whoever reads journals here. */
  readonly blobs?: BlobStore;
  /** How long a server that does not answer is waited for. Default 60,000 ms. */
  readonly unavailableMs?: number;
}

/** A run as the server sees it. */
export interface RunStatus {
  readonly runId: string;
  readonly invocationId: string;
  /**
   * The server's word: `running`, `suspended` (parked), `backing-off`, `paused` (it cannot go on by itself), `ready`,
   * `scheduled`, `pending`, `completed`.
   */
  readonly status: string;
  /** Why it last failed; of a paused run, why it is paused (`status` only). */
  readonly failure?: string;
  /** The deployment that it is pinned to, and where that listens. */
  readonly deploymentId?: string;
  readonly endpoint?: string;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number;
  readonly completedAt?: number;
  /** When a run that sleeps goes on by itself (`status` only). */
  readonly wakeAt?: number;
  /** Suspended because no worker had room: it is tried again by itself. */
  readonly waitsForRoom?: true;
  /** Questions to people that are open. */
  readonly waitingFor: number;
  /** Of a completed run whose journal is there: whether its script came to its end. */
  readonly ok?: boolean;
  /** And if not, with what, its message cut to 500 characters; `aborted` is the kind of what was cancelled. */
  readonly error?: Extract<RunEnding, { readonly ok: false }>["error"];
}

export interface RestateAdmin {
  /** Makes a worker's address known; runs that begin from then on are carried on there. Gives the deployment's id. */
  register(url: string, options?: { readonly force?: boolean }): Promise<string>;
  /** `undefined`: the server knows no such run. */
  status(runId: string): Promise<RunStatus | undefined>;
  /** At most 10,000, the newest first; those that have ended for as long as the server keeps them. */
  list(options?: { readonly limit?: number }): Promise<readonly RunStatus[]>;
  /** Lets a paused run go on: where it was, on the latest deployment, or on the one with this id. */
  resume(invocationId: string, options?: { readonly deployment?: string }): Promise<void>;
  /** What people are asked now, the oldest first, 10,000 at most; of one run or of all. */
  questions(options?: {
    readonly limit?: number;
    readonly runId?: string;
  }): Promise<readonly RestateQuestion[]>;
  /** What stands in the journal of a run, for whoever does not carry it on. */
  entries(runId: string, options?: EntriesOptions): Promise<RunEntries>;
  /** The script that a run was submitted with, for as long as the server keeps it. */
  submitted(runId: string): Promise<JsonValue | undefined>;
  /** Stops a run that keeps failing, for example because its deployment is gone; `resume` lets it go on. */
  pause(invocationId: string): Promise<void>;
}

const INVOCATION_ID = /^[A-Za-z0-9_]+$/;
const MAX_LISTED = 10_000;
const COLUMNS =
  "i.id AS id, target_service_key, status, last_failure, pinned_deployment_id, d.endpoint AS endpoint, " +
  "i.created_at AS created_at, completed_at, completion_result, completion_failure";

export function openRestateAdmin(options: RestateAdminOptions): RestateAdmin {
  const ingress = createIngress({
    url: options.adminUrl,
    clock: options.clock ?? durableClock,
    fetch: options.fetch ?? fetch,
    headers: { accept: "application/json", ...options.headers },
    unavailableMs: options.unavailableMs ?? 60_000,
  });

  async function query(sql: string): Promise<readonly unknown[]> {
    const answer = await ingress.call("/query", { query: sql });
    const rows = isRecord(answer) ? answer["rows"] : undefined;
    return Array.isArray(rows) ? rows : unreadable("list of runs");
  }

  /** The server keeps it among the run's events and not with its status. */
  async function whyPaused(invocationId: string): Promise<string | undefined> {
    if (!INVOCATION_ID.test(invocationId)) return undefined;
    const [row] = await query(
      `SELECT event_json FROM sys_journal_events WHERE id = '${invocationId}' AND event_type = 'Paused' ORDER BY appended_at DESC LIMIT 1`,
    );
    const json = isRecord(row) ? row["event_json"] : undefined;
    const event: unknown = typeof json === "string" ? JSON.parse(json) : undefined;
    const failure = isRecord(event) ? event["last_failure"] : undefined;
    const message = isRecord(failure) ? failure["error_message"] : undefined;
    return typeof message === "string" ? message : undefined;
  }

  const reading = createReading(query, options.blobs);

  /** With what stands in the journals. */
  async function told(rows: readonly Row[], waiting: ReadonlyMap<string, number>): Promise<RunStatus[]> {
    const ends = await reading.ends(
      rows.flatMap(({ runId, status, ok }) => (status === "completed" && ok === undefined ? [runId] : [])),
    );
    // What a run asks people it asks when it parks, and not where it finds no room.
    const still = rows.filter(({ status, runId }) => status === "suspended" && !waiting.has(runId));
    const full = await reading.roomless(still.map(({ runId }) => runId));
    return rows.map((row) => {
      const room = full.has(row.runId) ? ({ waitsForRoom: true } as const) : {};
      return { ...row, waitingFor: waiting.get(row.runId) ?? 0, ...ends.get(row.runId), ...room };
    });
  }

  /** Of a run that is suspended, when the last of its timers is due. */
  async function wakeAt(invocationId: string): Promise<number | undefined> {
    if (!INVOCATION_ID.test(invocationId)) return undefined;
    const [row] = await query(
      `SELECT sleep_wakeup_at FROM sys_journal WHERE id = '${invocationId}' AND sleep_wakeup_at IS NOT NULL ORDER BY index DESC LIMIT 1`,
    );
    return isRecord(row) ? timeOf(row["sleep_wakeup_at"]) : undefined;
  }

  async function find(runId: string): Promise<Row | undefined> {
    // Letters, digits and four signs: nothing that ends a string.
    checkRunId(runId);
    const [row] = await query(`${from} AND target_service_key = '${runId}' LIMIT 1`);
    return row === undefined ? undefined : readStatus(row);
  }

  const from = `SELECT ${COLUMNS} FROM sys_invocation i LEFT JOIN sys_deployment d ON d.id = i.pinned_deployment_id WHERE target_service_name = '${RUN_WORKFLOW}' AND target_handler_name = 'run'`;

  return {
    async register(url, { force = false } = {}) {
      const answer = await ingress.call("/deployments", { uri: url, force });
      const id = isRecord(answer) ? answer["id"] : undefined;
      return typeof id === "string" ? id : unreadable("answer to a registration");
    },
    async status(runId) {
      const row = await find(runId);
      if (row === undefined) return undefined;
      const [found] = await told([row], await reading.waiting(runId));
      if (found?.status === "suspended") {
        const wake = await wakeAt(found.invocationId);
        return wake === undefined ? found : { ...found, wakeAt: wake };
      }
      if (found?.status !== "paused") return found;
      const failure = await whyPaused(found.invocationId);
      return failure === undefined ? found : { ...found, failure };
    },
    async list({ limit = MAX_LISTED } = {}) {
      const rows = await query(`${from} ORDER BY i.created_at DESC LIMIT ${rowsOf(limit)}`);
      return await told(rows.map(readStatus), await reading.waiting());
    },
    questions: async ({ limit = MAX_LISTED, runId } = {}) =>
      await reading.questions({ limit: rowsOf(limit), ...(runId === undefined ? {} : { runId }) }),
    entries: async (runId, entries) => await reading.entries(runId, entries),
    async submitted(runId) {
      const invocationId = (await find(runId))?.invocationId;
      return invocationId === undefined || !INVOCATION_ID.test(invocationId)
        ? undefined
        : await reading.submitted(runId, invocationId);
    },
    async resume(invocationId, { deployment } = {}) {
      const query = deployment === undefined ? "" : `?deployment=${encodeURIComponent(deployment)}`;
      await ingress.call(`${invocationPath(invocationId)}/resume${query}`, undefined, { method: "PATCH" });
    },
    async pause(invocationId) {
      await ingress.call(`${invocationPath(invocationId)}/pause`, undefined, { method: "PATCH" });
    },
  };
}

const invocationPath = (id: string): string => `/invocations/${encodeURIComponent(id)}`;

const rowsOf = (limit: number): number => Math.max(0, Math.min(Math.floor(limit), MAX_LISTED));

type Row = Omit<RunStatus, "waitingFor">;

function readStatus(row: unknown): Row {
  if (!isRecord(row)) return unreadable("row of a list");
  const { id, target_service_key: runId, status, pinned_deployment_id: pinned, endpoint } = row;
  if (typeof id !== "string" || typeof runId !== "string" || typeof status !== "string")
    return unreadable("row of a list");
  const hasFailed = row["completion_result"] === "failure";
  const failure = hasFailed ? row["completion_failure"] : row["last_failure"];
  const createdAt = timeOf(row["created_at"]);
  const completedAt = timeOf(row["completed_at"]);
  return {
    runId,
    invocationId: id,
    status,
    ...(typeof failure === "string" ? { failure } : {}),
    ...(typeof pinned === "string" ? { deploymentId: pinned } : {}),
    ...(typeof endpoint === "string" ? { endpoint } : {}),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(completedAt === undefined ? {} : { completedAt }),
    // Killed, or refused: it has no outcome.
    ...(hasFailed ? { ok: false } : {}),
  };
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
