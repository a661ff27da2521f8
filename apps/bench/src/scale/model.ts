/**
 * Runs through a fleet, event by event: submission, queue, a worker's look or the engine's hand, a sandbox, the script's
 * start, its calls, a person's answer, the end; and the deaths of workers. Work of processors is exponential around its
 * mean. What it leaves out stands in docs/scale.md.
 */
import { Agenda } from "./agenda.ts";
import { type Process, serve, start, take, type Wait } from "./process.ts";
import { createRandom, exponential, logNormal, type Random } from "./random.ts";
import type { Demand, Scenario } from "./scenario.ts";
import { Station } from "./station.ts";

export interface SimulateOptions {
  readonly seed: number;
  /** Runs that end before anything is counted, and that are counted. */
  readonly warmUp: number;
  readonly runs: number;
}

export interface Simulated {
  readonly runsPerSecond: number;
  /** From the submission to the end, a person's time left out; sorted. */
  readonly latencies: Float64Array;
  /** From where a part is due to where a worker has it; sorted. */
  readonly queueWaits: Float64Array;
  /** Part of the time for which places were held. */
  readonly busy: { readonly workerCores: number; readonly sandboxes: number; readonly server: number };
  readonly deaths: number;
  /** Simulated milliseconds that were counted. */
  readonly ms: number;
}

interface Worker {
  readonly cpu: Station;
  readonly sandboxes: Station;
  readonly phase: number;
  slots: number;
  isDead: boolean;
}

interface Part {
  readonly dueAt: number;
  readonly taken: (worker: Worker) => void;
}

export function simulate(scenario: Scenario, { seed, warmUp, runs }: SimulateOptions): Simulated {
  return new Model(scenario, createRandom(seed)).measure(warmUp, runs);
}

class Model {
  readonly #scenario: Scenario;
  readonly #random: Random;
  readonly #agenda = new Agenda();
  readonly #shared: Station | undefined;
  readonly #server: Station;
  readonly #client: Station;
  readonly #workers: Worker[] = [];
  readonly #gone: Worker[] = [];
  /** Parts that are due and that no worker has. */
  readonly #queue: Part[] = [];
  #head = 0;
  /** When the next look is that finds something due. */
  #lookAt = Number.POSITIVE_INFINITY;
  #latencies: number[] = [];
  #queueWaits: number[] = [];
  #ended = 0;
  #deaths = 0;
  /** What the looks of idle workers leave of the server's processors. */
  readonly #serverSpeed: number;

  constructor(scenario: Scenario, random: Random) {
    this.#scenario = scenario;
    this.#random = random;
    const { server, sharedCores, workers, demands } = scenario;
    this.#shared = sharedCores === undefined ? undefined : new Station(this.#agenda, sharedCores);
    this.#server = this.#shared ?? new Station(this.#agenda, server.cores);
    // Whoever submits has processors of their own and never waits for one.
    this.#client = this.#shared ?? new Station(this.#agenda, Number.MAX_SAFE_INTEGER);
    this.#serverSpeed = Math.max(0.01, 1 - (workers * demands.lookCpu) / 1_000 / this.#server.places);
    for (let index = 0; index < workers; index++) this.#begin();
  }

  measure(warmUp: number, runs: number): Simulated {
    const agenda = this.#agenda;
    const { load, script } = this.#scenario;
    if (load.kind === "closed") {
      for (let index = 0; index < load.open; index++) this.#submit(true);
    } else {
      this.#arrive(load.runsPerSecond);
      if (script.askShare > 0) this.#answerOld(load.runsPerSecond * script.askShare);
    }
    const until = (count: number): void => {
      while (this.#ended < count) if (!agenda.step()) throw new Error("Nothing happens any more");
    };
    until(warmUp);
    const before = this.#busyTimes();
    const [from, deaths] = [agenda.now, this.#deaths];
    [this.#latencies, this.#queueWaits] = [[], []];
    until(warmUp + runs);
    const after = this.#busyTimes();
    const ms = agenda.now - from;
    const { workers, worker } = this.#scenario;
    const part = (name: keyof typeof after, places: number): number =>
      (after[name] - before[name]) / ms / places;
    return {
      runsPerSecond: (runs / ms) * 1_000,
      latencies: Float64Array.from(this.#latencies).sort(),
      queueWaits: Float64Array.from(this.#queueWaits).sort(),
      busy: {
        workerCores: part("workers", this.#shared?.places ?? workers * worker.cores),
        sandboxes: part("sandboxes", workers * worker.sandboxes),
        server: part("server", this.#server.places),
      },
      deaths: this.#deaths - deaths,
      ms,
    };
  }

  #busyTimes(): { readonly workers: number; readonly sandboxes: number; readonly server: number } {
    const all = [...this.#workers, ...this.#gone];
    const sum = (of: (worker: Worker) => Station): number =>
      all.reduce((total, worker) => total + of(worker).busyTime(), 0);
    return {
      workers: this.#shared?.busyTime() ?? sum(({ cpu }) => cpu),
      sandboxes: sum(({ sandboxes }) => sandboxes),
      server: this.#server.busyTime(),
    };
  }

  #begin(): void {
    const { worker, deaths } = this.#scenario;
    const phase = (worker.pollMs ?? 0) * this.#random();
    const born: Worker = {
      cpu: this.#shared ?? new Station(this.#agenda, worker.cores),
      sandboxes: new Station(this.#agenda, worker.sandboxes),
      phase,
      slots: worker.concurrency,
      isDead: false,
    };
    this.#workers.push(born);
    this.#look();
    if (deaths === undefined) return;
    this.#agenda.after(exponential(this.#random, deaths.everyMs), () => {
      born.isDead = true;
      this.#deaths++;
      this.#workers.splice(this.#workers.indexOf(born), 1);
      this.#gone.push(born);
      this.#agenda.after(deaths.replacedAfterMs, () => this.#begin());
    });
  }

  #arrive(perSecond: number): void {
    this.#agenda.after(exponential(this.#random, 1_000 / perSecond), () => {
      this.#submit(false);
      this.#arrive(perSecond);
    });
  }

  /**
   * Runs that were parked before the first moment, and are answered after it: answers of all runs come as often as runs
   * park, and are of old ones as long as those that the model has seen park have not been answered.
   */
  #answerOld(perSecond: number): void {
    const { script } = this.#scenario;
    this.#agenda.after(exponential(this.#random, 1_000 / perSecond), () => {
      const took = logNormal(this.#random, script.answerMedianMs, script.answerSigma);
      if (took > this.#agenda.now) start(this.#agenda, this.#goOn());
      this.#answerOld(perSecond);
    });
  }

  #submit(isClosed: boolean): void {
    start(this.#agenda, this.#run(isClosed));
  }

  *#run(isClosed: boolean): Process {
    const { demands, script } = this.#scenario;
    const begun = this.#agenda.now;
    let answering = 0;
    yield serve(this.#client, this.#some(demands.clientCpu));
    // A third of a run is to submit it, a third to begin it, a third to end it.
    yield* this.#work(this.#server, this.#client, demands.run, 1 / 3, 0);
    const asks = script.askShare > 0 && this.#random() < script.askShare;
    yield* this.#part(script.calls, asks ? "parks" : "ends");
    if (asks) {
      answering = logNormal(this.#random, script.answerMedianMs, script.answerSigma);
      yield answering;
      yield* this.#part(0, "goes on");
    }
    this.#end(this.#agenda.now - begun - answering);
    if (isClosed) this.#submit(true);
  }

  *#goOn(): Process {
    const begun = this.#agenda.now;
    yield* this.#part(0, "goes on");
    this.#end(this.#agenda.now - begun);
  }

  #end(latency: number): void {
    this.#ended++;
    this.#latencies.push(latency);
  }

  /** One part of a run; when its worker dies it begins again elsewhere. */
  *#part(calls: number, how: "parks" | "ends" | "goes on"): Process {
    const { demands, script, deaths } = this.#scenario;
    for (;;) {
      const worker = yield* this.#beTaken();
      const { sandboxes } = worker;
      yield take(sandboxes);
      const steps: (() => Process)[] = [];
      const work = (demand: Demand, share: number): void => {
        steps.push(() => this.#work(this.#server, worker.cpu, demand, share, share));
      };
      if (how !== "goes on") work(demands.run, 1 / 3);
      else work(demands.park, 1 / 2);
      for (let call = 0; call < calls; call++) {
        work(demands.call, 1);
        if (script.toolMs > 0) steps.push(() => this.#pause(script.toolMs));
      }
      if (how === "parks") work(demands.park, 1 / 2);
      else work(demands.run, 1 / 3);
      for (const step of steps) {
        yield* step();
        if (worker.isDead) break;
      }
      sandboxes.give();
      if (!worker.isDead) {
        worker.slots++;
        this.#look();
        return;
      }
      yield deaths?.noticedAfterMs ?? 0;
    }
  }

  *#pause(mean: number): Process {
    yield exponential(this.#random, mean);
  }

  /** The worker's share of a third, too, goes to the two thirds that it has to do with. */
  *#work(server: Station, worker: Station, demand: Demand, share: number, workerShare: number): Process {
    const isThird = share === 1 / 3;
    yield serve(server, this.#some(demand.serverCpu * share) / this.#serverSpeed);
    yield demand.delay * share;
    if (workerShare > 0) yield serve(worker, this.#some(demand.workerCpu * (isThird ? 1 / 2 : workerShare)));
  }

  #some(mean: number): number {
    return exponential(this.#random, mean);
  }

  *#beTaken(): Generator<Wait, Worker, void> {
    const { agenda, found } = { agenda: this.#agenda, found: [] as Worker[] };
    const arrived = new Station(agenda, 1);
    arrived.take(() => undefined);
    const dueAt = agenda.now;
    this.#queue.push({
      dueAt,
      taken: (worker) => {
        this.#queueWaits.push(agenda.now - dueAt);
        found.push(worker);
        arrived.give();
      },
    });
    this.#look();
    yield take(arrived);
    const [worker] = found;
    if (worker === undefined) throw new Error("A part was taken by nobody");
    return worker;
  }

  /** Hands out what is due: at once where the engine brings it, at the next look of a worker with room where it does not. */
  #look(): void {
    if (this.#head === this.#queue.length) return;
    const { pollMs } = this.#scenario.worker;
    if (pollMs === undefined) {
      while (this.#head < this.#queue.length) {
        const worker = this.#anyFree();
        if (worker === undefined) return;
        this.#hand(worker);
      }
      return;
    }
    const next = this.#nextLook(pollMs);
    if (next === undefined) return;
    const at = this.#agenda.now + next.inMs;
    if (at >= this.#lookAt) return;
    this.#lookAt = at;
    this.#agenda.after(next.inMs, () => {
      // Another worker has got room since, and looked sooner.
      if (this.#lookAt !== at) return;
      this.#lookAt = Number.POSITIVE_INFINITY;
      while (!next.worker.isDead && next.worker.slots > 0 && this.#head < this.#queue.length)
        this.#hand(next.worker);
      this.#look();
    });
  }

  #anyFree(): Worker | undefined {
    const pick = (from: readonly Worker[]): Worker | undefined =>
      from[Math.floor(this.#random() * from.length)];
    const any = pick(this.#workers);
    return any === undefined || any.slots > 0 ? any : pick(this.#workers.filter(({ slots }) => slots > 0));
  }

  #hand(worker: Worker): void {
    const part = this.#queue[this.#head];
    if (part === undefined) return;
    this.#head++;
    if (this.#head > 1_000 && this.#head * 2 > this.#queue.length) {
      this.#queue.splice(0, this.#head);
      this.#head = 0;
    }
    worker.slots--;
    part.taken(worker);
  }

  /** Each worker looks at its own moments of every interval. */
  #nextLook(pollMs: number): { readonly worker: Worker; readonly inMs: number } | undefined {
    let best: { readonly worker: Worker; readonly inMs: number } | undefined;
    const { now } = this.#agenda;
    for (const worker of this.#workers) {
      if (worker.slots === 0) continue;
      const into = (now - worker.phase) % pollMs;
      // Just looked: not again in this moment.
      const inMs = into < 0 ? -into : pollMs - into;
      if (best === undefined || inMs < best.inMs) best = { worker, inMs };
    }
    return best;
  }
}
