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
}

/** What DBOS keeps of a part: nothing that a script or a tool has said. */
export type PartEnd = "ended" | "parked" | "halted" | "released" | "taken over" | "stale";

/** Failures of a sandbox or of the journal that are tried again before the run halts. */
const MAX_FAILURES = 5;
const FAILURE_PAUSE_MS = 500;
const AWAY_PAUSE_MS = 1_000;

export async function carryOn(
  options: CarryOnOptions,
  runId: string,
  part: number,
  cancelled: AbortSignal | undefined,
): Promise<PartEnd> {
  const { runs, signal } = options;
  const cancel = (): void => {
    // DBOS's own means to cancel end the run as ours do. Where it fails, the run has ended already.
    cancelDurable(runs.run(runId), "Cancelled").catch(() => undefined);
  };
  if (cancelled?.aborted === true) cancel();
  cancelled?.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      try {
        return await attempt(options, runId, part);
      } catch (error) {
        const isAway = error instanceof DbosError && error.code === "unreachable";
        if (!isAway || signal.aborted) throw error;
      }
      // Its rows say that it runs here, and nobody can change them: it stays here until somebody can.
      await pause(options, AWAY_PAUSE_MS);
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
    const mayPass = result.halt.kind === "sandbox" || result.halt.kind === "journal";
    if (!mayPass || ++failures > MAX_FAILURES) return await halt(result.halt.message);
    await pause(options, FAILURE_PAUSE_MS * failures);
  }
}

async function pause({ runs }: CarryOnOptions, ms: number): Promise<void> {
  await new Promise<void>((resolve) => runs.clock.after(ms, resolve));
}

function readScript(text: string): DurableScript {
  const script = parse(text);
  if (typeof script !== "object" || script === null || !("code" in script) || typeof script.code !== "string")
    throw new DbosError("misuse", "This is no script to run");
  // The rest of it is checked where a run begins.
  return script as unknown as DurableScript;
}
