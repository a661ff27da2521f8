/** `nestbox approve`: a person's answer to what a run of the fleet asks. It is shown first, and counts for that alone. */
import { createInterface } from "node:readline/promises";

import type { JsonValue } from "@nestbox/tool";

import { exitCodes } from "../exit-codes.ts";
import type { FleetQuestion } from "../fleet/engine.ts";
import { findRun } from "../fleet/find-run.ts";
import type { FleetWorld } from "../fleet/fleet-world.ts";
import { lastAnswer } from "../fleet/last-answer.ts";
import { nextCommand } from "../fleet/next-command.ts";
import { questionJson, questionLines, stateWord } from "../fleet/run-words.ts";
import { type Streams, tellOn, writeJsonLine } from "../output.ts";
import { oneLine } from "../report/safe-text.ts";
import { terminalColumns, wrapped } from "../report/width.ts";
import { UsageError } from "../usage-error.ts";

export interface ApproveOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly deny?: boolean;
  readonly reason?: string;
  readonly yes?: boolean;
}

/** A key that was pressed before the question could be read is no answer to it. */
const TYPE_AHEAD_MS = 150;
const MAX_REASON_CHARS = 2_000;

/** Exit code 1 where nothing was decided by this: somebody was first, or the person said no. */
export async function approve(
  runId: string,
  key: string | undefined,
  options: ApproveOptions,
  streams: Streams,
  signal: AbortSignal,
  world: FleetWorld,
): Promise<number> {
  await using engine = await world.open(options);
  const run = await findRun(engine, runId);
  const tell = tellOn(streams);
  const open = run.state === "ended" ? [] : await engine.questions({ runId });
  if (!open.some((one) => key === undefined || one.key === key)) {
    // Whoever comes too late is told which answer counts, also when the run has gone on with it.
    const answer = await lastAnswer(engine, runId, key);
    if (answer !== undefined || run.state === "ended") {
      if (options.json === true)
        writeJsonLine(streams, {
          ok: false,
          runId,
          key: answer?.key ?? key ?? null,
          decided: answer?.word ?? null,
        });
      if (run.state === "ended") tell(`${runId} has ended and asks nothing: ${stateWord(run)}`);
      if (answer !== undefined) {
        const by = answer.by === undefined ? "" : ` by ${oneLine(answer.by)}`;
        tell(
          `somebody was first: ${oneLine(answer.name)} of ${runId} (key ${oneLine(answer.key)}) was ${answer.word}${by}`,
        );
      }
      return exitCodes.script;
    }
  }
  const question = choose(runId, key, open, options);
  const columns = terminalColumns(streams.stderr);
  for (const line of [`The run ${oneLine(runId)} asks:`, ...questionLines(question)])
    for (const part of wrapped("", line, columns)) streams.stderr.write(`${part}\n`);

  const approved = options.deny !== true;
  if (!(options.yes === true || options.deny === true) && !(await agrees(streams, signal, world))) {
    if (options.json === true)
      writeJsonLine(streams, {
        ok: false,
        runId,
        key: question.key,
        decided: null,
        question: questionJson(question),
      });
    tell("nothing was decided; with --deny it is told no");
    return signal.aborted ? exitCodes.aborted : exitCodes.script;
  }
  const { fingerprint } = question;
  const decision: Record<string, JsonValue> = {
    kind: approved ? "approved" : "declined",
    // Of what was shown: asked about anything else, it is no approval.
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(options.reason === undefined ? {} : { comment: options.reason.slice(0, MAX_REASON_CHARS) }),
    by: world.person(),
    at: world.now(),
  };
  const kept = await engine.journal(runId).wake(question.key, decision);
  const isOurs = kept.kind === "stored";
  const word = isOurs ? (approved ? "approved" : "declined") : kindOf(kept.value);
  if (options.json === true)
    writeJsonLine(streams, {
      ok: isOurs,
      runId,
      key: question.key,
      decided: word,
      question: questionJson(question),
    });
  else if (isOurs) tell(`${word}: ${question.name} of ${runId}`);
  else tell(`somebody was first: ${question.name} of ${runId} was ${word}`);
  return isOurs ? exitCodes.ok : exitCodes.script;
}

function choose(
  runId: string,
  key: string | undefined,
  open: readonly FleetQuestion[],
  options: ApproveOptions,
): FleetQuestion {
  const id = oneLine(runId);
  const [only, ...more] = key === undefined ? open : open.filter((one) => one.key === key);
  if (only !== undefined && more.length === 0) return only;
  const keys = open.map(
    (one) => `  ${oneLine(one.key)}  ${oneLine(one.name)} ${oneLine(one.arguments, 100)}`,
  );
  if (open.length === 0) throw new UsageError(`The run ${id} asks nothing now.`);
  throw new UsageError(
    key === undefined
      ? `The run ${id} asks more than one thing. Say which, by its key: ${nextCommand(["approve", runId, "KEY"], options)}\n${keys.join("\n")}`
      : `The run ${id} asks nothing with the key ${oneLine(key)} now. It asks:\n${keys.join("\n")}`,
  );
}

/** Throws `UsageError` where nobody can be asked. */
async function agrees(streams: Streams, signal: AbortSignal, world: FleetWorld): Promise<boolean> {
  if (streams.stdin.isTTY !== true || streams.stderr.isTTY !== true)
    throw new UsageError(
      "There is no terminal to ask at. Where the answer is known already: --yes, or --deny.",
    );
  const lines = createInterface({ input: streams.stdin, output: streams.stderr });
  try {
    for (;;) {
      const asked = world.now();
      const answer = (await lines.question("Approve it? y/N > ", { signal })).trim().toLowerCase();
      if (world.now() - asked >= TYPE_AHEAD_MS) return answer === "y" || answer === "yes";
      streams.stderr.write("That was typed before the question could be read. Once more:\n");
    }
  } catch {
    // Interrupted, or standard input ended: nobody is there to answer.
    return false;
  } finally {
    lines.close();
  }
}

function kindOf(value: JsonValue): string {
  const kind = typeof value === "object" && value !== null && "kind" in value ? value["kind"] : undefined;
  return kind === "approved" ? "approved" : "declined";
}
