/**
 * Answers of calls on their way to the script. What is ready is released at one place, in one order, so that a run
 * can be told to see its results as another run saw them.
 */
import { shorten } from "@nestbox/tool";
import { messageOf } from "../shared/guards.ts";
import type { ValuePath } from "../shared/plain-value.ts";
import type { ScriptEnvironment, ScriptRest } from "../types.ts";
import type { Segment } from "./frames.ts";
import { type ScriptAnswer, valueParts } from "./script-value.ts";

const SEGMENT_CHARS = 1024;
const MAX_PLACE_CHARS = 400;

/** One answer, read when it came: what the tool does with its value later changes nothing. */
export interface ReadyAnswer {
  readonly id: number;
  readonly segments: readonly Segment[];
  /** What it takes in this process while it waits, about: the size of what stands beside its row. */
  readonly bytes: number;
  /** The row of a frame in which the first of the segments has this number. */
  readonly row: (first: number) => string;
}

/** A value that cannot be read is an error for the script, never a throw that nobody would catch here. */
export function encodeAnswer(
  id: number,
  answer: ScriptAnswer,
  warn: (message: string) => void = () => undefined,
): ReadyAnswer {
  try {
    return encode(id, answer, warn);
  } catch (error) {
    const message = `The result could not be read: ${messageOf(error)}`;
    return inline(id, 4, JSON.stringify({ name: "Error", message, denied: false }));
  }
}

function encode(id: number, answer: ScriptAnswer, warn: (message: string) => void): ReadyAnswer {
  if (answer.kind === "error") {
    const { kind: _, ...rejection } = answer;
    return inline(id, 4, JSON.stringify(rejection));
  }
  const { value, what = "the value" } = answer;
  if (typeof value === "string") {
    return value.length > SEGMENT_CHARS ? beside(id, 2, value) : inline(id, 1, JSON.stringify(value));
  }
  const parts =
    value === undefined
      ? undefined
      : valueParts(value, (path, problem) => warn(`${placeText(path)}${what} ${problem}`));
  if (parts === undefined) return inline(id, 0, "0");
  const { json, places, bytes } = parts;
  if (places.length > 0) {
    const rows = JSON.stringify(places.map(({ path, start, length }) => [path, start, length]));
    return {
      id,
      segments: [json, bytes],
      bytes: json.length + bytes.length,
      row: (first) => `[${id},5,[${first},${rows}]]`,
    };
  }
  return json.length > SEGMENT_CHARS ? beside(id, 3, json) : inline(id, 1, json);
}

function placeText(path: ValuePath): string {
  if (path.length === 0) return "";
  const keys = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
  return `${shorten(keys.replace(/^\./, ""), MAX_PLACE_CHARS)} of `;
}

const inline = (id: number, kind: number, body: string): ReadyAnswer => ({
  id,
  segments: [],
  bytes: body.length,
  row: () => `[${id},${kind},${body}]`,
});

const beside = (id: number, kind: number, text: string): ReadyAnswer => ({
  id,
  segments: [text],
  bytes: text.length,
  row: (first) => `[${id},${kind},${first}]`,
});

/** What goes into the next frame, and what waits. Throws what `order` throws. */
export function releaseAnswers(
  ready: readonly ReadyAnswer[],
  order: ScriptEnvironment["order"],
  last: boolean,
): { readonly text: string; readonly segments: readonly Segment[]; readonly held: ReadyAnswer[] } {
  const { released, held } =
    order === undefined ? { released: ready, held: [] } : inOrder(ready, order, last);
  const segments: Segment[] = [];
  const rows = released.map((answer) => {
    const row = answer.row(segments.length);
    segments.push(...answer.segments);
    return row;
  });
  return { text: rows.join(","), segments, held };
}

function inOrder(
  ready: readonly ReadyAnswer[],
  order: NonNullable<ScriptEnvironment["order"]>,
  last: boolean,
): { readonly released: readonly ReadyAnswer[]; readonly held: ReadyAnswer[] } {
  const left = new Map(ready.map((answer) => [answer.id, answer]));
  const released: ReadyAnswer[] = [];
  const take = (id: number): void => {
    const answer = left.get(id);
    if (answer !== undefined && left.delete(id)) released.push(answer);
  };
  for (const id of order([...left.keys()])) take(id);
  // Nothing else will come: what was left out must not keep the script waiting for ever.
  if (last) for (const id of left.keys()) take(id);
  return { released, held: [...left.values()] };
}

/** A rest whose `begin` counts once. */
export function restOf(ready: number, open: number, wakeMs: number, begin: ScriptRest["begin"]): ScriptRest {
  let begun = false;
  return {
    ready,
    open,
    timerMs: wakeMs < 0 ? undefined : wakeMs,
    begin(turn) {
      if (begun) return;
      begun = true;
      begin(turn);
    },
  };
}
