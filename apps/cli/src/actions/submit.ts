/** `nestbox submit`: gives a script to the fleet, and waits for its end where that is wanted. */
import { basename, extname } from "node:path";

import { parseScriptSource, type ScriptLimits, type ScriptOutcome } from "@nestbox/codemode";
import type { DurableScript } from "@nestbox/codemode/durable";

import { scriptSource } from "../compose/read-script.ts";
import { ScriptSourceError } from "../compose/script-source-error.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { type FleetEngine, FleetError, type FleetRun } from "../fleet/engine.ts";
import { findAgain } from "../fleet/find-run.ts";
import { type FleetWorld, whileAway } from "../fleet/fleet-world.ts";
import { nextCommand } from "../fleet/next-command.ts";
import { outcomeJson, writeOutcome } from "../fleet/outcome-words.ts";
import { runJson } from "../fleet/run-words.ts";
import { type Streams, tellOn, writeJsonLine } from "../output.ts";
import { count } from "../report/human.ts";
import { oneLine } from "../report/safe-text.ts";
import { UsageError } from "../usage-error.ts";

export interface SubmitOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly eval?: string;
  readonly id?: string;
  /** Milliseconds from the run's start, parked or not. */
  readonly deadline?: number;
  readonly memoryMb?: number;
  /** `name=value`, for the script's `load`. */
  readonly data?: readonly string[];
  readonly wait?: boolean;
}

/** How often is looked how far a run is that is waited for. */
const LOOK_MS = 500;

export async function submit(
  script: string | undefined,
  options: SubmitOptions,
  streams: Streams,
  signal: AbortSignal,
  world: FleetWorld,
): Promise<number> {
  const tell = tellOn(streams);
  const source = await scriptSource(script, options.eval, process.cwd(), streams.stdin, signal);
  const submission = submissionOf(source, options, tell);
  const runId = options.id ?? `${nameOf(script)}-${world.fresh()}`;
  const hinting = (error: unknown): never => {
    throw withHint(error, options);
  };
  await using engine = await world.open(options).catch(hinting);
  const sent = await engine.submit(runId, submission).catch(hinting);
  if (!sent.begun && !sent.same)
    throw new UsageError(
      `The id ${oneLine(runId)} belongs to a run of another script. Choose another --id, or leave it out.`,
    );
  if (options.wait === true) {
    tell(sent.begun ? `submitted as ${runId}` : `${runId} had been submitted before`);
    return await awaitRun(engine, runId, { ...options, begun: sent.begun }, streams, signal, world);
  }
  if (options.json === true) writeJsonLine(streams, { ok: true, runId, begun: sent.begun });
  else {
    streams.stdout.write(`${runId}\n`);
    tell(
      `${sent.begun ? "submitted" : "had been submitted before, and is not begun again"}; to see it: ${nextCommand(["logs", runId, "--follow"], options)}`,
    );
  }
  return exitCodes.ok;
}

/** Of a fleet that has had no worker yet, an engine says what it lacks and not what to do. */
function withHint(error: unknown, options: { readonly config?: string }): unknown {
  return error instanceof FleetError && error.kind === "refused"
    ? new FleetError(
        "refused",
        `${error.message}. A fleet takes runs once it has had a worker; start one first: ${nextCommand(["worker"], options)}`,
        {
          cause: error,
        },
      )
    : error;
}

/** A script and limits: tools and policy are the worker's. Throws `UsageError`. */
function submissionOf(
  source: string,
  options: SubmitOptions,
  tell: (message: string) => void,
): DurableScript {
  const parsed = parseScriptSource(source);
  if (!parsed.ok) throw new ScriptSourceError(parsed.message);
  if (parsed.options.timeoutMs !== undefined)
    tell("the script's own timeout counts the time of one process and is left out; a run has a --deadline");
  const store = storeOf(options.data ?? []);
  const limits: Partial<ScriptLimits> = options.memoryMb === undefined ? {} : { memoryMb: options.memoryMb };
  return {
    code: parsed.code,
    ...(Object.keys(store).length === 0 ? {} : { store }),
    ...(options.memoryMb === undefined ? {} : { limits }),
    ...(options.deadline === undefined ? {} : { deadlineMs: options.deadline }),
  };
}

/** What is JSON is that value, anything else a text. */
function storeOf(words: readonly string[]): Readonly<Record<string, string>> {
  const pairs = words.map((word) => {
    const at = word.indexOf("=");
    if (at < 1) throw new UsageError(`--data ${word}: it must be name=value.`);
    const value = word.slice(at + 1);
    return [word.slice(0, at), isJson(value) ? value : JSON.stringify(value)] as const;
  });
  return Object.fromEntries(pairs);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The beginning of a fresh id: what the script is called, as far as an id may have it. */
function nameOf(script: string | undefined): string {
  const name =
    script === undefined || script === "-"
      ? ""
      : basename(script, extname(script))
          .replaceAll(/[^A-Za-z0-9_]+/g, "-")
          .replaceAll(/^-+|-+$/g, "");
  return name.slice(0, 40) || "run";
}

/** Until the run ends or halts, or the command is interrupted, which leaves the run as it is. */
async function awaitRun(
  engine: FleetEngine,
  runId: string,
  options: { readonly config?: string; readonly json?: boolean; readonly begun: boolean },
  streams: Streams,
  signal: AbortSignal,
  world: FleetWorld,
): Promise<number> {
  const tell = tellOn(streams);
  const report = (outcome: ScriptOutcome): number => {
    if (options.json === true)
      writeJsonLine(streams, { ...outcomeJson(outcome), runId, begun: options.begun });
    else writeOutcome(outcome, runId, streams);
    return outcome.ok ? exitCodes.ok : exitCodeOf(outcome.error.kind);
  };
  let told = "";
  let seen = false;
  while (!signal.aborted) {
    // One that was there and is not has been removed: it has no end any more that could be waited for.
    const look = () => (seen ? findAgain(engine, runId, world, signal) : engine.status(runId));
    const run = await whileAway(look, world, signal, tell);
    if (run === undefined && signal.aborted) break;
    seen ||= run !== undefined;
    if (run?.state === "ended") {
      const outcome = await whileAway(() => engine.result(runId, { signal }), world, signal, tell);
      if (outcome === undefined) break;
      return report(outcome);
    }
    if (run?.state === "halted") {
      tell(
        `${runId} is halted: ${run.message ?? "nothing says why"}. To let it try again: ${nextCommand(["resume", runId], options)}`,
      );
      if (options.json === true)
        writeJsonLine(streams, { ok: false, error: haltError(run), run: runJson(run), begun: options.begun });
      return exitCodes.fleet;
    }
    const note = run === undefined ? "" : waitNote(run, options);
    if (note !== "" && note !== told) tell(`${runId} ${note}`);
    told = note;
    await world.pause(LOOK_MS, signal);
  }
  tell(
    `${runId} goes on without this command; to see it: ${nextCommand(["logs", runId, "--follow"], options)}, to end it: ${nextCommand(["cancel", runId], options)}`,
  );
  if (options.json === true)
    writeJsonLine(streams, {
      ok: false,
      error: { kind: "aborted", name: "AbortError", message: "Interrupted; the run goes on", line: null },
      runId,
      begun: options.begun,
    });
  return exitCodes.aborted;
}

function haltError(run: FleetRun) {
  return { kind: "fleet", name: "FleetError", message: run.message ?? "The run is halted", line: null };
}

function waitNote({ runId, state, waitingFor = 0 }: FleetRun, options: { readonly config?: string }): string {
  return state === "parked" && waitingFor > 0
    ? `waits for ${count(waitingFor, "answer")}: ${nextCommand(["approve", runId], options)}`
    : "";
}
