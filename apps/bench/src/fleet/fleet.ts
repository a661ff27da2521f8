/**
 * `bench fleet --engine dbos|restate`: what a fleet on this machine does, beside what its engine does without us. It
 * starts a server and workers of its own and leaves nothing of them. Restate's server is started in a network namespace
 * with nothing but loopback.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { machine } from "../measure.ts";
import type { BenchEngine, FleetWorker, Kind } from "./engine.ts";
import type { EngineFigures, IdleFigures, ThroughputFigures } from "./figures.ts";
import { Household } from "./household.ts";
import { measureIdle } from "./phases/idle.ts";
import { measureKills } from "./phases/kills.ts";
import { measureLatency } from "./phases/latency.ts";
import { measureParked } from "./phases/parked.ts";
import { measureThroughput } from "./phases/throughput.ts";
import { report } from "./report.ts";

const ENGINES = ["dbos", "restate"] as const;
const PHASES = ["idle", "latency", "one", "two", "kills", "parked"] as const;
type EngineName = (typeof ENGINES)[number];
type Phase = (typeof PHASES)[number];

interface Options {
  readonly phases: readonly Phase[];
  readonly rounds: number;
  readonly windowMs: number;
  readonly windows: number;
  readonly kills: number;
  readonly parked: number;
  readonly open: number;
  /** Of Restate: runs on one connection. */
  readonly streams: number;
  readonly idleSeconds: number;
}

export const OPTIONS = {
  engine: { type: "string", about: "dbos or restate; both without it" },
  phases: { type: "string", default: PHASES.join(","), about: "what is measured" },
  rounds: { type: "string", default: "20", about: "runs of each time" },
  "window-ms": { type: "string", default: "8000", about: "how long runs a second are counted at a time" },
  windows: { type: "string", default: "3", about: "how many times they are counted" },
  kills: { type: "string", default: "12", about: "workers that are killed" },
  parked: { type: "string", default: "2000", about: "runs that wait for an answer" },
  open: { type: "string", default: "64", about: "runs under way while runs a second are counted" },
  streams: { type: "string", default: "8", about: "of Restate: runs on one connection" },
  "idle-seconds": { type: "string", default: "10", about: "how long workers without runs are watched" },
  out: { type: "string", about: "file that keeps the figures; phases that are not measured stay" },
} as const;

/** Gives the exit code. */
export async function fleet(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const engines = ENGINES.filter((name) => values.engine === undefined || values.engine === name);
  const phases = PHASES.filter((phase) => values.phases.split(",").includes(phase));
  if (engines.length === 0 || phases.length === 0) {
    console.error(`--engine is one of ${ENGINES.join(", ")}; --phases some of ${PHASES.join(",")}`);
    return 2;
  }
  if (engines.length > 1) {
    return Math.max(...engines.map((name) => again(name, ["fleet", "--engine", name, ...args])));
  }
  const [name] = engines;
  if (name === undefined) return 2;
  if (process.env[PROGRAMS[name].variable] === undefined) return again(name, ["fleet", ...args]);
  const options: Options = {
    phases,
    rounds: Number(values.rounds),
    windowMs: Number(values["window-ms"]),
    windows: Number(values.windows),
    kills: Number(values.kills),
    parked: Number(values.parked),
    open: Number(values.open),
    streams: Number(values.streams),
    idleSeconds: Number(values["idle-seconds"]),
  };
  const before = readFigures(values.out, name);
  const figures = { ...before, ...(await measureEngine(name, options, before)) };
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(figures, undefined, 2)}\n`);
  console.log(report(figures));
  return 0;
}

/** What brings an engine's server along, and where it says that it has. */
const PROGRAMS = {
  dbos: { script: "packages/dbos/scripts/live.sh", variable: "NESTBOX_POSTGRES" },
  restate: { script: "packages/restate/scripts/live.sh", variable: "NESTBOX_RESTATE_SERVER" },
} as const;

/** The same command where the engine's server can be started. */
function again(name: EngineName, args: readonly string[]): number {
  const root = fileURLToPath(new URL("../../../..", import.meta.url));
  const main = fileURLToPath(new URL("../main.ts", import.meta.url));
  // The script changes the folder.
  const absolute = args.map((word, index) => (args[index - 1] === "--out" ? resolve(word) : word));
  // Ctrl-C reaches the command below, which cleans up; this one waits for it.
  const ignore = (): void => undefined;
  process.on("SIGINT", ignore);
  const { status } = spawnSync(
    "sh",
    [`${root}${PROGRAMS[name].script}`, process.execPath, ...process.execArgv, main, ...absolute],
    { stdio: "inherit" },
  );
  process.off("SIGINT", ignore);
  return status ?? 1;
}

function readFigures(file: string | undefined, engine: EngineName): EngineFigures {
  const fresh: EngineFigures = { engine, machine: machine(), cores: availableParallelism(), load: {} };
  if (file === undefined || !existsSync(file)) return fresh;
  const found = JSON.parse(readFileSync(file, "utf8")) as EngineFigures;
  return found.engine === engine ? found : fresh;
}

async function measureEngine(
  name: EngineName,
  options: Options,
  before: EngineFigures,
): Promise<Partial<EngineFigures>> {
  const household = new Household();
  try {
    const engine =
      name === "dbos"
        ? await (await import("./engines/dbos.ts")).openDbosEngine(household)
        : await (await import("./engines/restate.ts")).openRestateEngine(household, options.streams);
    try {
      return await measurePhases(household, engine, options, before);
    } finally {
      await engine.close();
    }
  } finally {
    await household.close();
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

async function measurePhases(
  household: Household,
  engine: BenchEngine,
  options: Options,
  before: EngineFigures,
): Promise<Partial<EngineFigures>> {
  const figures: Writable<Partial<EngineFigures>> = {};
  const load: Record<string, readonly [number, number]> = { ...before.load };
  const phase = async (name: Phase, work: () => Promise<void>): Promise<void> => {
    if (!options.phases.includes(name)) return;
    const from = loadavg()[0] ?? 0;
    const begun = performance.now();
    await work();
    load[name] = [from, loadavg()[0] ?? 0];
    console.error(`${engine.name}: ${name}, ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
  };
  const start = async (kind: Kind, count: number): Promise<readonly FleetWorker[]> => {
    const workers: FleetWorker[] = [];
    while (workers.length < count) workers.push(await engine.startWorker(kind));
    return workers;
  };
  const end = async (...workers: readonly FleetWorker[]): Promise<void> => {
    for (const { child } of workers) await household.kill(child, "SIGTERM");
  };

  await phase("idle", async () => {
    const idle: IdleFigures[] = [await measureIdle(engine, [], options.idleSeconds)];
    const workers: FleetWorker[] = [];
    for (let count = 0; count < 2; count++) {
      workers.push(...(await start("nestbox", 1)));
      idle.push(await measureIdle(engine, workers, options.idleSeconds));
    }
    figures.idle = idle;
    await end(...workers);
  });

  await phase("latency", async () => {
    const own = await start("nestbox", 1);
    const floor = await start("floor", 1);
    const [worker] = own;
    if (worker === undefined) return;
    const idle = await measureIdle(engine, own, options.idleSeconds);
    const perSecond = { workerCpu: idle.workerCpu, serverCpu: idle.serverCpu, clientCpu: 0 };
    figures.latency = await measureLatency(engine, worker, { rounds: options.rounds, idle: perSecond });
    await end(...own, ...floor);
  });

  const throughput: ThroughputFigures[] = [...(before.throughput ?? [])];
  for (const [name, count] of [
    ["one", 1],
    ["two", 2],
  ] as const) {
    await phase(name, async () => {
      const workers = { nestbox: await start("nestbox", count), floor: await start("floor", count) };
      for (const calls of [1, 10]) {
        const { windows: rounds, windowMs, open } = options;
        const measured = await measureThroughput(engine, workers, {
          calls,
          rounds,
          windowMs,
          open,
          label: name,
        });
        for (const one of measured) {
          const at = throughput.findIndex(
            (other) => other.kind === one.kind && other.workers === one.workers && other.calls === one.calls,
          );
          throughput.splice(at === -1 ? throughput.length : at, at === -1 ? 0 : 1, one);
        }
      }
      figures.throughput = throughput;
      await end(...workers.nestbox, ...workers.floor);
    });
  }

  await phase("kills", async () => {
    figures.kills = {
      nestbox: await measureKills(household, engine, "nestbox", options.kills),
      floor: await measureKills(household, engine, "floor", options.kills),
    };
  });

  await phase("parked", async () => {
    let worker = await engine.startWorker("nestbox");
    const restart = async (): Promise<FleetWorker> => {
      await end(worker);
      worker = await engine.startWorker("nestbox");
      return worker;
    };
    const { parked: runs, rounds: wakes } = options;
    figures.parked = await measureParked(engine, worker, { runs, wakes, restart });
    await end(worker);
  });
  return { ...figures, load };
}
