import { fleetStates, type FleetState, isFilteringFleet, noFleetFilter } from "../model/fleet.ts";
import { formatCount } from "../model/format.ts";
import { fleet, fleetFilter, listed, setFleetFilter, stateCounts } from "./fleet-state.ts";
import { stateMarks } from "./run-state.tsx";
import { focusGrid, SearchField } from "./search-field.tsx";

/** Narrows the list, by text and state; each state with how many runs are in it. */
export function FleetToolbar() {
  const { text, states } = fleetFilter.value;
  return (
    <div class="tools" role="search" aria-label="Filter of runs">
      <SearchField
        label="Filter by run, tool or worker"
        value={text}
        onChange={(value) => setFleetFilter({ text: value })}
      />
      <div class="chips" role="group" aria-label="State">
        {fleetStates.map((state) => (
          <StateChip key={state} state={state} chosen={states.has(state)} />
        ))}
      </div>
      {isFilteringFleet(fleetFilter.value) && (
        <>
          <span class="found">
            {formatCount(listed.value.length)} of {formatCount(fleet.value.runs.length)}
          </span>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              setFleetFilter(noFleetFilter);
              // The button goes with the filter.
              focusGrid();
            }}
          >
            Clear
          </button>
        </>
      )}
    </div>
  );
}

function StateChip({ state, chosen }: { readonly state: FleetState; readonly chosen: boolean }) {
  const count = stateCounts.value.get(state) ?? 0;
  if (count === 0 && !chosen) return null;
  return (
    <button
      type="button"
      class={`chip ${state}`}
      data-mark={stateMarks[state]}
      aria-pressed={chosen}
      onClick={() => {
        const next = new Set(fleetFilter.value.states);
        if (!next.delete(state)) next.add(state);
        setFleetFilter({ states: next });
      }}
    >
      {state} <span class="count">{formatCount(count)}</span>
    </button>
  );
}
