/** One part of a run, on this worker: from where its journal is to its end, to where it parks, or to where it halts. */
import {
  cancelDurable,
  type DurableRequest,
  type DurableResult,
  type DurableScript,
  runDurable,
} from "@nestbox/codemode/durable";
import { DbosError, messageOf } from "../errors.ts";
import type { OpenRuns } from "./runs.ts";
import { parse } from "./values.ts";

/** What a worker brings: the powers of the runs come from its configuration, never from a submission. */
export type Carrier = Pick<DurableRequest, "runner" | "callerFor"> &
  Partial<Pick<DurableRequest, "globals" | "describe" | "parking" | "onEvent" | "clock" | "parkAfterMs">>;

export interface CarryOnOptions {
  readonly runs: OpenRuns;
  readonly carrierFor: (runId: string) => Carrier | Promise<Carrier>;
  readonly deployment: string;
  /** Lets go of all runs. */
  readonly signal: AbortSignal;
  /** Aborted: the worker has closed, and nothing can be kept any more. */
  readonly closed: AbortSignal;
  readonly onLog: (level: string, message: string) => void;
}

/** What DBOS keeps of a part: nothing that a script or a tool has said. */
export type PartEnd = "ended" | "parked" | "halted" | "released" | "taken over" | "stale";

/** Failures of a sandbox or of the journal that are tried again before the run halts. */
const MAX_FAILURES = 5;
const FAILURE_PAUSE_MS = 500;
const AWAY_PAUSE_MS = 1_000;
const LONGEST_AWAY_PAUSE_MS = 10_000;

export async function carryOn(
  options: CarryOnOptions,
  runId: string,
  part: number,
  cancelled: AbortSignal | undefined,
): Promise<PartEnd> {
  const { runs, signal, closed, onLog } = options;
  const cancel = (): void => {
    // DBOS's own means to cancel end the run as ours do.
    cancelDurable(runs.run(runId), "Cancelled").catch((error: unknown) =>
      onLog("warn", `The run ${runId} could not be cancelled: ${messageOf(error)}`),
    );
  };
  cancelled?.addEventListener("abort", cancel, { once: true });
  try {
    for (let away = 0; ; away++) {
      // Again where it could not be kept: the first wish counts.
      if (cancelled?.aborted === true) cancel();
      try {
        const end = await attempt(options, runId, part);
        if (away > 0) onLog("info", `The run ${runId} could be kept again`);
        return end;
      } catch (error) {
        if (away === 0)
          onLog("warn", `The run ${runId} stays here until it can be kept again: ${messageOf(error)}`);
      }
      // Its rows say that it runs here, and whatever the reason, nobody could change them: were it let go of now, no
      // worker would take it. Once this one has closed it is as one that is dead, whose runs others take.
      if (closed.aborted) return await new Promise<never>(() => undefined);
      await awayPause(options, signal.aborted ? 0 : away);
    }
  } finally {
    cancelled?.removeEventListener("abort", cancel);
  }
}

async function attempt(options: CarryOnOptions, runId: string, part: number): Promise<PartEnd> {
  const { runs, signal } = options;
  const { parts } = runs;
  const begun = await parts.begin(runId, part, options.deployment);
  if (begun === undefined) return "stale";
  for (let failures = 0; ;) {
    const journal = runs.journal(runId);
    const halt = async (message: string): Promise<PartEnd> => {
      await parts.stop(runId, part, journal.owner(), "halted", message);
      return "halted";
    };
    let result: DurableResult;
    try {
      const carrier = await options.carrierFor(runId);
      result = await runDurable({ ...carrier, journal, script: readScript(begun.script), signal });
    } catch (error) {
      return await halt(messageOf(error));
    }
    if (result.state === "ended") {
      await parts.stop(runId, part, journal.owner(), "ended");
      return "ended";
    }
    if (result.state === "parked") {
      const keys = [...result.waitingFor.map(({ key }) => key), "cancel"];
      if (await parts.park(runId, part, journal.owner() ?? "", keys, result.wakeAt)) return "parked";
      continue;
    }
    if (result.halt.kind === "released") {
      await parts.release(runId, part, journal.owner());
      return "released";
    }
    if (journal.lost()) return "taken over";
    // That does not count against the run: it is none of its failures, and may last.
    if (journal.away()) throw new DbosError("unreachable", result.halt.message);
    const mayPass = result.halt.kind === "sandbox" || result.halt.kind === "journal";
    if (!mayPass || ++failures > MAX_FAILURES) return await halt(result.halt.message);
    await pause(options, FAILURE_PAUSE_MS * failures);
  }
}

async function pause({ runs }: CarryOnOptions, ms: number): Promise<void> {
  await new Promise<void>((resolve) => runs.clock.after(ms, resolve));
}

/** Longer each time, and cut short when the worker is to let go. */
async function awayPause({ runs, signal }: CarryOnOptions, before: number): Promise<void> {
  const ms = Math.min(AWAY_PAUSE_MS * 2 ** Math.min(before, 10), LONGEST_AWAY_PAUSE_MS);
  await new Promise<void>((resolve) => {
    const cancel = runs.clock.after(ms, done);
    function done(): void {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done, { once: true });
  });
}

function readScript(text: string): DurableScript {
  const script = parse(text);
  if (typeof script !== "object" || script === null || !("code" in script) || typeof script.code !== "string")
    throw new DbosError("misuse", "This is no script to run");
  // The rest of it is checked where a run begins.
  return script as unknown as DurableScript;
}
