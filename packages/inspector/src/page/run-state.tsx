import type { FleetState } from "../model/fleet.ts";

const marks: Readonly<Record<FleetState, string>> = {
  queued: "·",
  running: "…",
  parked: "‖",
  halted: "!",
  succeeded: "✓",
  failed: "✗",
  ended: "–",
};

/** How a run stands: a mark with a colour, and the word. */
export function RunStateWord({ state }: { readonly state: FleetState }) {
  return (
    <span class={`word ${state}`}>
      <span class="mark" aria-hidden="true">
        {marks[state]}
      </span>
      <span class="state-word">{state}</span>
    </span>
  );
}
