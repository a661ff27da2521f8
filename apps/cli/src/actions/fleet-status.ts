/** `nestbox status`, `cancel` and `resume`: what runs there are, and the two words that end one or let it go on. */
import type { ScriptError } from "@nestbox/codemode";
import { cancelDurable } from "@nestbox/codemode/durable";
import { shorten } from "@nestbox/tool";

import { exitCodes } from "../exit-codes.ts";
import type { FleetEngine, FleetRun } from "../fleet/engine.ts";
import { findRun } from "../fleet/find-run.ts";
import type { FleetWorld } from "../fleet/fleet-world.ts";
import { nextCommand } from "../fleet/next-command.ts";
import { outcomeJson, writeOutcome } from "../fleet/outcome-words.ts";
import {
  listLines,
  paintedState,
  questionJson,
  questionLines,
  runFacts,
  runJson,
  stateWord,
} from "../fleet/run-words.ts";
import { type Streams, tellOn, writeJsonLine } from "../output.ts";
import { colorsFor } from "../report/colors.ts";
import { oneLine } from "../report/safe-text.ts";
import { terminalColumns, wrapped } from "../report/width.ts";

export interface StatusOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly limit: number;
}

export async function status(
  runId: string | undefined,
  options: StatusOptions,
  streams: Streams,
  world: FleetWorld,
): Promise<number> {
  await using engine = await world.open(options);
  if (runId === undefined) return await list(engine, options, streams, world);
  return await one(engine, runId, options, streams, world);
}

async function list(
  engine: FleetEngine,
  { limit, json }: StatusOptions,
  streams: Streams,
  world: FleetWorld,
): Promise<number> {
  const runs = await engine.runs({ limit });
  if (json === true) {
    writeJsonLine(streams, { ok: true, runs: runs.map(runJson) });
    return exitCodes.ok;
  }
  const colors = colorsFor(streams.stdout, process.env);
  if (runs.length === 0) tellOn(streams)("there are no runs; nestbox submit begins one");
  else
    for (const line of listLines(runs, world.now(), colors, terminalColumns(streams.stdout)))
      streams.stdout.write(`${line}\n`);
  if (runs.length === limit) tellOn(streams)(`the newest ${limit}; for more: --limit`);
  return exitCodes.ok;
}

async function one(
  engine: FleetEngine,
  runId: string,
  options: StatusOptions,
  streams: Streams,
  world: FleetWorld,
): Promise<number> {
  const run = await findRun(engine, runId);
  const questions = run.state === "ended" ? [] : await engine.questions({ runId });
  // A run that was killed has no outcome, and says so when it is asked for.
  const outcome = run.state === "ended" && run.message === undefined ? await engine.result(runId) : undefined;
  const known =
    outcome === undefined
      ? run
      : { ...run, ok: outcome.ok, ...(outcome.ok ? {} : { error: run.error ?? errorOf(outcome.error) }) };
  if (options.json === true) {
    writeJsonLine(streams, {
      ok: true,
      run: runJson(known),
      questions: questions.map(questionJson),
      outcome: outcome === undefined ? null : outcomeJson(outcome),
    });
    return exitCodes.ok;
  }
  const colors = colorsFor(streams.stdout, process.env);
  const columns = terminalColumns(streams.stdout);
  const say = (line: string): void => void streams.stdout.write(`${line}\n`);
  say(`${paintedState(known, colors)}  ${oneLine(runId)}`);
  for (const [name, text] of runFacts(known, world.now()))
    for (const line of wrapped(`  ${name.padEnd(12)}`, text, columns)) say(line);
  for (const question of questions)
    for (const line of questionLines(question)) for (const part of wrapped("  ", line, columns)) say(part);
  if (questions.length > 0)
    tellOn(streams)(
      `to answer: ${nextCommand(["approve", runId, ...(questions.length > 1 ? ["KEY"] : [])], options)}, with --deny to say no`,
    );
  if (stateWord(known) === "halted")
    tellOn(streams)(
      `to let it try again, once what halts it is mended (of other tools: once a worker has the former ones): ${nextCommand(["resume", runId], options)}, to end it: ${nextCommand(["cancel", runId], options)}`,
    );
  if (outcome !== undefined) writeOutcome(outcome, runId, streams);
  return exitCodes.ok;
}

/** Where the engine did not tell it: the outcome is large. */
function errorOf({ kind, name, message }: ScriptError): NonNullable<FleetRun["error"]> {
  return { kind, name, message: shorten(message, MAX_ERROR_CHARS) };
}

const MAX_ERROR_CHARS = 500;

export interface CancelOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly reason?: string;
}

/** Exit code 1 where the run had ended already. */
export async function cancel(
  runId: string,
  options: CancelOptions,
  streams: Streams,
  world: FleetWorld,
): Promise<number> {
  await using engine = await world.open(options);
  const run = await findRun(engine, runId);
  const hasEnded = run.state === "ended";
  const by = world.person();
  if (!hasEnded) await cancelDurable(engine.journal(runId), options.reason ?? `Cancelled by ${by}`);
  if (options.json === true) writeJsonLine(streams, { ok: !hasEnded, runId, state: run.state });
  else if (hasEnded) tellOn(streams)(`${runId} has ended already: ${stateWord(run)}`);
  else
    tellOn(streams)(
      run.state === "running"
        ? `${runId} will end as aborted once its worker has seen it`
        : `${runId} will end as aborted`,
    );
  return hasEnded ? exitCodes.script : exitCodes.ok;
}

/** Exit code 1 where the run was not halted. */
export async function resume(
  runId: string,
  options: { readonly config?: string; readonly json?: boolean },
  streams: Streams,
  world: FleetWorld,
): Promise<number> {
  await using engine = await world.open(options);
  const run = await findRun(engine, runId);
  const resumed = run.state === "halted" && (await engine.resume(runId));
  if (options.json === true) writeJsonLine(streams, { ok: resumed, runId, state: run.state });
  else
    tellOn(streams)(
      resumed
        ? `${runId} is tried again; whether that helped: ${nextCommand(["status", runId], options)}`
        : `${runId} is not halted: ${stateWord(run)}`,
    );
  return resumed ? exitCodes.ok : exitCodes.script;
}
