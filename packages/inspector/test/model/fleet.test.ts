import { describe, expect, it } from "vitest";

import { commandLine } from "../../src/model/command.ts";
import {
  applyFleetPatch,
  countStates,
  filterFleet,
  type FleetEntry,
  type FleetList,
  fleetPatchOf,
  newestFirst,
} from "../../src/model/fleet.ts";
import { formatAge, formatMoment, formatMs } from "../../src/model/format.ts";
import { readPlace, writePlace } from "../../src/model/place.ts";
import { entries, epoch, hostileEntry } from "../support/fleet.ts";
import { hostileText } from "../support/traces.ts";

const listOf = (runs: readonly FleetEntry[], more: Partial<FleetList> = {}): FleetList => ({
  name: "fleet",
  approveWith: ["nestbox", "approve"],
  loaded: true,
  more: false,
  runs,
  ...more,
});

describe("a list of runs", () => {
  it("is told whole once, and then what is new, changed or gone", () => {
    const before = listOf(entries(500, epoch));
    const [first, second, ...rest] = before.runs;
    const after = listOf(
      [
        { id: "new", state: "queued", createdAt: epoch, waitingFor: 0, questions: [] },
        ...(first === undefined ? [] : [{ ...first, state: "failed" as const }]),
        ...rest,
      ],
      { trouble: "away" },
    );
    const patch = fleetPatchOf(before, after);
    expect(patch).toMatchObject({ runs: [{ id: "new" }, { id: first?.id }], gone: [second?.id] });
    expect(patch !== "same" && applyFleetPatch(before, patch)).toEqual(after);
    expect(fleetPatchOf(after, structuredClone(after))).toBe("same");
    expect(fleetPatchOf(after, listOf(after.runs))).toMatchObject({ runs: [], gone: [] });
  });

  it("is the newest first, those without a time last, and those of one moment by their ids", () => {
    const run = (id: string, createdAt?: number): FleetEntry => ({
      id,
      state: "queued",
      ...(createdAt === undefined ? {} : { createdAt }),
      waitingFor: 0,
      questions: [],
    });
    const sorted = [run("c"), run("b", 5), run("a", 5), run("d", 9)].sort(newestFirst);
    expect(sorted.map(({ id }) => id)).toEqual(["d", "a", "b", "c"]);
  });

  it("is narrowed by state and by text of the run, its tool, its arguments, its worker or its halt", () => {
    const runs = entries(100, epoch);
    const find = (text: string): number => filterFleet(runs, { text, states: new Set() }).length;
    expect(filterFleet(runs, { text: "", states: new Set(["parked", "halted"]) })).toHaveLength(30);
    expect(countStates(runs).get("parked")).toBe(20);
    expect(find("RELEASE-42")).toBe(1);
    expect(find("worker-b")).toBeGreaterThan(0);
    expect(find("delete_branch")).toBeGreaterThan(0);
    expect(find("removed tool")).toBe(10);
    expect(find("nothing is called so")).toBe(0);
    expect(filterFleet([hostileEntry], { text: "<img", states: new Set() })).toHaveLength(1);
  });
});

describe("the address of a page", () => {
  it("names what is shown, and is read back", () => {
    for (const id of ["release-42", hostileText.replaceAll("\ud800", ""), "a&state=parked#x", "__proto__"])
      expect(readPlace(writePlace({ kind: "run", id }))).toEqual({ kind: "run", id });
    const filter = { text: "a & b=c", states: new Set(["parked", "failed"] as const) };
    expect(readPlace(writePlace({ kind: "list", filter }))).toEqual({ kind: "list", filter });
    expect(writePlace(readPlace(""))).toBe("#");
  });

  it("is a place whatever it holds", () => {
    for (const hash of ["", "#", "#run=", "#state=odd,__proto__", "#%", "#compare", "#text"])
      expect(readPlace(hash)).toEqual({ kind: "list", filter: { text: "", states: new Set() } });
  });
});

describe("a command that is shown to be copied", () => {
  it("has each word as one word, whatever is in it", () => {
    expect(commandLine(["nestbox", "approve"], ["release-42", "4.2"])).toBe("nestbox approve release-42 4.2");
    expect(commandLine(["nestbox"], ["a b", "$(rm -rf x); 'y'"])).toBe(
      String.raw`nestbox 'a b' '$(rm -rf x); '\''y'\'''`,
    );
  });

  it("is none where it would end its line, hide or move something, or be an option", () => {
    for (const id of [hostileText, "a\nrm", "a\u202eb", "\u001b[31m", "-rf", "--yes", "", "x".repeat(3_000)])
      expect(commandLine(["nestbox", "approve"], [id, "1"])).toBeUndefined();
    expect(commandLine([], ["a"])).toBeUndefined();
  });
});

it("long times are told in days, ages in one unit, and moments in UTC", () => {
  expect(formatMs(47 * 3_600_000)).toBe("47 h 0 min");
  expect(formatMs(51 * 3_600_000)).toBe("2 d 3 h");
  expect([0, 59_999, 61_000, 7_200_000, 200_000_000].map(formatAge)).toEqual([
    "0 s",
    "59 s",
    "1 min",
    "2 h",
    "2 d",
  ]);
  expect(formatMoment(epoch)).toBe("2026-03-01 09:30:00 UTC");
  for (const odd of [Number.NaN, Infinity, 1e20]) expect(formatMoment(odd)).toBe("");
});
