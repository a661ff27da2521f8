/**
 * The workflow that carries one run on, on whichever worker the server chooses. What the server keeps of it is how
 * often it was carried on and what it waited for; the steps are in the run's journal. When a worker dies, the server
 * begins the same part again on another one, which takes the run over. When the run is parked, the workflow waits for
 * a promise of the server's and holds nothing: no isolate, no process, no connection.
 */
import type { JsonValue } from "@nestbox/tool";
import {
  cancelDurable,
  durableClock,
  type DurableClock,
  type DurableRequest,
  type DurableResult,
  type DurableScript,
  runDurable,
  type RunJournal,
} from "@nestbox/codemode/durable";
import * as restate from "@restatedev/restate-sdk";
import { RestateError } from "../errors.ts";
import { isRecord } from "../guards.ts";
import { JOURNAL_OBJECT, type ParkRequest, RUN_WORKFLOW, type RunEnd } from "../protocol.ts";
import { readSealed, type Sealed, type Sealer } from "../seal.ts";
import type { JournalObject } from "./journal-object.ts";

/** What a worker brings: the powers of the runs come from its configuration, never from a submission. */
export type Carrier = Pick<DurableRequest, "runner" | "callerFor"> &
  Partial<Pick<DurableRequest, "globals" | "describe" | "parking" | "onEvent" | "clock" | "parkAfterMs">>;

export interface RunWorkflowOptions {
  readonly carrierFor: (runId: string) => Carrier | Promise<Carrier>;
  readonly journal: (runId: string) => RunJournal;
  readonly sealer: Sealer;
  /** Lets go of all runs. */
  readonly signal: AbortSignal;
  /** Parts of runs that are carried on in this process, by run. */
  readonly parts: Map<string, Promise<unknown>>;
  readonly suspendAfterMs: number;
  readonly maxActiveMs: number;
  readonly maxParks: number;
  /** Parts of runs at a time in this process. */
  readonly maxActive: number;
}

/** How one part of a run ended, as the server keeps it. */
type Part =
  | { readonly kind: "ended"; readonly outcome: Sealed }
  | { readonly kind: "parked"; readonly keys: readonly string[]; readonly wakeInMs?: number }
  /** There was no room for it: nothing of it was done. */
  | { readonly kind: "full" };

const UNREADABLE = 422;
/** A worker that lets go is on its way out: another one may begin at once. */
const AFTER_RELEASE_MS = 100;
const MAX_RETRY_MS = 10_000;
const FIRST_ROOM_PAUSE_MS = 8_000;
const LONGEST_ROOM_PAUSE_MS = 60_000;

/** Between half of it and all of it: those that came together do not come again together. */
const roomPause = (inVain: number, random: number): number =>
  Math.ceil(
    Math.min(FIRST_ROOM_PAUSE_MS * 1.5 ** Math.min(inVain, 10), LONGEST_ROOM_PAUSE_MS) * (0.5 + random / 2),
  );

export function createRunWorkflow(options: RunWorkflowOptions) {
  const { sealer, maxActiveMs, maxParks } = options;

  async function run(ctx: restate.WorkflowContext, input: unknown): Promise<RunEnd> {
    const runId = ctx.key;
    const sealed = isRecord(input) ? readSealed(input["script"]) : undefined;
    if (sealed === undefined)
      throw new restate.TerminalError("This is no script to run", { errorCode: UNREADABLE });
    let inVain = 0;
    for (let parks = 0; parks <= maxParks;) {
      const part = await cancellable(ctx, runId, () => carryOn(ctx, runId, sealed));
      if (part !== "cancelled" && part.kind === "full") {
        const wakeInMs = roomPause(inVain++, ctx.rand.random());
        await cancellable(ctx, runId, () => waitFor(ctx, runId, { keys: ["cancel"], wakeInMs, room: true }));
        continue;
      }
      inVain = 0;
      parks++;
      if (part === "cancelled") continue;
      if (part.kind === "ended") return { outcome: part.outcome };
      await cancellable(ctx, runId, () => waitFor(ctx, runId, part));
    }
    throw new restate.TerminalError(`The run has been parked more than ${maxParks} times`, {
      errorCode: UNREADABLE,
    });
  }

  /** A cancellation by the server's own means ends the run as a wish to cancel does. */
  async function cancellable<T>(
    ctx: restate.WorkflowContext,
    runId: string,
    work: () => Promise<T>,
  ): Promise<T | "cancelled"> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof restate.CancelledError)) throw error;
      await ctx.run("cancel", () => cancelDurable(options.journal(runId), "Cancelled"));
      return "cancelled";
    }
  }

  async function carryOn(ctx: restate.WorkflowContext, runId: string, sealed: Sealed): Promise<Part> {
    const attempt = ctx.request().attemptCompletedSignal;
    return await ctx.run(
      "carry on",
      () => {
        const before = options.parts.get(runId);
        // The server has a bounded number of invocations under way, and each step of a run is one, too: were all of
        // them runs, none could keep anything. One that finds no room lets go of its own.
        if (before === undefined && options.parts.size >= options.maxActive)
          return Promise.resolve<Part>({ kind: "full" });
        const part = carryOnHere(runId, sealed, AbortSignal.any([attempt, options.signal]), before);
        track(runId, part);
        return part;
      },
      { maxRetryInterval: MAX_RETRY_MS },
    );
  }

  function track(runId: string, part: Promise<unknown>): void {
    const done = (): void => {
      if (options.parts.get(runId) === part) options.parts.delete(runId);
    };
    options.parts.set(runId, part);
    part.then(done, done);
  }

  async function carryOnHere(
    runId: string,
    sealed: Sealed,
    signal: AbortSignal,
    before: Promise<unknown> | undefined,
  ): Promise<Part> {
    // The server has lost sight of an attempt that is still here: what it has under way is kept first.
    if (before !== undefined) await Promise.allSettled([before]);
    const script = await readScript(runId, sealed);
    const carrier = await options.carrierFor(runId);
    const result = await runDurable({ ...carrier, journal: options.journal(runId), script, signal });
    return await partOf(runId, result, carrier.clock ?? durableClock);
  }

  async function partOf(runId: string, result: DurableResult, clock: DurableClock): Promise<Part> {
    if (result.state === "ended") {
      const outcome = await sealer.seal(runId, result.outcome as unknown as JsonValue);
      return { kind: "ended", outcome };
    }
    if (result.state === "parked") {
      const { waitingFor, wakeAt } = result;
      return {
        kind: "parked",
        keys: [...waitingFor.map(({ key }) => key), "cancel"],
        ...(wakeAt === undefined ? {} : { wakeInMs: Math.max(0, Math.ceil(wakeAt - clock.now())) }),
      };
    }
    const { halt } = result;
    switch (halt.kind) {
      case "released":
        throw new restate.RetryableError(halt.message, { retryAfter: AFTER_RELEASE_MS });
      case "changed":
      case "diverged":
        // Nothing gets better by itself: it stands still, and says why, until somebody resumes it.
        throw new restate.PauseError(halt.message);
      default:
        throw new Error(halt.message);
    }
  }

  async function readScript(runId: string, sealed: Sealed): Promise<DurableScript> {
    const script = await sealer.open(runId, sealed);
    if (!isRecord(script) || typeof script["code"] !== "string")
      throw new RestateError("misuse", "This is no script to run");
    // Checked where a run begins.
    return script as unknown as DurableScript;
  }

  /** The promise first, its name in the journal second: a wake is found by the one or tells the other. */
  async function waitFor(
    ctx: restate.WorkflowContext,
    runId: string,
    { keys, wakeInMs, room }: Omit<ParkRequest, "awakeable"> & { readonly wakeInMs?: number },
  ): Promise<void> {
    const { id: awakeable, promise } = ctx.awakeable<string>();
    const journal = ctx.objectClient<JournalObject>({ name: JOURNAL_OBJECT }, runId);
    const isWoken = await journal.park({ awakeable, keys, ...(room === undefined ? {} : { room }) });
    if (isWoken) return;
    await (wakeInMs === undefined
      ? promise
      : restate.RestatePromise.race([promise, ctx.sleep(wakeInMs, "next timer")]));
  }

  return restate.workflow({
    name: RUN_WORKFLOW,
    handlers: {
      run: restate.handlers.workflow.workflow<RunEnd, unknown>(
        // A script that runs says nothing to the server either: asked to suspend, it does so when it parks or ends,
        // and silence is no reason to end its attempt.
        { inactivityTimeout: options.suspendAfterMs, abortTimeout: maxActiveMs, asTerminalError },
        run,
      ),
    },
  });
}

/** Misuse stays misuse, however often it is tried. */
function asTerminalError(error: unknown): restate.TerminalError | undefined {
  if (!isRecord(error) || error["code"] !== "misuse" || error instanceof restate.TerminalError)
    return undefined;
  return new restate.TerminalError(String(error["message"]), { errorCode: UNREADABLE });
}
