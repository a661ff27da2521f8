import type { FleetState } from "../model/fleet.ts";

export const stateMarks: Readonly<Record<FleetState, string>> = {
  queued: "·",
  running: "…",
  parked: "‖",
  halted: "!",
  succeeded: "✓",
  failed: "✗",
  aborted: "⊘",
  ended: "–",
};

/** How a run stands: a mark with a colour, and the word. */
export function RunStateWord({ state }: { readonly state: FleetState }) {
  return (
    <span class={`word ${state}`}>
      <span class="mark" aria-hidden="true">
        {stateMarks[state]}
      </span>
      <span class="state-word">{state}</span>
    </span>
  );
}
