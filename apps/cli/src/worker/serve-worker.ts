/** One worker from when its tools and its engine are open to when it has let go of its runs. */
import type { ScriptRunner } from "@nestbox/codemode";
import { durableClock, type Parking } from "@nestbox/codemode/durable";
import type { AuditSink } from "@nestbox/policy";

import type { OpenHost, HostChoice } from "../compose/open-host.ts";
import type { FleetEngine, FleetWorker, FleetWorkerOptions } from "../fleet/engine.ts";
import { messageOf } from "@nestbox/tool";
import type { RunCaps } from "./caps.ts";
import { createCarriers } from "./carriers.ts";
import { drain } from "./drain.ts";
import { type EngineWatch, watchEngine } from "./engine-watch.ts";
import type { WorkerEvent } from "./events.ts";
import type { GateRoutes } from "./gate-routes.ts";
import type { HealthAddress } from "./health-address.ts";
import { type HealthServer, serveHealth } from "./health-server.ts";
import type { WorkerLog } from "./log.ts";
import type { WorkerMetrics } from "./metrics.ts";
import { createReadiness } from "./readiness.ts";
import { brokenPolicy } from "./run-gate.ts";

export interface ServeWorkerOptions {
  readonly engine: FleetEngine;
  readonly opened: OpenHost<HostChoice>;
  readonly routes: GateRoutes;
  readonly runner: ScriptRunner;
  readonly parking: Parking;
  readonly caps: RunCaps;
  readonly audit: AuditSink | undefined;
  readonly log: WorkerLog;
  readonly health: HealthAddress | undefined;
  readonly isolates: number;
  readonly drainMs: number;
  /** What is this worker's own of the engine's. */
  readonly settings: Omit<FleetWorkerOptions, "carrierFor" | "onLog">;
  readonly version: string;
  /** Aborted: it is to let go of its runs. */
  readonly signal: AbortSignal;
  /** How often is looked whether the engine answers and the policy is whole. Default 5,000 ms. */
  readonly lookMs?: number;
  /** How long the engine may take for its goodbye, after `drainMs`. Default 5,000 ms. */
  readonly goodbyeMs?: number;
}

const LOOK_MS = 5_000;
const after = (ms: number, run: () => void): (() => void) => durableClock.after(ms, run);

/** Resolves with how many calls did not end in time. */
export async function serveWorker(options: ServeWorkerOptions): Promise<{ readonly cutOff: number }> {
  const { engine, opened, log, signal, runner, lookMs = LOOK_MS } = options;
  const { host, policy } = opened;
  const readiness = createReadiness();
  readiness.set("start", "it starts");
  const listeners: ((event: WorkerEvent) => void)[] = [log.onEvent];
  const onError = (message: string): void => log.say("warn", "worker.problem", message);
  const carriers = createCarriers({
    host,
    policy,
    routes: options.routes,
    runner,
    parking: options.parking,
    caps: options.caps,
    audit: options.audit,
    journal: (runId) => engine.journal(runId),
    status: (runId) => engine.status(runId),
    draining: () => signal.aborted,
    tell: (event) => listeners.forEach((listener) => listener(event)),
    onSandbox(problem) {
      const isNews = readiness.set("sandbox", problem === undefined ? undefined : "no sandbox starts");
      if (isNews && problem !== undefined)
        log.say("error", "worker.sandbox", `no sandbox starts: ${problem}`);
    },
    onError,
    now: Date.now,
    after,
  });

  let watch: EngineWatch | undefined;
  let metrics: WorkerMetrics | undefined;
  let server: HealthServer | undefined;
  let worker: FleetWorker | undefined;
  try {
    if (options.health !== undefined) {
      // Not small, and needed by nobody else.
      const { createWorkerMetrics } = await import("./metrics.ts");
      metrics = createWorkerMetrics({
        version: options.version,
        engine: engine.name,
        isolates: options.isolates,
        tools: host.registered().map(({ name }) => name),
        engineAnswers: () => watch?.answers() ?? true,
        ready: () => readiness.problems().length === 0,
      });
      listeners.push(metrics.onEvent);
      server = await serveHealth(options.health, {
        problems: () => readiness.problems(),
        metrics: metrics.text,
      });
    }
    worker = await engine.startWorker({
      ...options.settings,
      carrierFor: carriers.carrierFor,
      onLog: (level, message) => {
        if (level === "warn" || level === "error") log.say(level, "engine.says", message);
      },
    });
    const started = worker;
    watch = watchEngine({
      everyMs: lookMs,
      after,
      probe: () => engine.probe(),
      onChange(answers, why) {
        readiness.set("engine", answers ? undefined : "the engine does not answer, or keeps nothing");
        if (!answers) {
          const said = why === undefined ? "" : ` (${why})`;
          log.say("warn", "engine.away", `the engine keeps nothing: this worker waits for it${said}`);
        } else {
          log.say("info", "engine.back", "the engine answers again");
          started.register().catch((error: unknown) => onError(messageOf(error)));
        }
      },
      onLook() {
        const broken = brokenPolicy(policy);
        if (!readiness.set("policy", broken)) return;
        if (broken === undefined) log.say("info", "worker.policy-whole", "the policy is whole again");
        else log.say("error", "worker.policy-broken", `${broken}: no call is made until it is mended`);
      },
    });
    readiness.set("start", undefined);
    tellStart(options, started, server);
    await aborted(signal);
    readiness.set("draining", "it is draining");
    log.say("info", "worker.draining", "letting go of its runs; a second signal ends it at once");
    const { cutOff, closed } = await drain(started, {
      drainMs: options.drainMs,
      goodbyeMs: options.goodbyeMs,
      callsUnderWay: carriers.callsUnderWay,
      onError: (error) => onError(messageOf(error)),
    });
    if (!closed)
      log.say(
        "warn",
        "worker.no-goodbye",
        "the engine did not hear that this worker has gone; it will find out",
      );
    if (cutOff > 0)
      log.say(
        "warn",
        "worker.cut-off",
        `${cutOff} calls did not end within ${options.drainMs} ms: they are made again only where their tool says that this is safe`,
        { calls: cutOff },
      );
    log.say("info", "worker.ended", "ended");
    return { cutOff };
  } catch (error) {
    await worker?.close({ drainMs: 0 });
    throw error;
  } finally {
    watch?.close();
    await server?.close();
    await metrics?.close();
  }
}

/** One line a fact. */
function tellStart(
  { engine, opened, log, isolates, settings, drainMs }: ServeWorkerOptions,
  worker: FleetWorker,
  health: HealthServer | undefined,
): void {
  const { host, options, cwd } = opened;
  const tools = host.callable().map(({ name }) => name);
  const { policy = [], project = [] } = options.policyFiles;
  const files = [...policy, ...project];
  const where = worker.url === undefined ? "" : ` at ${worker.url}`;
  const { say } = log;
  say("info", "worker.engine", `engine ${engine.name}, worker ${worker.id}${where}`, {
    engine: engine.name,
    worker: worker.id,
    ...(worker.url === undefined ? {} : { url: worker.url }),
    ...(settings.deployment === undefined ? {} : { deployment: settings.deployment }),
  });
  say("info", "worker.tools", `tools ${tools.join(", ") || "none"}, in ${cwd}`, { tools, cwd });
  const rules = files.length === 0 ? "none: the annotation default holds" : files.join(", ");
  say("info", "worker.policy", `policy ${rules}`, { policy: files });
  const runs = settings.concurrency ?? isolates;
  say("info", "worker.isolates", `${isolates} isolates, ${runs} runs at a time, ${drainMs} ms to drain`, {
    isolates,
    runs,
    drainMs,
  });
  if (health === undefined) say("info", "worker.health", "health off (--health host:port)");
  else say("info", "worker.health", `health at ${health.url}`, { health: health.url });
  say("info", "worker.ready", "ready");
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
