/**
 * A process that carries runs on. DBOS hands it the parts that are due, from its queue in PostgreSQL, and knows which
 * of them it has begun. DBOS is one to a process, and so is a worker.
 */
import { randomUUID } from "node:crypto";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { DbosError } from "../errors.ts";
import { workflowIdOf } from "../run-id.ts";
import { type Carrier, carryOn } from "./carry-on.ts";
import { openDbosPool } from "./database.ts";
import { Living } from "./living.ts";
import { APPLICATION, QUEUE, WORKFLOW } from "./parts.ts";
import { quietLog } from "./quiet-log.ts";
import { type DbosOptions, openRuns } from "./runs.ts";

export interface WorkerOptions extends DbosOptions {
  /** What a run may call and how it is run. Asked each time a run is carried on here. */
  readonly carrierFor: (runId: string) => Carrier | Promise<Carrier>;
  /**
   * Runs stay with the deployment that began them, and new ones go to the one whose first worker came last.
   * Default: all workers are of one.
   */
  readonly deployment?: string;
  /** Parts of runs at a time on each worker; the last worker that starts decides. Default 8. */
  readonly concurrency?: number;
  /** How often is looked for what is due, and for workers that are gone. Default 100 and 1,000 ms. */
  readonly queuePollMs?: number;
  readonly lookMs?: number;
  /** After the database was away, how long nobody is taken for dead. Default 10,000 ms. */
  readonly graceMs?: number;
  /** How many deaths of workers one part of a run outlives. Default 20. */
  readonly maxDeaths?: number;
  /** What DBOS and the worker have to say. Default: nowhere. */
  readonly onLog?: (level: string, message: string) => void;
}

export interface Worker {
  readonly executorId: string;
  /** Lets go of its runs once what is under way is kept; what does not end within `drainMs` is left to be recovered. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

const DRAIN_MS = 10_000;
/** DBOS's own count is the second net: ours halts the run with a reason before. */
const MAX_ATTEMPTS = 1_000_000;

export async function startWorker(options: WorkerOptions): Promise<Worker> {
  if (DBOS.isInitialized()) throw new DbosError("misuse", "DBOS runs in this process already");
  if (process.env["DBOS__CLOUD"] === "true") {
    // There it would report to its maker's cloud, and take its database from there.
    throw new DbosError("misuse", "A worker does not run with DBOS__CLOUD");
  }
  const { deployment = "default" } = options;
  const executorId = `nestbox-${randomUUID()}`;
  const drain = new AbortController();
  const closed = new AbortController();
  const runs = await openRuns(options, drain.signal);
  const onLog = quietLog(options.onLog ?? (() => undefined), runs.clock);
  const pool = openDbosPool(options.databaseUrl, onLog);
  /** How often each workflow is under way here: DBOS may begin one again before it has an end. */
  const carried = new Map<string, number>();
  const living = new Living({
    databaseUrl: options.databaseUrl,
    executorId,
    database: runs.database,
    clock: runs.clock,
    lookMs: options.lookMs ?? 1_000,
    graceMs: options.graceMs ?? 10_000,
    maxDeaths: options.maxDeaths ?? 20,
    carries: (workflowId) => carried.has(workflowId),
    onLog,
  });
  const carry = {
    runs,
    carrierFor: options.carrierFor,
    deployment,
    signal: drain.signal,
    closed: closed.signal,
    onLog,
  };

  try {
    // Before it can begin anything: what has begun belongs to somebody who is known to live.
    await living.start();
    DBOS.setConfig({
      name: APPLICATION,
      systemDatabaseUrl: options.databaseUrl,
      systemDatabasePool: pool,
      executorID: executorId,
      applicationVersion: deployment,
      enableOTLP: false,
      tracingEnabled: false,
      logger: loggerTo(onLog),
    });
    DBOS.registerWorkflow(
      async (runId: string, part: number): Promise<string> => {
        const id = workflowIdOf(runId, part);
        carried.set(id, (carried.get(id) ?? 0) + 1);
        try {
          return await DBOS.runStep(() => carryOn(carry, runId, part, DBOS.stepStatus?.cancelSignal), {
            name: "carry on",
          });
        } finally {
          const others = (carried.get(id) ?? 1) - 1;
          if (others > 0) carried.set(id, others);
          else carried.delete(id);
        }
      },
      { name: WORKFLOW, maxRecoveryAttempts: MAX_ATTEMPTS },
    );
    // Without a key for its maker's Conductor, which is all that DBOS would reach besides the database.
    await living.alone(() => DBOS.launch());
    await DBOS.registerQueue(QUEUE, {
      workerConcurrency: options.concurrency ?? 8,
      minPollingIntervalMs: options.queuePollMs ?? 100,
      onConflict: "always_update",
    });
    living.watch();
  } catch (error) {
    await close(0);
    throw error;
  }

  let closing: Promise<void> | undefined;
  return {
    executorId,
    close({ drainMs = DRAIN_MS } = {}) {
      closing ??= close(drainMs);
      return closing;
    },
  };

  async function close(drainMs: number): Promise<void> {
    // It takes nothing new from here on; what it has lets go at once.
    const down = DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: drainMs });
    drain.abort(new DOMException("The worker closes", "AbortError"));
    await down;
    closed.abort();
    await living.close();
    // One that it was given, DBOS leaves open.
    await pool.end();
    await runs.close();
  }
}

function loggerTo(onLog: (level: string, message: string) => void) {
  const at =
    (level: string) =>
    (entry: unknown): void =>
      onLog(level, String(entry));
  return { debug: () => undefined, info: at("info"), warn: at("warn"), error: at("error") };
}
