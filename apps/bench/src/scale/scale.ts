/**
 * `bench scale --engine dbos|restate`: the model's answer for a fleet that is thought of; with `--validate` for the one
 * that was measured, and with `--measured` what was measured.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { columns } from "../columns.ts";
import type { EngineFigures } from "../fleet/figures.ts";
import { report } from "../fleet/report.ts";
import { capacities, grown, growthOf, parkedRuns, priceOfRun, type Prices } from "./capacity.ts";
import { BENCH_SANDBOXES, DBOS_POLL_MS, demandsOf, looksAt } from "./demands.ts";
import { simulate } from "./model.ts";
import type { Scenario } from "./scenario.ts";
import { percentile } from "./stats.ts";
import { handOut, validate } from "./validate.ts";

const DAY_S = 86_400;
/** Above this part of what it can do, a fleet's queue has no length that it keeps. */
const FULL = 0.97;
const JOURNAL = { dbos: "bytes of tables", restate: "bytes of state" } as const;

export const OPTIONS = {
  engine: { type: "string", default: "dbos", about: "dbos or restate" },
  figures: { type: "string", about: "file of `bench fleet --out`, instead of what is checked in" },
  measured: { type: "boolean", default: false, about: "print what was measured" },
  validate: { type: "boolean", default: false, about: "the model against what was measured" },
  workers: { type: "string", default: "2,10,100,1000,10000", about: "fleets, a row for each" },
  "runs-per-day": { type: "string", default: "1e3,1e5,1e6,1e7,1e8", about: "loads, a row for each" },
  calls: { type: "string", default: "5", about: "calls of a script" },
  "tool-ms": { type: "string", default: "200", about: "what a tool takes, in the mean" },
  ask: { type: "string", default: "0.1", about: "part of the runs that ask a person" },
  "answer-minutes": { type: "string", default: "30", about: "what a person takes, the median" },
  cores: { type: "string", default: "2", about: "of a worker" },
  sandboxes: { type: "string", default: String(BENCH_SANDBOXES), about: "of a worker" },
  "server-cores": { type: "string", default: "8", about: "of the engine's server" },
  "poll-ms": { type: "string", about: `of DBOS: a worker's looks for what is due (${DBOS_POLL_MS})` },
  concurrency: { type: "string", about: "of DBOS: runs at a time on a worker (as many as sandboxes)" },
  "death-days": { type: "string", default: "7", about: "from a worker's start to its death; 0: never" },
  runs: { type: "string", default: "10000", about: "runs that are simulated for a row" },
  seed: { type: "string", default: "1", about: "of chance: the same seed, the same table" },
  "core-hour": { type: "string", default: "0.04", about: "price of a core for an hour" },
  "gigabyte-month": { type: "string", default: "0.1", about: "price of a gigabyte for a month" },
  "kept-days": { type: "string", default: "30", about: "how long what a run leaves is kept" },
} as const;

/** Gives the exit code. */
export function scale(args: readonly string[]): number {
  const text = scaleText(args);
  if (text === undefined) console.error("--engine is dbos or restate");
  else console.log(text);
  return text === undefined ? 2 : 0;
}

/** What is printed; `undefined`: there is no such engine. */
export function scaleText(args: readonly string[]): string | undefined {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.engine !== "dbos" && values.engine !== "restate") return undefined;
  const file = values.figures ?? fileURLToPath(new URL(`figures/${values.engine}.json`, import.meta.url));
  const figures = JSON.parse(readFileSync(file, "utf8")) as EngineFigures;
  if (values.measured) return report(figures);
  return values.validate ? validation(figures) : table(figures, values);
}

function validation(figures: EngineFigures): string {
  const rows = validate(figures).map(({ what, measured, predicted }) => [
    what,
    measured.toFixed(1),
    off(predicted, measured),
  ]);
  return columns([[figures.engine, "measured", "modelled"], ...rows]);
}

const off = (predicted: number, measured: number): string => {
  const percent = (predicted / measured - 1) * 100;
  return `${predicted.toFixed(1)} (${percent < 0 ? "" : "+"}${percent.toFixed(0)} %)`;
};

type Values = Readonly<Partial<Record<Exclude<keyof typeof OPTIONS, "validate" | "measured">, string>>>;

function table(figures: EngineFigures, values: Values): string {
  const numbers = (text = ""): readonly number[] => text.split(",").map(Number);
  const rows = numbers(values["runs-per-day"]).flatMap((runsPerDay) =>
    numbers(values.workers).map((workers) => rowOf(figures, values, workers, runsPerDay)),
  );
  const head = [
    "runs a day",
    "workers",
    "load",
    "full first",
    "median",
    "p99",
    "queue p99",
    "parked",
    "memory",
    "connections",
    "journal a day",
    "provided",
  ];
  const { scenario, journal } = fleetOf(figures, values, 1, 1);
  const { used } = priceOfRun(scenario, 1, journal, pricesOf(values));
  return `${columns([head, ...rows])}\n\nused by a million runs: ${plain(used * 1e6)}`;
}

function rowOf(
  figures: EngineFigures,
  values: Values,
  workers: number,
  runsPerDay: number,
): readonly string[] {
  const runsPerSecond = runsPerDay / DAY_S;
  const { scenario, journal } = fleetOf(figures, values, workers, runsPerSecond);
  const [first] = capacities(scenario);
  const limit = first?.runsPerSecond ?? 0;
  const { provided } = priceOfRun(scenario, runsPerSecond, journal, pricesOf(values));
  const memory = (figures.parked?.worker.after.residentMb ?? Number.NaN) * workers;
  const each = connectionsOf(figures);
  const simulated =
    limit === 0 || runsPerSecond > FULL * limit
      ? undefined
      : simulate(scenario, {
          seed: Number(values.seed),
          warmUp: Number(values.runs) / 5,
          runs: Number(values.runs),
        });
  return [
    plain(runsPerDay),
    plain(workers),
    limit === 0 ? "no room" : percent(runsPerSecond / limit),
    first?.part ?? "",
    simulated === undefined ? "–" : time(percentile(simulated.latencies, 0.5)),
    simulated === undefined ? "–" : time(percentile(simulated.latencies, 0.99)),
    simulated === undefined ? "–" : time(percentile(simulated.queueWaits, 0.99)),
    plain(Math.round(parkedRuns(runsPerSecond, scenario.script))),
    size(memory * 1e6),
    each === undefined ? "–" : plain(each * workers),
    size(journal * runsPerDay),
    plain(provided * 1e6),
  ];
}

function fleetOf(figures: EngineFigures, values: Values, workers: number, runsPerSecond: number) {
  const scenario = scenarioOf(figures, values, workers, runsPerSecond);
  return { scenario, journal: grown(growthOf(figures, JOURNAL[figures.engine]), scenario.script) };
}

function pricesOf(values: Values): Prices {
  return {
    coreHour: Number(values["core-hour"]),
    gigabyteMonth: Number(values["gigabyte-month"]),
    keptDays: Number(values["kept-days"]),
  };
}

function scenarioOf(
  figures: EngineFigures,
  values: Values,
  workers: number,
  runsPerSecond: number,
): Scenario {
  const by = handOut(figures.engine);
  const deathDays = Number(values["death-days"]);
  const pollMs = values["poll-ms"] === undefined ? by.pollMs : Number(values["poll-ms"]);
  const demands = demandsOf(figures);
  const sandboxes = Number(values.sandboxes);
  // `nestbox worker` takes as many runs as it has isolates; on Restate, what the server sends.
  const concurrency = figures.engine === "dbos" ? sandboxes : by.concurrency;
  return {
    load: { kind: "open", runsPerSecond },
    workers,
    script: {
      calls: Number(values.calls),
      toolMs: Number(values["tool-ms"]),
      askShare: Number(values.ask),
      answerMedianMs: Number(values["answer-minutes"]) * 60_000,
      answerSigma: 1,
    },
    worker: {
      cores: Number(values.cores),
      sandboxes,
      concurrency: values.concurrency === undefined ? concurrency : Number(values.concurrency),
      ...(pollMs === undefined ? {} : { pollMs }),
    },
    server: { cores: Number(values["server-cores"]) },
    demands: { ...demands, lookCpu: demands.lookCpu * looksAt(pollMs) },
    ...(deathDays > 0
      ? {
          deaths: {
            everyMs: deathDays * DAY_S * 1_000,
            noticedAfterMs: figures.kills?.nestbox.elsewhere.median ?? 0,
            replacedAfterMs: 60_000,
          },
        }
      : {}),
  };
}

/** Of one worker that is busy; `undefined` where it has none of its own. */
function connectionsOf({ throughput = [] }: EngineFigures): number | undefined {
  const each = throughput.flatMap(({ connections, workers }) =>
    connections === undefined ? [] : [Math.ceil(connections / workers)],
  );
  return each.length === 0 ? undefined : Math.max(...each);
}

/** Three figures, and no powers of ten. */
const PLAIN = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const WHOLE = new Intl.NumberFormat("en");

const plain = (value: number): string => (Number.isInteger(value) ? WHOLE : PLAIN).format(value);

function percent(part: number): string {
  return `${part < 0.1 ? (part * 100).toPrecision(2) : (part * 100).toFixed(0)} %`;
}

function time(ms: number): string {
  return ms < 1_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toPrecision(3)} s`;
}

function size(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB", "PB"];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${(bytes / 1_000 ** power).toPrecision(3)} ${units[power] ?? ""}`;
}
