/** An event of a run's log, for people and as JSON. Everything but numbers is a stranger's text. */
import type { Colors } from "../report/colors.ts";
import { duration } from "../report/human.ts";
import { oneLine } from "../report/safe-text.ts";
import { cut, wrapped } from "../report/width.ts";
import type { RunEvent } from "./run-log.ts";
import { about, isoTime } from "./run-times.ts";

/** The first line has the time; a terminal's lines are as wide as it. */
export function eventLines(event: RunEvent, colors: Colors, columns: number | undefined): readonly string[] {
  const time = event.at === undefined ? "        " : new Date(event.at).toISOString().slice(11, 19);
  const left = columns === undefined ? undefined : columns - time.length - 2;
  const { head, tail, paint } = wordsOf(event, colors);
  const lines = wrapped("", head, left).map((line, index) => (index === 0 ? line : `  ${line}`));
  const more = tail === "" ? [] : wrapped("  ", tail, left);
  return [...lines.map(paint), ...more.map((line) => colors.dim(line))].map((line, index) =>
    index === 0 ? `${colors.dim(time)}  ${line}` : `${" ".repeat(time.length)}  ${line}`,
  );
}

const MAX_NOTE_CHARS = 1_000;
const ARGUMENT_COLUMNS = 100;

interface Words {
  readonly head: string;
  /** On lines of its own; empty: none. */
  readonly tail: string;
  readonly paint: (text: string) => string;
}

function wordsOf(event: RunEvent, colors: Colors): Words {
  const plain = (text: string): string => text;
  switch (event.type) {
    case "start":
      return {
        head: `begun${event.deadlineMs === undefined ? "" : `, to end within ${about(event.deadlineMs)}`}`,
        tail: "",
        paint: plain,
      };
    case "call": {
      const ms = event.durationMs === undefined ? "" : `  ${duration(event.durationMs)}`;
      return {
        head: `${callText(event)}  ${event.status}${ms}`,
        tail: event.note === undefined ? "" : oneLine(event.note, MAX_NOTE_CHARS),
        paint:
          event.status === "ok" || event.status === "large"
            ? colors.green
            : event.status === "running"
              ? colors.dim
              : colors.red,
      };
    }
    case "asked":
      return {
        head: `${callText(event)}  waits for an answer (key ${oneLine(event.key)})`,
        tail: event.reason === undefined ? "" : oneLine(event.reason, MAX_NOTE_CHARS),
        paint: colors.yellow,
      };
    case "answered":
      return {
        head: `#${event.call} ${oneLine(event.name)}  ${event.answer}${event.by === undefined ? "" : ` by ${oneLine(event.by, 100)}`}`,
        tail: event.comment === undefined ? "" : oneLine(event.comment, MAX_NOTE_CHARS),
        paint: event.answer === "approved" ? colors.green : colors.red,
      };
    case "cancel":
      return {
        head: `to be cancelled: ${oneLine(event.reason, MAX_NOTE_CHARS)}`,
        tail: "",
        paint: colors.red,
      };
    case "died":
      return {
        head: `its worker ${oneLine(event.worker, 200)} died${event.again ? "; another one goes on" : ", once too often"}`,
        tail: "",
        paint: event.again ? colors.yellow : colors.red,
      };
    case "end":
      return {
        head: event.succeeded ? "ended" : "ended with an error",
        tail: "",
        paint: event.succeeded ? colors.green : colors.red,
      };
  }
}

function callText(event: {
  readonly call: number;
  readonly name: string;
  readonly arguments: string;
}): string {
  return `#${event.call} ${oneLine(event.name) || "a call"} ${cut(event.arguments, ARGUMENT_COLUMNS)}`.trimEnd();
}

/** One object a line of `--json`. */
export function eventJson(event: RunEvent, runId: string): object {
  const { id: _, at, ...rest } = event;
  return { ...rest, runId, at: isoTime(at) };
}
