/** The figures as a person reads them; a ratio is to what the engine does without us. */
import type { EngineFigures, MemoryFigures, Spread } from "./figures.ts";

export function report(figures: EngineFigures): string {
  return [
    `${figures.engine} on ${figures.machine}`,
    ...latencyLines(figures),
    ...throughputLines(figures),
    ...killLines(figures),
    ...parkedLines(figures),
    ...idleLines(figures),
    `load of the last minute, before and after: ${Object.entries(figures.load)
      .map(([name, [a, b]]) => `${name} ${a.toFixed(1)} ${b.toFixed(1)}`)
      .join(", ")}`,
  ].join("\n");
}

const ms = (value: number): string =>
  value < 1_000 ? `${value.toFixed(1)} ms` : `${(value / 1_000).toFixed(2)} s`;
const spread = ({ median, p90, max, count }: Spread): string =>
  `${ms(median)} (p90 ${ms(p90)}, most ${ms(max)}, ${count} times)`;
const ratio = (own: number, floor: number): string => `${(own / floor).toFixed(1)}×`;
const mb = (before: MemoryFigures, after: MemoryFigures): string =>
  `${before.residentMb.toFixed(0)} → ${after.residentMb.toFixed(0)} MB resident, ${before.privateMb.toFixed(0)} → ${after.privateMb.toFixed(0)} MB private`;

function latencyLines({ latency }: EngineFigures): readonly string[] {
  if (latency === undefined) return [];
  const { oneCall, tenCalls, wake, floorOne, floorTen, costOne, costTen } = latency;
  return [
    `submitted → ended, 1 call:   ${spread(oneCall)}; the engine's own ${spread(floorOne)}: ${ratio(oneCall.median, floorOne.median)}`,
    `submitted → ended, 10 calls: ${spread(tenCalls)}; the engine's own ${spread(floorTen)}: ${ratio(tenCalls.median, floorTen.median)}`,
    `answered → ended:            ${spread(wake)}`,
    `processor time, 1 call: worker ${ms(costOne.workerCpu)}, server ${ms(costOne.serverCpu)}; 10 calls: worker ${ms(costTen.workerCpu)}, server ${ms(costTen.serverCpu)}`,
  ];
}

function throughputLines({ throughput = [] }: EngineFigures): readonly string[] {
  return throughput
    .filter(({ kind }) => kind === "nestbox")
    .map((own) => {
      const floor = throughput.find(
        (one) => one.kind === "floor" && one.workers === own.workers && one.calls === own.calls,
      );
      const { runsPerSecond, cost, machineBusy, busiest, runs, seconds } = own;
      const what = `${own.workers} worker${own.workers === 1 ? "" : "s"}, ${own.calls} call${own.calls === 1 ? "" : "s"}:`;
      const beside =
        floor === undefined
          ? ""
          : `; the engine's own ${floor.runsPerSecond.median.toFixed(1)}: ${ratio(own.runsPerSecond.median, floor.runsPerSecond.median)}`;
      return `${what.padEnd(21)} ${runsPerSecond.median.toFixed(1)} runs a second (${runsPerSecond.count} windows, ${runs} runs in ${seconds.toFixed(0)} s)${beside}; a run: worker ${ms(cost.workerCpu)}, server ${ms(cost.serverCpu)}, client ${ms(cost.clientCpu)}; machine ${(machineBusy * 100).toFixed(0)} % busy, ${(busiest * 100).toFixed(0)} % on one worker`;
    });
}

function killLines({ kills }: EngineFigures): readonly string[] {
  if (kills === undefined) return [];
  const { nestbox, floor } = kills;
  return [
    `kill -9 → inside elsewhere: ${spread(nestbox.elsewhere)}; the engine's own ${spread(floor.elsewhere)}: ${ratio(nestbox.elsewhere.median, floor.elsewhere.median)}`,
    `kill -9 → ended:            ${spread(nestbox.ended)}; the engine's own ${spread(floor.ended)}`,
  ];
}

function parkedLines({ parked }: EngineFigures): readonly string[] {
  if (parked === undefined) return [];
  const { runs, seconds, worker, server, diskBytes, growth, wake } = parked;
  return [
    `${runs} parked runs (${seconds.toFixed(0)} s): the worker ${mb(worker.before, worker.after)}`,
    `  the server ${mb(server.before, server.after)}; on disk ${((diskBytes.after - diskBytes.before) / runs / 1_024).toFixed(1)} KiB each`,
    `  answered → ended meanwhile: ${spread(wake)}`,
    `  each: ${Object.entries(growth)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")}`,
  ];
}

function idleLines({ idle = [] }: EngineFigures): readonly string[] {
  return idle.map(({ workers, serverCpu, workerCpu, statements, connections, worker }) =>
    [
      `${workers} idle workers: server ${serverCpu.toFixed(1)} ms, workers ${workerCpu.toFixed(1)} ms of processor time a second`,
      ...(statements === undefined ? [] : [`${statements.toFixed(0)} statements a second`]),
      ...(connections === undefined ? [] : [`${connections} connections`]),
      ...(worker === undefined
        ? []
        : [`${worker.residentMb.toFixed(0)} MB resident each, ${worker.privateMb.toFixed(0)} private`]),
    ].join(", "),
  );
}
