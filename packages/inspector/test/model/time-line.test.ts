import { array, assert, boolean, integer, property, tuple } from "fast-check";
import { describe, expect, it } from "vitest";

import type { RunCall } from "../../src/model/run.ts";
import { quietGaps, timeLine } from "../../src/model/time-line.ts";
import { parkedTrace } from "../support/fleet.ts";
import { runOf } from "../support/read.ts";
import { exampleTrace } from "../support/traces.ts";

const hour = 3_600_000;
const at = (startMs: number, durationMs: number | undefined, more: Partial<RunCall> = {}): RunCall => ({
  key: `${startMs}`,
  id: `${startMs}`,
  name: "work",
  startMs,
  ...(durationMs === undefined ? {} : { durationMs }),
  status: durationMs === undefined ? "running" : "ok",
  updates: 0,
  ...more,
});

describe("the waits of a run", () => {
  it("are the stretches in which no call did anything but wait, longer than all the work", () => {
    const calls = [
      at(0, 1_000),
      at(1_000, 2 * hour, { waits: [{ fromMs: 1_500, toMs: 2 * hour, key: "2", lines: [] }] }),
      at(2 * hour + 1_000, 500),
    ];
    expect(quietGaps(calls, 5 * hour)).toEqual([
      { fromMs: 1_500, toMs: 2 * hour },
      { fromMs: 2 * hour + 1_500, toMs: 5 * hour },
    ]);
    // One that somebody works in is none, and neither is a short one.
    expect(quietGaps([...calls, at(1_000, undefined)], 5 * hour)).toEqual([]);
    expect(quietGaps([at(0, 10), at(9_000, 10)], 9_010)).toEqual([]);
    expect(quietGaps([at(0, hour), at(hour + 60_000, 10)], hour + 60_010)).toEqual([]);
    expect(quietGaps(runOf(exampleTrace()).calls, 1_460)).toEqual([]);
  });

  it("are drawn short, so that seconds of work stay seconds beside days of waiting", () => {
    const run = runOf(parkedTrace());
    const gaps = quietGaps(run.calls, run.durationMs);
    const line = timeLine({ fromMs: 0, toMs: run.durationMs }, gaps, 5);
    expect(line.gaps).toHaveLength(2);
    for (const { from, to } of line.gaps) expect(to - from).toBeCloseTo(0.06, 5);
    const [checks, tests] = run.calls;
    const width = (call: RunCall | undefined): number =>
      line.place((call?.startMs ?? 0) + (call?.durationMs ?? 0)) - line.place(call?.startMs ?? 0);
    expect(width(checks)).toBeGreaterThan(0.1);
    // One scale for all that is not cut.
    expect(width(checks) / width(tests)).toBeCloseTo(1_560 / 840, 5);
    expect(line.ticks.map(({ label }) => label)).toContain("+2.00 s");
    // Drawn as long as they are, all the work is one stroke at each end.
    expect(timeLine({ fromMs: 0, toMs: run.durationMs }, [], 5).place(9_000)).toBeLessThan(0.001);
  });

  it("keep the order of moments and the ends of the line, whatever they are", () => {
    const spans = array(tuple(integer({ min: 0, max: 9 }), integer({ min: 1, max: 9 })), {
      maxLength: 12,
    });
    assert(
      property(spans, integer({ min: 0, max: 40 * hour }), boolean(), (parts, from, empty) => {
        let end = from;
        const gaps = parts.map(([quiet, long]) => {
          const fromMs = end + (empty ? 0 : quiet * 1_000);
          end = fromMs + long * hour;
          return { fromMs, toMs: end };
        });
        const line = timeLine({ fromMs: from, toMs: end }, gaps, 5);
        let before = 0;
        for (let ms = from; ms <= end; ms += Math.max(1_000, (end - from) / 50)) {
          const place = line.place(ms);
          expect(place).toBeGreaterThanOrEqual(before - 1e-9);
          expect(place).toBeLessThanOrEqual(1);
          before = place;
        }
        expect(line.place(from - 1)).toBe(0);
        expect(line.place(end + 1)).toBe(end > from ? 1 : 0);
        for (const tick of line.ticks) expect(tick.place >= 0 && tick.place <= 1).toBe(true);
      }),
    );
  });
});
