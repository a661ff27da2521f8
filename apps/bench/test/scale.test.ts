import { describe, expect, it } from "vitest";
import { Agenda } from "../src/scale/agenda.ts";
import { capacities, grown, parkedRuns, priceOfRun } from "../src/scale/capacity.ts";
import { simulate } from "../src/scale/model.ts";
import { looksAt } from "../src/scale/demands.ts";
import { createRandom, exponential, logNormal } from "../src/scale/random.ts";
import type { Scenario } from "../src/scale/scenario.ts";
import { Station } from "../src/scale/station.ts";
import { mean, percentile } from "../src/scale/stats.ts";

const NOTHING = { workerCpu: 0, serverCpu: 0, delay: 0 };

/** A fleet in which only the server has something to do: a station of exponential services. */
function queueOf(cores: number, serviceMs: number, runsPerSecond: number): Scenario {
  return {
    load: { kind: "open", runsPerSecond },
    workers: 1,
    script: { calls: 1, toolMs: 0, askShare: 0, answerMedianMs: 0, answerSigma: 0 },
    worker: { cores: 1, sandboxes: 1_000_000, concurrency: 1_000_000 },
    server: { cores },
    demands: {
      run: NOTHING,
      call: { ...NOTHING, serverCpu: serviceMs },
      park: NOTHING,
      clientCpu: 0,
      lookCpu: 0,
    },
  };
}

/** Mean time in a queue with `c` servers, from arrival to departure, after Erlang. */
function timeInQueue(c: number, serviceMs: number, runsPerSecond: number): number {
  const offered = (runsPerSecond * serviceMs) / 1_000;
  let term = 1;
  let sum = 1;
  for (let k = 1; k < c; k++) {
    term *= offered / k;
    sum += term;
  }
  const last = ((term * offered) / c) * (c / (c - offered));
  const waits = last / (sum + last);
  return serviceMs + (waits * serviceMs) / (c - offered);
}

const LONG = { seed: 7, warmUp: 20_000, runs: 200_000 };

describe("the model agrees with what is known of queues", () => {
  it.each([
    [1, 10, 50],
    [1, 10, 80],
    [2, 10, 150],
    [4, 20, 180],
    [16, 40, 340],
  ])("%i servers of %i ms at %i runs a second", (cores, serviceMs, runsPerSecond) => {
    const {
      latencies,
      busy,
      runsPerSecond: through,
    } = simulate(queueOf(cores, serviceMs, runsPerSecond), LONG);
    expect(mean(latencies) / timeInQueue(cores, serviceMs, runsPerSecond)).toBeCloseTo(1, 1);
    expect(through / runsPerSecond).toBeCloseTo(1, 1);
    // The law of utilisation.
    expect(busy.server).toBeCloseTo((runsPerSecond * serviceMs) / 1_000 / cores, 1);
  });

  it("the times of one server are exponential: the median is ln 2 of the mean, the 99th percentile ln 100", () => {
    const { latencies } = simulate(queueOf(1, 10, 70), LONG);
    const expected = timeInQueue(1, 10, 70);
    expect(percentile(latencies, 0.5) / (expected * Math.LN2)).toBeCloseTo(1, 1);
    expect(percentile(latencies, 0.99) / (expected * Math.log(100))).toBeCloseTo(1, 1);
  });

  it("looks of one worker: a run waits for half an interval in the mean, and no more than all places are taken in one", () => {
    const scenario = (runsPerSecond: number): Scenario => ({
      ...queueOf(1, 0.001, runsPerSecond),
      worker: { cores: 1, sandboxes: 1_000, concurrency: 8, pollMs: 100 },
    });
    const { queueWaits } = simulate(scenario(5), { seed: 3, warmUp: 1_000, runs: 20_000 });
    expect(mean(queueWaits)).toBeGreaterThan(47);
    expect(mean(queueWaits)).toBeLessThan(53);
    const full = simulate(
      { ...scenario(1), load: { kind: "closed", open: 64 } },
      { seed: 3, warmUp: 1_000, runs: 20_000 },
    );
    expect(full.runsPerSecond).toBeCloseTo(80, 0);
  });

  it("looks of many workers: the wait is that of the first of them", () => {
    const scenario: Scenario = {
      ...queueOf(1, 0.001, 5),
      workers: 9,
      worker: { cores: 1, sandboxes: 1_000, concurrency: 8, pollMs: 100 },
    };
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) =>
      mean(simulate(scenario, { seed, warmUp: 500, runs: 5_000 }).queueWaits),
    );
    // The sum of the squares of ten gaps, whose ends are fixed: between 5 and 50, mostly near 10.
    const all = waits.reduce((sum, one) => sum + one, 0) / waits.length;
    expect(all).toBeGreaterThan(7);
    expect(all).toBeLessThan(16);
  });

  it("scripts that wait for tools hold their sandboxes: a hundred milliseconds in two of them are twenty a second", () => {
    const scenario: Scenario = {
      ...queueOf(1, 0.001, 1),
      load: { kind: "closed", open: 50 },
      script: { calls: 1, toolMs: 100, askShare: 0, answerMedianMs: 0, answerSigma: 0 },
      worker: { cores: 1, sandboxes: 2, concurrency: 1_000 },
    };
    const { runsPerSecond, busy } = simulate(scenario, { seed: 5, warmUp: 1_000, runs: 20_000 });
    expect(runsPerSecond / 20).toBeCloseTo(1, 1);
    expect(busy.sandboxes).toBeCloseTo(1, 2);
    expect(capacities(scenario)[0]).toMatchObject({ part: "sandboxes" });
    expect((capacities(scenario)[0]?.runsPerSecond ?? 0) / 20).toBeCloseTo(1, 1);
  });

  it("answers come as often as runs ask, however long people take: also of runs that the model has not seen park", () => {
    const scenario: Scenario = {
      ...queueOf(4, 1, 100),
      script: { calls: 1, toolMs: 0, askShare: 0.5, answerMedianMs: 3_600_000, answerSigma: 1 },
    };
    const { runsPerSecond, latencies } = simulate(scenario, { seed: 9, warmUp: 10_000, runs: 50_000 });
    // Half of a hundred end at once, and as many as park go on.
    expect(runsPerSecond / 100).toBeCloseTo(1, 1);
    // A person's hour is none of the fleet's time.
    expect(percentile(latencies, 1)).toBeLessThan(1_000);
    expect(parkedRuns(100, { ...scenario.script, answerSigma: 0 })).toBe(50 * 3_600);
  });

  it("workers die as often as they should, and every run ends all the same", () => {
    const scenario: Scenario = {
      ...queueOf(8, 5, 50),
      workers: 20,
      script: { calls: 3, toolMs: 50, askShare: 0, answerMedianMs: 0, answerSigma: 0 },
      deaths: { everyMs: 60_000, noticedAfterMs: 1_000, replacedAfterMs: 5_000 },
    };
    const { deaths, ms, latencies } = simulate(scenario, { seed: 11, warmUp: 2_000, runs: 40_000 });
    const expected = (20 * ms) / 65_000;
    expect(deaths).toBeGreaterThan(expected * 0.8);
    expect(deaths).toBeLessThan(expected * 1.2);
    expect(latencies.length).toBe(40_000);
    // A run whose worker has died waits until that is noticed.
    expect(percentile(latencies, 1)).toBeGreaterThan(1_000);
    expect(percentile(latencies, 0.5)).toBeLessThan(400);
  });

  it("looks of idle workers take from the server what they use", () => {
    const scenario = (lookCpu: number): Scenario => {
      const base = queueOf(1, 10, 40);
      return { ...base, workers: 100, demands: { ...base.demands, lookCpu } };
    };
    const [none, half] = [0, 5].map((lookCpu) => mean(simulate(scenario(lookCpu), LONG).latencies));
    expect((none ?? 0) / timeInQueue(1, 10, 40)).toBeCloseTo(1, 1);
    expect((half ?? 0) / timeInQueue(1, 20, 40)).toBeCloseTo(1, 1);
    // Nothing is left for runs where looks need it all.
    expect(capacities(scenario(10))[0]).toEqual({ part: "server's processors", runsPerSecond: 0 });
  });

  it.each([
    [1, 2, 2],
    [1, 1, 2],
    [1, 8, 2],
    [3, 2, 2],
  ])(
    "%i full workers that take %i runs at a time into %i sandboxes do what the arithmetic says",
    (workers, concurrency, sandboxes) => {
      const base = queueOf(8, 1, 1);
      const scenario: Scenario = {
        ...base,
        load: { kind: "closed", open: 200 },
        workers,
        script: { ...base.script, toolMs: 200 },
        worker: { cores: 8, sandboxes, concurrency, pollMs: 100 },
      };
      const [first] = capacities(scenario);
      const { runsPerSecond } = simulate(scenario, { seed: 3, warmUp: 500, runs: 20_000 });
      expect(first?.part).toBe("sandboxes");
      expect(runsPerSecond / (first?.runsPerSecond ?? 0)).toBeCloseTo(1, 1);
    },
  );

  it("the same seed gives the same fleet, another one another", () => {
    const waits = (seed: number): number =>
      mean(simulate(queueOf(1, 10, 80), { seed, warmUp: 100, runs: 1_000 }).latencies);
    expect(waits(1)).toBe(waits(1));
    expect(waits(1)).not.toBe(waits(2));
  });
});

describe("the parts", () => {
  it("chance: uniform, exponential and log-normal have the means that they should", () => {
    const random = createRandom(42);
    const of = (draw: () => number): number => mean(Float64Array.from({ length: 200_000 }, draw));
    expect(of(random)).toBeCloseTo(0.5, 2);
    expect(of(() => exponential(random, 10)) / 10).toBeCloseTo(1, 1);
    expect(of(() => logNormal(random, 10, 0.5)) / (10 * Math.exp(0.125))).toBeCloseTo(1, 1);
    expect(logNormal(random, 10, 0)).toBe(10);
    expect(exponential(random, 0)).toBe(0);
  });

  it("the agenda is in order of time, and of entry at one time", () => {
    const agenda = new Agenda();
    const random = createRandom(1);
    const seen: (readonly [number, number])[] = [];
    for (let index = 0; index < 1_000; index++)
      agenda.after(Math.floor(random() * 50), () => seen.push([agenda.now, index]));
    while (agenda.step());
    const sorted = seen.toSorted(([a, i], [b, j]) => a - b || i - j);
    expect(seen.length).toBe(1_000);
    expect(seen).toEqual(sorted);
  });

  it("a station serves in order and counts the time of its places", () => {
    const agenda = new Agenda();
    const station = new Station(agenda, 2);
    const ends: (readonly [string, number])[] = [];
    for (const [name, ms] of [
      ["a", 10],
      ["b", 20],
      ["c", 5],
    ] as const)
      station.serve(ms, () => ends.push([name, agenda.now]));
    expect(station.waiting).toBe(1);
    while (agenda.step());
    expect(ends).toEqual([
      ["a", 10],
      ["c", 15],
      ["b", 20],
    ]);
    expect(station.busyTime()).toBe(35);
    expect(station.free).toBe(2);
  });

  it("rarer looks cost less, but not nothing", () => {
    expect(looksAt(100)).toBe(1);
    expect(looksAt(undefined)).toBe(1);
    expect(looksAt(1_000)).toBeCloseTo(4 / 13, 9);
  });

  it("what a run leaves grows with its calls, and with its parks", () => {
    const { script } = queueOf(1, 1, 1);
    expect(grown({ run: 1, call: 2, park: 4 }, { ...script, calls: 10, askShare: 0.5 })).toBe(23);
  });

  it("a price is that of the processors and of what is kept", () => {
    const scenario = queueOf(2, 3_600, 1);
    const { used, provided } = priceOfRun(scenario, 1, 1e9, { coreHour: 1, gigabyteMonth: 2, keptDays: 15 });
    // A thousandth of an hour, and a gigabyte for half a month.
    expect(used).toBeCloseTo(0.001 + 1, 9);
    expect(provided).toBeCloseTo(3 / 3_600 + 1, 9);
  });
});
