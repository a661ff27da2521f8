/** What the page of a fleet knows and shows: its list, and the place in it that the address names. */
import { batch, computed, effect, signal } from "@preact/signals";

import {
  applyFleetPatch,
  countStates,
  type FleetFilter,
  type FleetList,
  filterFleet,
  isFilteringFleet,
  noFleetFilter,
} from "../model/fleet.ts";
import type { PageMessage } from "../model/patch.ts";
import { type Place, readPlace, writePlace } from "../model/place.ts";
import { announcement } from "./state.ts";

const emptyList: FleetList = { name: "", approveWith: [], loaded: false, more: false, runs: [] };

export const isFleet = signal(false);
export const fleet = signal<FleetList>(emptyList);
export const place = signal<Place>({ kind: "list", filter: noFleetFilter });
/** Of the list, also while one of its runs is shown. */
export const fleetFilter = signal<FleetFilter>(noFleetFilter);
export const activeRun = signal<string | undefined>(undefined);
/** The time by which ages are told; milliseconds since the epoch. */
export const now = signal(Date.now());

export const listed = computed(() => filterFleet(fleet.value.runs, fleetFilter.value));
export const stateCounts = computed(() => countStates(fleet.value.runs));
export const activeListed = computed(() => {
  const id = activeRun.value;
  return id === undefined ? -1 : listed.value.findIndex((run) => run.id === id);
});
export const activeEntry = computed(() => listed.value[activeListed.value]);

const CLOCK_MS = 1_000;

/** Takes the place from the address, now and whenever it changes, and keeps the time. */
export function beginFleet(onPlace: (place: Place) => void): void {
  isFleet.value = true;
  const look = (): void => {
    const next = readPlace(location.hash);
    batch(() => {
      if (next.kind === "list") fleetFilter.value = next.filter;
      else activeRun.value = next.id;
      place.value = next;
    });
  };
  addEventListener("hashchange", look);
  look();
  effect(() => onPlace(place.value));
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, CLOCK_MS);
}

export function takeFleet(message: Extract<PageMessage, { kind: "fleet" | "fleet-patch" }>): void {
  batch(() => {
    const before = fleet.value;
    const after = message.kind === "fleet" ? message.list : applyFleetPatch(before, message.patch);
    fleet.value = after;
    if (after.trouble !== undefined && before.trouble === undefined)
      announcement.value = "The fleet is away.";
    else if (after.trouble === undefined && before.trouble !== undefined)
      announcement.value = "The fleet is back.";
    if (activeRun.value === undefined) activeRun.value = listed.value[0]?.id;
  });
}

/** The address follows, so that the list can be sent and come back to; one entry of the history for all of it. */
export function setFleetFilter(change: Partial<FleetFilter>): void {
  const filter = { ...fleetFilter.value, ...change };
  history.replaceState(null, "", writePlace({ kind: "list", filter }));
  batch(() => {
    fleetFilter.value = filter;
    place.value = { kind: "list", filter };
    if (activeListed.value < 0) activeRun.value = listed.value[0]?.id;
    announcement.value = isFilteringFleet(filter)
      ? `${listed.value.length} of ${fleet.value.runs.length} runs shown`
      : "All runs shown";
  });
}

export function openRun(id: string): void {
  location.hash = writePlace({ kind: "run", id });
}

export const listAddress = computed(() => writePlace({ kind: "list", filter: fleetFilter.value }));
