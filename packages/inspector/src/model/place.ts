/** What a page of a fleet shows, as the part of its address behind `#`: it can be kept, sent and gone back to. */
import { type FleetFilter, fleetStates, noFleetFilter } from "./fleet.ts";

export type Place =
  | { readonly kind: "list"; readonly filter: FleetFilter }
  | { readonly kind: "run"; readonly id: string };

/** Whatever an address holds is a place: what cannot be read of it is left out. */
export function readPlace(hash: string): Place {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const id = words.get("run");
  if (id !== null && id !== "") return { kind: "run", id };
  const wanted = new Set((words.get("state") ?? "").split(","));
  const states = new Set(fleetStates.filter((state) => wanted.has(state)));
  const text = words.get("text") ?? "";
  return { kind: "list", filter: text === "" && states.size === 0 ? noFleetFilter : { text, states } };
}

export function writePlace(place: Place): string {
  if (place.kind === "run") return `#${new URLSearchParams({ run: place.id }).toString()}`;
  const { text, states } = place.filter;
  const words = new URLSearchParams({
    ...(states.size === 0 ? {} : { state: [...states].join(",") }),
    ...(text === "" ? {} : { text }),
  }).toString();
  return words === "" ? "#" : `#${words}`;
}
