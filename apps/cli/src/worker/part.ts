/**
 * One part of a run, from when the engine gives it to this worker to when the worker lets go of it. The engine does not
 * tell a worker how a part ended: what the script's end does not say, the run's state does, which is asked for then.
 */
import type { ScriptOutcome } from "@nestbox/codemode";

import type { FleetRun } from "../fleet/engine.ts";
import type { HaltReason, PartEnd, RunOutcome, WorkerListener } from "./events.ts";

export interface PartOptions {
  readonly runId: string;
  readonly now: () => number;
  readonly tell: WorkerListener;
  /** The run as the engine has it; rejects while the engine is away. */
  readonly status: () => Promise<FleetRun | undefined>;
  /** Whether the worker lets go of everything. */
  readonly draining: () => boolean;
  /** Calls back once after `ms`. */
  readonly after: (ms: number, run: () => void) => unknown;
  /** Told last. */
  readonly onSettled: () => void;
}

/** How long a part that nothing of was run is waited for, and then between two looks. */
const LOOK_MS = [200, 500, 1_000, 1_000, 2_000, 2_000, 2_000, 5_000, 10_000] as const;
const IDLE_MS = 2_000;

export class Part {
  readonly runId: string;
  readonly #options: PartOptions;
  readonly #takenAt: number;
  #begunAt: number | undefined;
  /** Attempts at running the script that are under way: one, but where a sandbox was tried again. */
  #running = 0;
  #asked = false;
  #settled = false;

  constructor(options: PartOptions) {
    this.#options = options;
    this.runId = options.runId;
    this.#takenAt = options.now();
  }

  /** The engine has what the run begins with, and the script is due now or will never be. */
  prepared(): void {
    this.#options.after(IDLE_MS, () => {
      if (this.#begunAt === undefined) void this.#look("idle");
    });
  }

  /** `startedAt`: when the run began, wherever that was. */
  begin(startedAt: number | undefined): void {
    this.#running++;
    if (this.#begunAt !== undefined) return;
    this.#begunAt = this.#options.now();
    const resumed = startedAt !== undefined && startedAt < Math.floor(this.#takenAt);
    this.#options.tell({ type: "run.begun", runId: this.runId, resumed });
  }

  /** One of its calls waits for a person. */
  asked(): void {
    this.#asked = true;
  }

  /** `undefined`: the runner threw. */
  ran(outcome: ScriptOutcome | undefined): void {
    this.#running--;
    if (outcome?.ok === true) this.#settle({ kind: "ended", outcome: "ok" });
    else if (outcome !== undefined && outcome.error.kind !== "aborted" && outcome.error.kind !== "sandbox")
      this.#settle({ kind: "ended", outcome: outcome.error.kind });
    else void this.#look("stopped");
  }

  /** The engine gives the run to this worker again: the part before is over. */
  replaced(): void {
    if (this.#begunAt !== undefined) this.#settle(this.#guess());
    else this.#forget();
  }

  async #look(why: "idle" | "stopped"): Promise<void> {
    for (const ms of LOOK_MS) {
      if (this.#settled || this.#running > 0) return;
      let run: FleetRun | undefined;
      try {
        run = await this.#options.status();
      } catch {
        // The engine is away; it is asked again.
      }
      if (this.#settled || this.#running > 0) return;
      const end = run === undefined ? undefined : endOf(run);
      if (end !== undefined) return this.#settle(end);
      // It is due again, here or elsewhere: this part of it is over.
      if (run?.state === "queued") return this.#settle(this.#guess());
      if (this.#options.draining()) return this.#settle({ kind: "released" });
      await new Promise<void>((resolve) => this.#options.after(ms, resolve));
    }
    // Nobody says what became of it. One of which nothing was run here is none of ours to tell of.
    if (why === "stopped" && this.#running === 0) this.#settle(this.#guess());
    else if (this.#begunAt === undefined) this.#forget();
  }

  #guess(): PartEnd {
    return this.#asked && !this.#options.draining() ? { kind: "parked" } : { kind: "released" };
  }

  #settle(end: PartEnd): void {
    if (this.#settled) return;
    const begunAt = this.#begunAt;
    this.#options.tell({
      type: "run.let-go",
      runId: this.runId,
      end,
      durationMs: begunAt === undefined ? undefined : this.#options.now() - begunAt,
    });
    this.#forget();
  }

  #forget(): void {
    this.#settled = true;
    this.#options.onSettled();
  }
}

/** `undefined`: what the engine says does not tell how this part ended. */
function endOf(run: FleetRun): PartEnd | undefined {
  switch (run.state) {
    case "parked":
      return { kind: "parked" };
    case "halted":
      return { kind: "halted", why: haltReason(run.message ?? "") };
    case "ended": {
      const outcome: RunOutcome = run.ok === undefined ? "unknown" : run.ok ? "ok" : "aborted";
      return { kind: "ended", outcome };
    }
    case "queued":
    case "running":
      return undefined;
  }
}

/** The message itself may quote arguments, and a log is read by more people than a run. */
function haltReason(message: string): HaltReason {
  if (message.includes("began under other conditions")) return "changed";
  if (message.includes("diverged from its journal")) return "diverged";
  return "other";
}
