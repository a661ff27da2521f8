/** `nestbox logs`: what a run of the fleet has done so far, and with `--follow` what it does until its end. */
import type { ScriptOutcome } from "@nestbox/codemode";

import { exitCodes } from "../exit-codes.ts";
import type { FleetEngine, FleetRun } from "../fleet/engine.ts";
import { findAgain, findRun } from "../fleet/find-run.ts";
import { type FleetWorld, whileAway } from "../fleet/fleet-world.ts";
import { eventJson, eventLines } from "../fleet/log-words.ts";
import { outcomeJson, writeOutcome } from "../fleet/outcome-words.ts";
import { type RunEvent, runEvents } from "../fleet/run-log.ts";
import { noteOf, runJson, stateWord } from "../fleet/run-words.ts";
import { type Streams, tellOn, writeJsonLine } from "../output.ts";
import { colorsFor } from "../report/colors.ts";
import { oneLine } from "../report/safe-text.ts";
import { terminalColumns } from "../report/width.ts";

export interface LogsOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly follow?: boolean;
}

/** How often is looked; a journal that takes long to read is read less often. */
const LOOK_MS = 500;
const SHARE = 5;
/** Bytes of a value above which it is told by its size alone. */
const MAX_VALUE_BYTES = 262_144;

/** Exit code 0 however the run ended: what was asked for was its log. */
export async function logs(
  runId: string,
  options: LogsOptions,
  streams: Streams,
  signal: AbortSignal,
  world: FleetWorld,
): Promise<number> {
  await using engine = await world.open(options);
  const tell = tellOn(streams);
  const say = teller(runId, options, streams);
  let run = await findRun(engine, runId);
  for (;;) {
    const began = world.now();
    const events = await whileAway(() => read(engine, runId), world, signal, tell);
    if (events === undefined) break;
    say(events, options.follow !== true);
    if (options.follow !== true || run.state === "ended" || signal.aborted) break;
    if (run.state === "halted") break;
    await world.pause(Math.max(LOOK_MS, (world.now() - began) * SHARE), signal);
    if (signal.aborted) break;
    // First how it is, then what it has done: what has ended has nothing more to tell.
    const now = await whileAway(() => findAgain(engine, runId, world, signal), world, signal, tell);
    if (now === undefined) break;
    run = now;
  }
  await last(engine, run, options, streams, signal, world);
  return signal.aborted ? exitCodes.aborted : exitCodes.ok;
}

async function read(engine: FleetEngine, runId: string): Promise<readonly RunEvent[]> {
  return runEvents(await engine.contents(runId, { maxValueBytes: MAX_VALUE_BYTES }));
}

/** Tells each event once. */
function teller(
  runId: string,
  { json }: LogsOptions,
  streams: Streams,
): (events: readonly RunEvent[], withRunning: boolean) => void {
  const told = new Set<string>();
  const colors = colorsFor(streams.stdout, process.env);
  let day = "";
  return (events, withRunning) => {
    for (const event of events) {
      const isRunning = event.type === "call" && event.status === "running";
      if (told.has(event.id) || (isRunning && !withRunning)) continue;
      told.add(event.id);
      if (json === true) {
        writeJsonLine(streams, eventJson(event, runId));
        continue;
      }
      const at = event.at === undefined ? undefined : new Date(event.at).toISOString();
      if (at !== undefined && at.slice(0, 10) !== day) {
        day = at.slice(0, 10);
        streams.stdout.write(`${colors.dim(`${day} UTC`)}\n`);
      }
      for (const line of eventLines(event, colors, terminalColumns(streams.stdout)))
        streams.stdout.write(`${line}\n`);
    }
  };
}

/** How it is now, or how it ended. */
async function last(
  engine: FleetEngine,
  run: FleetRun,
  { json }: LogsOptions,
  streams: Streams,
  signal: AbortSignal,
  world: FleetWorld,
): Promise<void> {
  const outcome =
    run.state === "ended" && run.message === undefined && !signal.aborted
      ? await resultOf(engine, run.runId, signal)
      : undefined;
  if (json === true) {
    writeJsonLine(streams, {
      type: "run",
      ...runJson(outcome === undefined ? run : { ...run, ok: outcome.ok }),
      outcome: outcome === undefined ? null : outcomeJson(outcome),
    });
    return;
  }
  if (outcome !== undefined) return writeOutcome(outcome, run.runId, streams);
  const note = noteOf(run, world.now());
  tellOn(streams)(`${oneLine(run.runId)} is ${stateWord(run)}${note === "" ? "" : `: ${note}`}`);
}

/** `undefined` where the command was interrupted: of a run that has been removed meanwhile there is no end to come. */
async function resultOf(
  engine: FleetEngine,
  runId: string,
  signal: AbortSignal,
): Promise<ScriptOutcome | undefined> {
  try {
    return await engine.result(runId, { signal });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
