/**
 * Where a moment of a run stands on its time line. A run that waits for a person for two days and works for two seconds
 * is to be seen as two seconds of work with a cut between: stretches in which nothing but waiting goes on are drawn
 * short, all the rest to one scale.
 */
import { formatMs, timeTicks } from "./format.ts";
import type { RunCall } from "./run.ts";

export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A stretch that is drawn short; its places are parts of the width, from 0 to 1. */
export interface DrawnGap extends TimeSpan {
  readonly from: number;
  readonly to: number;
}

export interface Tick {
  readonly ms: number;
  readonly place: number;
  readonly label: string;
}

export interface TimeLine extends TimeSpan {
  /** From 0 to 1 within the line, and no less or more outside of it. */
  readonly place: (ms: number) => number;
  readonly gaps: readonly DrawnGap[];
  readonly ticks: readonly Tick[];
}

/** Shorter waits are drawn as long as they are. */
const MIN_GAP_MS = 10_000;
/** Of the width: one gap, and all of them. */
const GAP_WIDTH = 0.06;
const MAX_GAPS_WIDTH = 0.4;
/** Of the width: what a mark's number needs. */
const TICK_ROOM = 0.13;
/** And where the length of a cut stands behind it. */
const TICK_ROOM_TO_GAP = 0.18;

/** Stretches of a run in which no call did anything but wait for a person, and that are longer than all its work. */
export function quietGaps(calls: readonly RunCall[], endMs: number): readonly TimeSpan[] {
  const busy = calls.flatMap((call) => workOf(call, endMs)).sort((a, b) => a.fromMs - b.fromMs);
  const gaps: TimeSpan[] = [];
  let workMs = 0;
  let at = 0;
  for (const { fromMs, toMs } of busy) {
    if (fromMs > at) gaps.push({ fromMs: at, toMs: fromMs });
    workMs += Math.max(0, toMs - Math.max(at, fromMs));
    at = Math.max(at, toMs);
  }
  if (endMs > at) gaps.push({ fromMs: at, toMs: endMs });
  return gaps.filter(({ fromMs, toMs }) => toMs - fromMs >= MIN_GAP_MS && toMs - fromMs > workMs);
}

/** When a call was under way and did not wait for a person. */
function workOf(call: RunCall, endMs: number): readonly TimeSpan[] {
  const ended = call.durationMs === undefined ? endMs : call.startMs + call.durationMs;
  const parts: TimeSpan[] = [];
  let at = call.startMs;
  for (const { fromMs, toMs = ended } of call.waits ?? []) {
    if (fromMs >= at) parts.push({ fromMs: at, toMs: fromMs });
    at = Math.max(at, toMs);
  }
  if (ended >= at) parts.push({ fromMs: at, toMs: ended });
  return parts;
}

/** `gaps` in order, none over another. `most`: marks on the line. */
export function timeLine({ fromMs, toMs }: TimeSpan, gaps: readonly TimeSpan[], most: number): TimeLine {
  const inside = gaps
    .map((gap) => ({ fromMs: Math.max(fromMs, gap.fromMs), toMs: Math.min(toMs, gap.toMs) }))
    .filter((gap) => gap.toMs - gap.fromMs >= MIN_GAP_MS);
  const lengthOf = (span: TimeSpan): number => span.toMs - span.fromMs;
  const liveMs = Math.max(0, toMs - fromMs - inside.reduce((sum, gap) => sum + lengthOf(gap), 0));
  const gapsWidth =
    inside.length === 0 ? 0 : liveMs === 0 ? 1 : Math.min(MAX_GAPS_WIDTH, inside.length * GAP_WIDTH);
  const gapWidth = inside.length === 0 ? 0 : gapsWidth / inside.length;
  const scale = liveMs === 0 ? 0 : (1 - gapsWidth) / liveMs;

  const drawn: DrawnGap[] = [];
  const stretches: { readonly span: TimeSpan; readonly from: number; readonly scale: number }[] = [];
  let at = fromMs;
  let place = 0;
  const live = (until: number): void => {
    if (until <= at) return;
    stretches.push({ span: { fromMs: at, toMs: until }, from: place, scale });
    place += (until - at) * scale;
    at = until;
  };
  for (const gap of inside) {
    live(gap.fromMs);
    drawn.push({ ...gap, from: place, to: place + gapWidth });
    stretches.push({ span: gap, from: place, scale: gapWidth / lengthOf(gap) });
    place += gapWidth;
    at = gap.toMs;
  }
  live(toMs);

  const placeOf = (ms: number): number => {
    if (ms <= fromMs) return 0;
    if (ms >= toMs) return toMs > fromMs ? 1 : 0;
    const found = stretches.find(({ span }) => ms <= span.toMs);
    return found === undefined ? 1 : Math.min(1, found.from + (ms - found.span.fromMs) * found.scale);
  };
  if (drawn.length === 0) {
    const ticks = timeTicks(fromMs, toMs, most);
    return {
      fromMs,
      toMs,
      place: placeOf,
      gaps: drawn,
      ticks: ticks.map((ms) => ({ ms, place: placeOf(ms), label: formatMs(ms) })),
    };
  }
  return {
    fromMs,
    toMs,
    place: placeOf,
    gaps: drawn,
    ticks: stretches.flatMap((stretch) =>
      drawn.some((gap) => gap.fromMs === stretch.span.fromMs)
        ? []
        : ticksOf(stretch.span, lengthOf(stretch.span) * scale, most, fromMs)
            .map(({ ms, label }) => ({ ms, place: placeOf(ms), label }))
            .filter(({ place: at }) => placeOf(stretch.span.toMs) - at >= TICK_ROOM_TO_GAP),
    ),
  };
}

/** Behind a cut, marks count from the cut: nobody reads seconds from the end of two days. */
function ticksOf(
  { fromMs, toMs }: TimeSpan,
  width: number,
  most: number,
  startMs: number,
): readonly { readonly ms: number; readonly label: string }[] {
  const room = Math.min(Math.round(width * most), Math.floor(width / TICK_ROOM));
  if (room < 1) return [];
  if (fromMs === startMs) return timeTicks(fromMs, toMs, room).map((ms) => ({ ms, label: formatMs(ms) }));
  return timeTicks(0, toMs - fromMs, room)
    .filter((ms) => ms > 0)
    .map((ms) => ({ ms: fromMs + ms, label: `+${formatMs(ms)}` }));
}
