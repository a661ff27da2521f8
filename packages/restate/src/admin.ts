import { durableClock, type DurableClock } from "@nestbox/codemode/durable";
import { isRecord } from "./guards.ts";
import { createIngress } from "./ingress.ts";
import { checkRunId, RUN_WORKFLOW, unreadable } from "./protocol.ts";

export interface RestateAdminOptions {
  /** Of the server's admin API, for example `http://127.0.0.1:9070`. */
  readonly adminUrl: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  readonly clock?: DurableClock;
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
  /** The deployment that it is pinned to. */
  readonly deploymentId?: string;
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
  /** Stops a run that keeps failing, for example because its deployment is gone; `resume` lets it go on. */
  pause(invocationId: string): Promise<void>;
}

const INVOCATION_ID = /^[A-Za-z0-9_]+$/;
const MAX_LISTED = 10_000;
const COLUMNS = "id, target_service_key, status, last_failure, pinned_deployment_id";

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

  const from = `SELECT ${COLUMNS} FROM sys_invocation WHERE target_service_name = '${RUN_WORKFLOW}' AND target_handler_name = 'run'`;

  return {
    async register(url, { force = false } = {}) {
      const answer = await ingress.call("/deployments", { uri: url, force });
      const id = isRecord(answer) ? answer["id"] : undefined;
      return typeof id === "string" ? id : unreadable("answer to a registration");
    },
    async status(runId) {
      // Letters, digits and four signs: nothing that ends a string.
      checkRunId(runId);
      const [row] = await query(`${from} AND target_service_key = '${runId}' LIMIT 1`);
      if (row === undefined) return undefined;
      const found = readStatus(row);
      if (found.status !== "paused") return found;
      const failure = await whyPaused(found.invocationId);
      return failure === undefined ? found : { ...found, failure };
    },
    async list({ limit = MAX_LISTED } = {}) {
      const rows = Math.max(0, Math.min(Math.floor(limit), MAX_LISTED));
      return (await query(`${from} ORDER BY created_at DESC LIMIT ${rows}`)).map(readStatus);
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

function readStatus(row: unknown): RunStatus {
  if (!isRecord(row)) return unreadable("row of a list");
  const { id, target_service_key: runId, status, last_failure: failure, pinned_deployment_id: pinned } = row;
  if (typeof id !== "string" || typeof runId !== "string" || typeof status !== "string")
    return unreadable("row of a list");
  return {
    runId,
    invocationId: id,
    status,
    ...(typeof failure === "string" ? { failure } : {}),
    ...(typeof pinned === "string" ? { deploymentId: pinned } : {}),
  };
}
