/** Workers in processes of their own, over one database, and what their tools have done. */
import { type ChildProcess, fork } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DbosRuns, openDbos } from "../../src/node/index.ts";
import { type Cluster, pause } from "./cluster.ts";

export interface Effect {
  readonly callId: string;
  /** `name:n` */
  readonly what: string;
  readonly pid: number;
}

export interface Fleet {
  readonly runs: DbosRuns;
  readonly databaseUrl: string;
  readonly start: (settings?: {
    readonly deployment?: string;
    readonly version?: string;
    readonly maxDeaths?: number;
  }) => Promise<ChildProcess>;
  readonly kill: (worker: ChildProcess, signal?: NodeJS.Signals) => Promise<void>;
  /** In order; those of one run with its id. */
  readonly effects: (runId?: string) => readonly Effect[];
  readonly until: (what: string, holds: () => Promise<boolean> | boolean) => Promise<void>;
  readonly close: () => Promise<void>;
}

const WAIT_MS = 120_000;

export async function openFleet(cluster: Cluster, name: string): Promise<Fleet> {
  cluster.create(name);
  const databaseUrl = cluster.url(name);
  const folder = mkdtempSync(join(tmpdir(), "nestbox-fleet-"));
  const workers = new Set<ChildProcess>();
  const runs = await openDbos({ databaseUrl, pollMs: 50 });

  async function kill(worker: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    workers.delete(worker);
    if (worker.exitCode !== null || worker.signalCode !== null) return;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.kill(signal);
    await ended;
  }

  return {
    runs,
    databaseUrl,
    kill,
    async start(settings = {}) {
      const worker = fork(
        fileURLToPath(new URL("worker-child.ts", import.meta.url)),
        [JSON.stringify({ ...settings, databaseUrl, folder })],
        // What the driver will not do any more one day ends a worker here.
        {
          execArgv: ["--conditions=@nestbox/source", "--no-warnings", "--throw-deprecation"],
          stdio: "inherit",
        },
      );
      workers.add(worker);
      await new Promise<void>((resolve, reject) => {
        worker.once("message", () => resolve());
        worker.once("exit", (code, signal) => reject(new Error(`The worker ended: ${code} ${signal}`)));
      });
      return worker;
    },
    effects(runId) {
      const file = join(folder, "effects");
      if (!existsSync(file)) return [];
      return readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => line.split(" "))
        .map(([callId = "", what = "", pid]) => ({ callId, what, pid: Number(pid) }))
        .filter(({ callId }) => runId === undefined || callId.startsWith(`${runId}:`));
    },
    async until(what, holds) {
      const end = Date.now() + WAIT_MS;
      while (!(await holds())) {
        if (Date.now() > end) throw new Error(`It did not come to this: ${what}`);
        await pause(50);
      }
    },
    async close() {
      await Promise.all(Array.from(workers, (worker) => kill(worker)));
      await runs.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
