import { CodemodeError } from "../runner/errors.ts";
import { createScriptRunner } from "../runner/runner.ts";
import type { ScriptLimits, ScriptRunner } from "../types.ts";
import { findNode } from "./find-node.ts";
import { processDriver } from "./process-driver.ts";
import { rememberNode } from "./remember-node.ts";
import { sandboxFiles, whyUnusable } from "./sandbox-files.ts";
import { systemClock } from "./system-clock.ts";

export interface CreateRunnerOptions {
  /** Node 24 or 26 for sandbox processes; unset: this process's own, else one on PATH. */
  readonly nodePath?: string | undefined;
  /** Scripts that run at the same time, each in a process of its own. Default 4. */
  readonly maxProcesses?: number | undefined;
  /** Scripts that wait for a process. Default 64. */
  readonly maxWaiting?: number | undefined;
  /** How long a script waits for a process. Default 60,000 ms. */
  readonly waitMs?: number | undefined;
  /** Idle processes end after this time. Default 60,000 ms. */
  readonly idleMs?: number | undefined;
  /** Scripts after which a process is renewed, whatever they did. Default 1,000. */
  readonly maxScripts?: number | undefined;
  /** Isolates kept ready in every process. Default 4. */
  readonly stock?: number | undefined;
  /** Limits of scripts that name none. */
  readonly limits?: Partial<ScriptLimits> | undefined;
  /** `false` runs scripts without the just-in-time compiler: less to attack, slower loops. Default true. */
  readonly jit?: boolean | undefined;
  /** Time past the processor limit before a process that does not answer is killed. Default 500 ms. */
  readonly graceMs?: number | undefined;
}

/** Runs scripts in processes of this machine. Nothing is started before the first script or `warm()`. */
export function createRunner(options: CreateRunnerOptions = {}): ScriptRunner {
  const files = sandboxFiles();
  const unusable = whyUnusable(files);
  const find = rememberNode(() => findNode({ nodePath: options.nodePath, env: process.env }));
  const intl = Intl.DateTimeFormat().resolvedOptions();
  return createScriptRunner({
    driver: processDriver({
      files,
      node: () =>
        unusable === undefined ? find() : Promise.reject(new CodemodeError("no-sandbox", unusable)),
    }),
    clock: systemClock,
    pool: {
      maxProcesses: options.maxProcesses ?? 4,
      maxWaiting: options.maxWaiting ?? 64,
      waitMs: options.waitMs ?? 60_000,
      idleMs: options.idleMs ?? 60_000,
      maxScripts: options.maxScripts ?? 1_000,
      maxKeptBytes: 384 * 1024 * 1024,
      startMs: 30_000,
    },
    limits: options.limits ?? {},
    jit: options.jit ?? true,
    stock: options.stock ?? 4,
    timeZone: intl.timeZone,
    locale: intl.locale,
    graceMs: options.graceMs ?? 500,
    residentMb: 256,
  });
}
