/** The figures as a person reads them; a ratio is to what the engine does without us. */
import { columns } from "../columns.ts";
import type { Cost, EngineFigures, MemoryFigures, Spread } from "./figures.ts";
import { growthOf } from "../scale/capacity.ts";

export function report(figures: EngineFigures): string {
  const parts = [times, throughput, growth, parked, idle].map((part) => part(figures));
  const load = Object.entries(figures.load).map(
    ([name, [a, b]]) => `${name} ${a.toFixed(1)}–${b.toFixed(1)}`,
  );
  return [
    `${figures.engine}, ${figures.machine}`,
    ...parts.filter((part) => part.length > 1).map(columns),
    `load of the last minute, before and after each slice: ${load.join(", ")}`,
  ].join("\n\n");
}

type Rows = readonly (readonly string[])[];

const ms = (value: number): string =>
  value < 1_000 ? `${value.toPrecision(3)} ms` : `${(value / 1_000).toPrecision(3)} s`;
const ratio = (own: number, floor: number): string => (own / floor).toFixed(2);
const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

function times({ latency, kills }: EngineFigures): Rows {
  const row = (what: string, own: Spread, floor?: Spread): readonly string[] => [
    what,
    ms(own.median),
    ms(own.p90),
    floor === undefined ? "" : ms(floor.median),
    floor === undefined ? "" : ratio(own.median, floor.median),
    String(own.count),
  ];
  const rows: (readonly string[])[] = [["time", "median", "p90", "the engine's own", "ratio", "times"]];
  if (latency !== undefined) {
    rows.push(row("submitted → ended, 1 call", latency.oneCall, latency.floorOne));
    rows.push(row("submitted → ended, 10 calls", latency.tenCalls, latency.floorTen));
    rows.push(row("answered → ended", latency.wake));
  }
  if (kills !== undefined) {
    rows.push(row("kill -9 → call elsewhere", kills.nestbox.elsewhere, kills.floor.elsewhere));
    rows.push(row("kill -9 → ended", kills.nestbox.ended, kills.floor.ended));
  }
  return rows;
}

function throughput({ throughput: measured = [], latency }: EngineFigures): Rows {
  const cost = ({ workerCpu, serverCpu }: Cost): readonly string[] => [ms(workerCpu), ms(serverCpu)];
  const rows: (readonly string[])[] = [
    [
      "runs a second",
      "median",
      "the engine's own",
      "ratio",
      "runs",
      "a run: worker",
      "server",
      "the engine's own: both",
      "all processors",
      "connections",
    ],
  ];
  for (const own of measured) {
    if (own.kind !== "nestbox") continue;
    const floor = measured.find(
      (one) => one.kind === "floor" && one.workers === own.workers && one.calls === own.calls,
    );
    rows.push([
      `${plural(own.workers, "worker")}, ${plural(own.calls, "call")}`,
      own.runsPerSecond.median.toFixed(1),
      floor?.runsPerSecond.median.toFixed(1) ?? "",
      floor === undefined ? "" : ratio(own.runsPerSecond.median, floor.runsPerSecond.median),
      String(own.runs),
      ...cost(own.cost),
      floor === undefined ? "" : ms(floor.cost.workerCpu + floor.cost.serverCpu),
      `${(own.machineBusy * 100).toFixed(0)} %`,
      own.connections === undefined ? "" : String(own.connections),
    ]);
  }
  if (latency !== undefined)
    for (const [calls, one] of [
      [1, latency.costOne],
      [10, latency.costTen],
    ] as const)
      rows.push([`one at a time, ${plural(calls, "call")}`, "", "", "", "", ...cost(one), "", "", ""]);
  return rows;
}

function growth(figures: EngineFigures): Rows {
  const measured = figures.throughput?.find(({ kind, workers }) => kind === "nestbox" && workers === 1);
  const names = Object.keys(measured?.growth ?? {});
  return [
    ["what grows", "a run", "a call more", "parking and going on"],
    ...names.map((name) => {
      const { run, call, park } = growthOf(figures, name);
      return [name, ...[run, call, park].map((value) => amount(value))];
    }),
  ];
}

const amount = (value: number): string => (Math.abs(value) < 100 ? value.toFixed(1) : value.toFixed(0));

function parked({ parked: found }: EngineFigures): Rows {
  if (found === undefined) return [];
  const { runs, worker, freshWorker, server, diskBytes, wake } = found;
  const row = (what: string, before: number, after: number, unit: string): readonly string[] => [
    what,
    before.toFixed(0),
    after.toFixed(0),
    `${(((after - before) / runs) * 1_024).toFixed(1)} ${unit}`,
  ];
  const memory = (whose: string, before: MemoryFigures, after: MemoryFigures): Rows => [
    row(`${whose}, MB`, before.residentMb, after.residentMb, "KB"),
    row(`${whose}, private MB`, before.privateMb, after.privateMb, "KB"),
  ];
  return [
    [`${runs} parked runs`, "before", "after", "each"],
    ...memory("worker", worker.before, worker.after),
    ...(freshWorker === undefined
      ? []
      : [["a worker started meanwhile, MB", "", freshWorker.residentMb.toFixed(0), ""]]),
    ...memory("server", server.before, server.after),
    row("on disk, MB", diskBytes.before / 2 ** 20, diskBytes.after / 2 ** 20, "KB"),
    ["answered → ended meanwhile", "", ms(wake.median), `${wake.count} times`],
  ];
}

function idle({ idle: found = [] }: EngineFigures): Rows {
  return [
    ["without runs, a second", "server", "workers", "statements", "connections", "MB of one worker"],
    ...found.map(({ workers, serverCpu, workerCpu, statements, connections, worker }) => [
      plural(workers, "worker"),
      ms(serverCpu),
      ms(workerCpu),
      statements?.toFixed(0) ?? "",
      connections === undefined ? "" : String(connections),
      worker?.residentMb.toFixed(0) ?? "",
    ]),
  ];
}
