import { openRestate, openRestateAdmin } from "@nestbox/restate";
import { openBlobFolder } from "@nestbox/restate/node";
import { startRestate } from "@nestbox/servers";
import { type BenchEngine, codeOf, type Kind, type Work } from "../engine.ts";
import { FLOOR } from "../floors/restate.ts";
import type { Household } from "../household.ts";
import { diskBytes, usageOf } from "../usage.ts";
import { startWorker } from "./start-worker.ts";

const BASE = 18_700;
/** Workers of one kind stand behind one address. */
const PORTS = { nestbox: BASE + 10, floor: BASE + 11 } as const;

/** `streams` is how many runs the server puts on one connection before it opens the next; 128 where nobody says. */
export async function openRestateEngine(household: Household, streams: number): Promise<BenchEngine> {
  const folder = household.folder("restate");
  const { pid, ingressUrl, adminUrl } = await startRestate({
    folder,
    port: BASE,
    spawn: (program, args, options) => household.spawn(program, args, options),
    settings: {
      RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "512 MiB",
      RESTATE_WORKER__INVOKER__HTTP2_STREAMS_PER_CONNECTION_LIMIT: String(streams),
      RESTATE_LOG_FILTER: "error",
    },
  });
  const query = (sql: string): Promise<number> => count(adminUrl, sql);
  const admin = openRestateAdmin({ adminUrl });
  const runs = openRestate({ ingressUrl, blobs: openBlobFolder(`${folder}/blobs`) });
  const registered = new Set<Kind>();

  return {
    name: "restate",
    async startWorker(kind, onInside) {
      const settings = { engine: "restate", kind, folder, ingressUrl, port: PORTS[kind] } as const;
      const worker = await startWorker(household, settings, onInside);
      if (!registered.has(kind)) await admin.register(`http://127.0.0.1:${PORTS[kind]}`, { force: true });
      registered.add(kind);
      return worker;
    },
    async submit(kind, runId, work) {
      if (kind === "nestbox") await runs.submit(runId, { code: codeOf(work) });
      else await ask(`${ingressUrl}/${FLOOR}/${runId}/run/send`, stepsOf(work));
    },
    async result(kind, runId) {
      if (kind === "floor") {
        await ask(`${ingressUrl}/restate/workflow/${FLOOR}/${runId}/attach`);
        return;
      }
      const outcome = await runs.result(runId);
      if (!outcome.ok) throw new Error(`${runId}: ${outcome.error.message}`);
    },
    async wake(runId) {
      await runs.run(runId).wake("1", { kind: "approved" });
    },
    parked: () => query("SELECT count(*) AS n FROM sys_invocation WHERE status = 'suspended'"),
    recover: () => Promise.resolve(),
    server: () => usageOf(pid),
    diskBytes: () => Promise.resolve(diskBytes(`${folder}/data`)),
    async counters() {
      return {
        "rows of invocations": await query("SELECT count(*) AS n FROM sys_invocation"),
        "rows of the server's journals": await query("SELECT count(*) AS n FROM sys_journal"),
        "rows of state": await query("SELECT count(*) AS n FROM state"),
        "bytes of state": await query("SELECT sum(octet_length(value_utf8)) AS n FROM state"),
      };
    },
    close: () => Promise.resolve(),
  };
}

const stepsOf = (work: Work): number => (typeof work === "string" ? 0 : work.calls);

async function ask(url: string, body?: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

async function count(adminUrl: string, sql: string): Promise<number> {
  const answer = await ask(`${adminUrl}/query`, { query: sql });
  const rows = typeof answer === "object" && answer !== null && "rows" in answer ? answer.rows : undefined;
  const [row] = Array.isArray(rows) ? (rows as readonly unknown[]) : [];
  return typeof row === "object" && row !== null && "n" in row ? Number(row.n ?? 0) : Number.NaN;
}
