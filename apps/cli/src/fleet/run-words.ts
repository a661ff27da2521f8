/** What is said of a run, to people and as JSON. Ids, names and messages are strangers' text: on one line each. */
import type { FleetState } from "@nestbox/inspector";

import type { Colors } from "../report/colors.ts";
import { count, duration } from "../report/human.ts";
import { oneLine } from "../report/safe-text.ts";
import { cut, displayWidth, padded } from "../report/width.ts";
import type { FleetQuestion, FleetRun } from "./engine.ts";
import { about, isoTime, utcTime } from "./run-times.ts";

/** `parked`, `succeeded`, `failed`, …; the page of the runs has the same words. */
export function stateWord({ state, ok, error }: FleetRun): FleetState {
  if (state !== "ended" || ok === undefined) return state;
  if (ok) return "succeeded";
  return error?.kind === "aborted" ? "aborted" : "failed";
}

/** Of a run that has failed; empty where nothing is known of it. */
export const errorWord = ({ error }: FleetRun): string =>
  error === undefined ? "" : error.message === "" ? error.name : `${error.name}: ${error.message}`;

export function paintedState(run: FleetRun, colors: Colors): string {
  const word = stateWord(run);
  switch (word) {
    case "succeeded":
      return colors.green(word);
    case "aborted":
    case "failed":
    case "halted":
      return colors.red(word);
    case "parked":
      return colors.yellow(word);
    default:
      return word;
  }
}

/** What it waits for, or why it stands still; empty where there is nothing to say. */
export function noteOf(run: FleetRun, now: number): string {
  const { state, waitingFor = 0, wakeAt, message, worker } = run;
  if (state === "ended") return oneLine(message ?? errorWord(run));
  if (state === "halted") return message === undefined ? "" : oneLine(message);
  const waits = [
    ...(waitingFor > 0 ? [`waits for ${count(waitingFor, "answer")}`] : []),
    ...(wakeAt === undefined ? [] : [`goes on in ${about(wakeAt - now)}`]),
  ];
  if (waits.length > 0) return waits.join(", or ");
  if (message !== undefined) return `last failed: ${oneLine(message)}`;
  if (state === "queued") return "waits for a worker";
  return state === "running" && worker !== undefined ? `on ${oneLine(worker)}` : "";
}

/** One line a run: state, age, id, and what it waits for. A terminal's lines are cut to its columns. */
export function listLines(
  runs: readonly FleetRun[],
  now: number,
  colors: Colors,
  columns: number | undefined,
): readonly string[] {
  const rows = runs.map((run) => ({
    run,
    id: oneLine(run.runId),
    age: run.createdAt === undefined ? "" : about(now - run.createdAt),
    note: noteOf(run, now),
  }));
  const ages = Math.max(3, ...rows.map(({ age }) => age.length));
  const start = STATE_COLUMNS + 1 + ages + 2;
  const widest = Math.max(2, ...rows.map(({ id }) => displayWidth(id)));
  // In a narrow terminal the id goes before the note: it is what the next command is given.
  const ids = columns === undefined ? widest : Math.min(widest, Math.max(8, columns - start));
  const left = columns === undefined ? Number.POSITIVE_INFINITY : columns - start - ids - 2;
  const line = (state: string, painted: string, age: string, id: string, note: string): string => {
    const told = left >= LEAST_NOTE_COLUMNS ? cut(note, left) : "";
    return `${painted}${" ".repeat(STATE_COLUMNS + 1 - state.length)}${age.padStart(ages)}  ${padded(cut(id, ids), ids)}  ${told}`.trimEnd();
  };
  return [
    colors.dim(line("state", "state", "age", "id", "")),
    ...rows.map(({ run, id, age, note }) => line(stateWord(run), paintedState(run, colors), age, id, note)),
  ];
}

const STATE_COLUMNS = 9;
const LEAST_NOTE_COLUMNS = 12;

/** What a person is asked, as the approver of a terminal shows it. */
export function questionLines(question: FleetQuestion): readonly string[] {
  const { key, name, lines, folder, rule, layer, reason } = question;
  const shown = lines.length > 0 ? lines.slice(0, MAX_LINES) : [question.arguments];
  const more = lines.length - shown.length;
  return [
    `${oneLine(name)} wants to run (key ${oneLine(key)}):`,
    ...shown.map((line) => `  ${oneLine(line, MAX_LINE_CHARS)}`),
    ...(more > 0 ? [`  and ${count(more, "more line")}`] : []),
    ...(folder === undefined ? [] : [`  in ${oneLine(folder)}`]),
    ...(rule === undefined
      ? []
      : [
          `  asked by ${oneLine(rule)}${layer === undefined ? "" : ` (${oneLine(layer)})`}${reason === undefined ? "" : `: ${oneLine(reason, 1_000)}`}`,
        ]),
  ];
}

/** Lines of a question that are shown. */
const MAX_LINES = 100;
/**
 * More than is left of any line where it was asked: 2,000 characters, each spelled out, and what says how many are left
 * out. A second cut through the middle would take just that away, and say that next to nothing is missing.
 */
const MAX_LINE_CHARS = 24_000;

/** The object of `--json`. */
export function runJson(run: FleetRun) {
  return {
    runId: run.runId,
    state: run.state,
    succeeded: run.ok ?? null,
    message: run.message ?? null,
    error: run.error ?? null,
    createdAt: isoTime(run.createdAt),
    endedAt: isoTime(run.endedAt),
    wakeAt: isoTime(run.wakeAt),
    worker: run.worker ?? null,
    deployment: run.deployment ?? null,
    waitingFor: run.waitingFor ?? 0,
  };
}

/** The object of `--json`. */
export function questionJson(question: FleetQuestion) {
  return {
    key: question.key,
    name: question.name,
    arguments: question.arguments,
    lines: question.lines,
    folder: question.folder ?? null,
    rule: question.rule ?? null,
    layer: question.layer ?? null,
    reason: question.reason ?? null,
    askedAt: isoTime(question.askedAt),
  };
}

/** Runs that end within a second take some time too. */
const took = (ms: number): string => (ms > 0 && ms < 1_000 ? duration(ms) : about(ms));

/** Facts about one run, a line each. */
export function runFacts(run: FleetRun, now: number): readonly (readonly [name: string, text: string])[] {
  const { createdAt, endedAt, worker, deployment, message, wakeAt, waitingFor = 0, state } = run;
  return [
    ...(createdAt === undefined
      ? []
      : [["begun", `${utcTime(createdAt)}, ${about(now - createdAt)} ago`] as const]),
    ...(endedAt === undefined
      ? []
      : [
          [
            "ended",
            `${utcTime(endedAt)}${createdAt === undefined ? "" : `, after ${took(endedAt - createdAt)}`}`,
          ] as const,
        ]),
    ...(state === "queued" ? [["waits for", "a worker that takes it: nestbox worker"] as const] : []),
    ...(worker === undefined ? [] : [["worker", oneLine(worker)] as const]),
    ...(deployment === undefined ? [] : [["deployment", oneLine(deployment)] as const]),
    ...(waitingFor > 0 ? [["waits for", count(waitingFor, "answer")] as const] : []),
    ...(wakeAt === undefined ? [] : [["goes on", `${utcTime(wakeAt)}, in ${about(wakeAt - now)}`] as const]),
    ...(message === undefined
      ? []
      : [[state === "halted" ? "why" : "last failure", oneLine(message, 2_000)] as const]),
  ];
}
