import { networkInterfaces } from "node:os";
import { openRestate, openRestateAdmin } from "@nestbox/restate";
import { openBlobFolder } from "@nestbox/restate/node";
import { type BenchEngine, codeOf, type Kind, type Work } from "../engine.ts";
import { FLOOR } from "../floors/restate.ts";
import { hasEnded, type Household, pause } from "../household.ts";
import { diskBytes, usageOf } from "../usage.ts";
import { startWorker } from "./start-worker.ts";

const BASE = 18_700;
const INGRESS = `http://127.0.0.1:${BASE}`;
const ADMIN = `http://127.0.0.1:${BASE + 1}`;
/** Workers of one kind stand behind one address. */
const PORTS = { nestbox: BASE + 10, floor: BASE + 11 } as const;
const START_MS = 60_000;

/** `streams` is how many runs the server puts on one connection before it opens the next; 128 where nobody says. */
export async function openRestateEngine(household: Household, streams: number): Promise<BenchEngine> {
  const folder = household.folder("restate");
  const pid = await startServer(household, folder, streams);
  const admin = openRestateAdmin({ adminUrl: ADMIN });
  const runs = openRestate({ ingressUrl: INGRESS, blobs: openBlobFolder(`${folder}/blobs`) });
  const registered = new Set<Kind>();

  return {
    name: "restate",
    async startWorker(kind, onInside) {
      const settings = { engine: "restate", kind, folder, ingressUrl: INGRESS, port: PORTS[kind] } as const;
      const worker = await startWorker(household, settings, onInside);
      if (!registered.has(kind)) await admin.register(`http://127.0.0.1:${PORTS[kind]}`, { force: true });
      registered.add(kind);
      return worker;
    },
    async submit(kind, runId, work) {
      if (kind === "nestbox") await runs.submit(runId, { code: codeOf(work) });
      else await ask(`${INGRESS}/${FLOOR}/${runId}/run/send`, stepsOf(work));
    },
    async result(kind, runId) {
      if (kind === "floor") {
        await ask(`${INGRESS}/restate/workflow/${FLOOR}/${runId}/attach`);
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

async function startServer(household: Household, folder: string, streams: number): Promise<number> {
  const program = process.env["NESTBOX_RESTATE_SERVER"];
  if (program === undefined || Object.keys(networkInterfaces()).some((name) => name !== "lo"))
    throw new Error("The server of Restate runs in a network namespace of its own only");
  const args = [
    "--no-logo",
    "--listen-mode",
    "tcp",
    "--bind-ip",
    "127.0.0.1",
    "--bind-port",
    String(BASE + 2),
  ];
  const server = household.spawn(program, args, {
    stdio: "ignore",
    env: {
      PATH: process.env["PATH"],
      DO_NOT_TRACK: "1",
      RESTATE_BASE_DIR: `${folder}/data`,
      RESTATE_NODE_NAME: "bench",
      RESTATE_DISABLE_TELEMETRY: "true",
      RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "512 MiB",
      RESTATE_WORKER__INVOKER__HTTP2_STREAMS_PER_CONNECTION_LIMIT: String(streams),
      RESTATE_LOG_FILTER: "error",
      RESTATE_INGRESS__BIND_PORT: String(BASE),
      RESTATE_ADMIN__BIND_PORT: String(BASE + 1),
    },
  });
  const end = performance.now() + START_MS;
  for (const address of [`${ADMIN}/health`, `${INGRESS}/restate/health`]) {
    while (
      !(await fetch(address).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (hasEnded(server) || performance.now() > end)
        throw new Error("The server of Restate does not start");
      await pause(50);
    }
  }
  return server.pid ?? 0;
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

async function query(sql: string): Promise<number> {
  const answer = await ask(`${ADMIN}/query`, { query: sql });
  const rows = typeof answer === "object" && answer !== null && "rows" in answer ? answer.rows : undefined;
  const [row] = Array.isArray(rows) ? (rows as readonly unknown[]) : [];
  return typeof row === "object" && row !== null && "n" in row ? Number(row.n ?? 0) : Number.NaN;
}
