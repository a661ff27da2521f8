/**
 * `nestbox worker`: carries on the runs of a fleet until it is told to end. Tools, policy and limits are those of its own
 * command line and config; a submission brings a script. It ends by letting go: what is under way is kept first.
 */
import { availableParallelism } from "node:os";

import { DEFAULT_LIMITS, type ScriptRunner } from "@nestbox/codemode";
import { createParking } from "@nestbox/codemode/durable";
import { createRunner } from "@nestbox/codemode/node";

import { type HostChoice, openHost, type OpenHost } from "../compose/open-host.ts";
import { exitCodes } from "../exit-codes.ts";
import type { FleetEngine } from "../fleet/engine.ts";
import { fleetConfig, type FleetConfig } from "../fleet/fleet-config.ts";
import { openFleet } from "../fleet/open-fleet.ts";
import { messageOf } from "@nestbox/tool";
import type { Streams } from "../output.ts";
import { UsageError } from "../usage-error.ts";
import { version } from "../version.ts";
import { openWorkerAudit } from "../worker/audit.ts";
import type { RunCaps } from "../worker/caps.ts";
import { createGateRoutes } from "../worker/gate-routes.ts";
import { type HealthAddress, readHealthAddress } from "../worker/health-address.ts";
import { createWorkerLog } from "../worker/log.ts";
import { serveWorker } from "../worker/serve-worker.ts";

export interface WorkerCommandOptions extends HostChoice {
  readonly json?: boolean;
  readonly audit?: string;
  readonly isolates?: number;
  readonly concurrency?: number;
  readonly cpuMs?: number;
  readonly deadlineMs?: number;
  readonly drainMs?: number;
  readonly health?: HealthAddress;
  readonly deployment?: string;
  readonly host?: string;
  readonly port?: number;
  readonly advertise?: string;
  readonly reusePort?: boolean;
}

const DRAIN_MS = 20_000;
/** Runs that wait for an isolate here, and for how long, before the engine is to try again. */
const MAX_WAITING = 1_000;
const ISOLATE_WAIT_MS = 600_000;

/** What a test has otherwise. */
export interface WorkerWorld {
  readonly open: typeof openFleet;
  readonly lookMs?: number;
  readonly goodbyeMs?: number;
}

/** Resolves with the exit code once it was told to end and has let go of its runs. */
export async function worker(
  given: WorkerCommandOptions,
  streams: Streams,
  signal: AbortSignal,
  { open, ...times }: WorkerWorld = { open: openFleet },
): Promise<number> {
  const fleet = fleetConfig(given, process.cwd(), process.env);
  const health = given.health ?? healthOf(fleet);
  const log = createWorkerLog({ streams, json: given.json === true, now: Date.now });
  const routes = createGateRoutes();
  const audit = given.audit === undefined ? undefined : openAudit(given.audit);
  const isolates = given.isolates ?? availableParallelism();
  // What a command is interrupted by lets go of runs here: what they call goes on until it is kept.
  const ended = new AbortController();
  const opened = await openHost(given, { streams, signal: ended.signal, gateOf: () => routes.gate });
  const runner = runnerOf(opened, isolates);
  const disarm = endAtOnceAfter(signal);
  let engine: FleetEngine | undefined;
  let cutOff = 0;
  try {
    await runner.warm();
    engine = await open(fleet, { worker: true });
    ({ cutOff } = await serveWorker({
      engine,
      opened,
      routes,
      runner,
      parking: createParking(),
      caps: capsOf(opened),
      audit,
      log,
      health,
      isolates,
      drainMs: given.drainMs ?? DRAIN_MS,
      settings: {
        concurrency: given.concurrency ?? fleet.concurrency ?? runsAtATime(fleet, isolates),
        ...placeOf(fleet, given),
        ...(given.reusePort === undefined ? {} : { reusePort: given.reusePort }),
      },
      version,
      signal,
      ...times,
    }));
  } finally {
    disarm();
    audit?.close();
    await runner.close();
    await within(engine?.[Symbol.asyncDispose]());
    // A call that is cut off is not to be told that it was cancelled: whoever goes on would take that for its end.
    if (cutOff === 0) await opened[Symbol.asyncDispose]();
  }
  return cutOff === 0 ? exitCodes.ok : exitCodes.limit;
}

function healthOf({ health }: FleetConfig): HealthAddress | undefined {
  if (health === undefined) return undefined;
  const address = readHealthAddress(health);
  if (address === undefined) throw new UsageError(`fleet.health is ${health}: it must be host:port.`);
  return address;
}

/**
 * DBOS hands out a run where there is room for one. Restate hands out all that it has: those that have no isolate yet
 * stand ready here, and it keeps room for their steps.
 */
const runsAtATime = ({ engine }: FleetConfig, isolates: number): number =>
  engine === "restate" ? Math.max(RESTATE_RUNS, isolates) : isolates;

const RESTATE_RUNS = 200;

/** What the command line says goes before what the config says. */
function placeOf(fleet: FleetConfig, given: WorkerCommandOptions) {
  const both = { ...fleet, ...given };
  const { deployment, host, port, advertise, identityKeys } = both;
  return {
    ...(deployment === undefined ? {} : { deployment }),
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(advertise === undefined ? {} : { advertise }),
    ...(identityKeys === undefined ? {} : { identityKeys }),
  };
}

function openAudit(folder: string) {
  try {
    return openWorkerAudit(folder);
  } catch (cause) {
    throw new UsageError(`--audit ${folder}: ${messageOf(cause)}`, { cause });
  }
}

function runnerOf({ options }: OpenHost<WorkerCommandOptions>, isolates: number): ScriptRunner {
  return createRunner({
    maxProcesses: isolates,
    maxWaiting: MAX_WAITING,
    waitMs: ISOLATE_WAIT_MS,
    ...(options.node === undefined ? {} : { nodePath: options.node }),
  });
}

function capsOf({ options }: OpenHost<WorkerCommandOptions>): RunCaps {
  const { memoryMb = DEFAULT_LIMITS.memoryMb, cpuMs = DEFAULT_LIMITS.cpuMs, deadlineMs, timeoutMs } = options;
  return { limits: { ...DEFAULT_LIMITS, memoryMb, cpuMs }, deadlineMs, timeoutMs };
}

/** Once it is told to end, the next signal ends the process as it stands: what has been kept is kept. */
function endAtOnceAfter(signal: AbortSignal): () => void {
  const now = (): void => process.exit(exitCodes.aborted);
  const arm = (): void => void [process.once("SIGINT", now), process.once("SIGTERM", now)];
  if (signal.aborted) arm();
  else signal.addEventListener("abort", arm, { once: true });
  return () => {
    signal.removeEventListener("abort", arm);
    process.off("SIGINT", now).off("SIGTERM", now);
  };
}

const GOODBYE_MS = 5_000;

/** An engine that is away must not keep the process. */
async function within(work: PromiseLike<void> | undefined): Promise<void> {
  if (work === undefined) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, GOODBYE_MS);
  });
  try {
    await Promise.race([work, late]);
  } catch {
    // It has nothing more to say to us.
  } finally {
    clearTimeout(timer);
  }
}
