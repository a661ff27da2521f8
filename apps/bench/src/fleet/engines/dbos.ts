import { DBOSClient } from "@dbos-inc/dbos-sdk";
import { openDbos } from "@nestbox/dbos/node";
import { Pool } from "pg";
import { type BenchEngine, codeOf, type Kind, type Work } from "../engine.ts";
import { FLOOR } from "../floors/dbos.ts";
import { type Household, pause } from "../household.ts";
import { usageOf } from "../usage.ts";
import { startCluster } from "./postgres.ts";
import { startWorker } from "./start-worker.ts";

/** So often is looked for ends: what is measured is late by half of it at most, in the mean. */
const EXACT_MS = 10;
const CHEAP_MS = 200;

export async function openDbosEngine(household: Household): Promise<BenchEngine> {
  const cluster = await startCluster(household);
  cluster.create("runs");
  cluster.create("floor");
  const folder = household.folder("marks");
  const databaseUrl = (kind: Kind) => cluster.url("worker", kind === "nestbox" ? "runs" : "floor");
  const start = (kind: Kind, onInside?: Parameters<BenchEngine["startWorker"]>[1]) =>
    startWorker(household, { engine: "dbos", kind, folder, databaseUrl: databaseUrl(kind) }, onInside);

  // The first worker makes DBOS's tables.
  for (const kind of ["nestbox", "floor"] as const) {
    const first = await start(kind);
    await household.kill(first.child, "SIGTERM");
  }
  const own = cluster.url("client", "runs");
  const exact = await openDbos({ databaseUrl: own, pollMs: EXACT_MS });
  const cheap = await openDbos({ databaseUrl: own, pollMs: CHEAP_MS });
  const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const floorPool = new Pool({ connectionString: cluster.url("client", "floor"), max: 10 });
  const pool = new Pool({ connectionString: own, max: 1 });
  // A server that goes away at the end is no error of a measurement.
  for (const one of [floorPool, pool]) one.on("error", nothing);
  const floor = await DBOSClient.create({
    systemDatabaseUrl: cluster.url("client", "floor"),
    systemDatabasePool: floorPool,
    applicationName: FLOOR,
    logger: silent,
  });
  const floorEnds = new Map<string, () => void>();
  let looking: Promise<void> | undefined;

  /** One statement for all, as ours has it. */
  async function look(pollMs: number): Promise<void> {
    while (floorEnds.size > 0) {
      await pause(pollMs);
      const { rows } = await floorPool.query<{ id: string }>(
        "SELECT workflow_uuid AS id FROM dbos.workflow_status WHERE workflow_uuid = ANY($1) AND status = 'SUCCESS'",
        [[...floorEnds.keys()]],
      );
      for (const { id } of rows) {
        floorEnds.get(id)?.();
        floorEnds.delete(id);
      }
    }
    looking = undefined;
  }

  return {
    name: "dbos",
    startWorker: start,
    async submit(kind, runId, work) {
      if (kind === "nestbox") await exact.submit(runId, { code: codeOf(work) });
      else await floor.enqueue({ queueName: FLOOR, workflowName: FLOOR, workflowID: runId }, stepsOf(work));
    },
    async result(kind, runId, isExact) {
      if (kind === "floor") {
        await new Promise<void>((resolve) => {
          floorEnds.set(runId, resolve);
          looking ??= look(isExact ? EXACT_MS : CHEAP_MS);
        });
        return;
      }
      const outcome = await (isExact ? exact : cheap).result(runId);
      if (!outcome.ok) throw new Error(`${runId}: ${outcome.error.message}`);
    },
    async wake(runId) {
      await exact.run(runId).wake("1", { kind: "approved" });
    },
    async parked() {
      return Number((await one(pool, "SELECT count(*) AS n FROM nestbox.runs WHERE state = 'parked'"))["n"]);
    },
    async recover(kind, runIds) {
      if (kind === "floor") await floor.resumeWorkflows([...runIds], { queueName: FLOOR });
    },
    server: () => usageOf(cluster.pid),
    async diskBytes() {
      return Number((await one(pool, "SELECT pg_database_size('runs') AS bytes"))["bytes"]);
    },
    async counters() {
      const row = await one(pool, COUNTERS);
      const statements = cluster.countsStatements ? await one(pool, STATEMENTS) : {};
      return Object.fromEntries(
        Object.entries({ ...row, ...statements }).map(([name, value]) => [name, Number(value)]),
      );
    },
    async close() {
      await Promise.allSettled([exact.close(), cheap.close(), floor.destroy(), pool.end()]);
      await floorPool.end();
    },
  };
}

const stepsOf = (work: Work): number => (typeof work === "string" ? 0 : work.calls);

async function one(pool: Pool, text: string): Promise<Readonly<Record<string, unknown>>> {
  return (await pool.query<Record<string, unknown>>(text)).rows[0] ?? {};
}

const count = (table: string): string => `(SELECT count(*) FROM ${table})`;
const bytes = (table: string): string => `pg_total_relation_size('${table}')`;
const TABLES: readonly string[] = [
  "nestbox.runs",
  "nestbox.steps",
  "nestbox.waits",
  "dbos.workflow_status",
  "dbos.operation_outputs",
];
const COUNTERS = `SELECT ${[
  ...TABLES.map((table) => `${count(table)} AS "rows ${table}"`),
  `${TABLES.map(bytes).join(" + ")} AS "bytes of tables"`,
  `pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS "bytes of the log"`,
  `(SELECT count(*) FROM pg_stat_activity WHERE usename = 'worker' AND datname = 'runs')
    AS "connections of workers"`,
].join(", ")}`;
const STATEMENTS = `SELECT coalesce(sum(calls) FILTER (WHERE r.rolname = 'worker'), 0) AS "statements of workers",
  coalesce(sum(calls) FILTER (WHERE r.rolname = 'client'), 0) AS "statements of clients"
  FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid
  WHERE s.dbid = (SELECT oid FROM pg_database WHERE datname = 'runs')`;

function nothing(): void {
  // What is measured says nothing.
}
