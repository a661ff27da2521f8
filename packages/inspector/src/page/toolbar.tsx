import { formatCount } from "../model/format.ts";
import { type CallFilter, isFiltering, noFilter } from "../model/rows.ts";
import { callStatuses, type CallStatus } from "../model/run.ts";
import { focusGrid, SearchField } from "./search-field.tsx";
import { filter, hasLongWaits, rows, run, setFilter, shortWaits } from "./state.ts";

/** Narrows what is seen, by text, status and decision. */
export function Toolbar() {
  const { text, statuses, decision } = filter.value;
  return (
    <div class="tools" role="search" aria-label="Filter of calls">
      <SearchField
        label="Filter by name, rule or id"
        value={text}
        onChange={(value) => setFilter({ text: value })}
      />
      <div class="chips" role="group" aria-label="Status">
        {callStatuses.map((status) => (
          <StatusChip key={status} status={status} chosen={statuses.has(status)} />
        ))}
      </div>
      <label class="by-decision">
        <span class="label" aria-hidden="true">
          Decision
        </span>
        <select
          aria-label="Decision"
          value={decision}
          onChange={({ currentTarget }) =>
            setFilter({ decision: currentTarget.value as CallFilter["decision"] })
          }
        >
          <option value="any">any</option>
          <option value="allow">allow</option>
          <option value="ask">ask</option>
          <option value="deny">deny</option>
          <option value="none">none</option>
        </select>
      </label>
      {hasLongWaits.value && (
        <label class="check">
          <input
            type="checkbox"
            checked={shortWaits.value}
            onChange={({ currentTarget }) => (shortWaits.value = currentTarget.checked)}
          />
          Long waits drawn short
        </label>
      )}
      {isFiltering(filter.value) && (
        <>
          <span class="found">
            {formatCount(rows.value.matches)} of {formatCount(run.value.calls.length)}
          </span>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              setFilter(noFilter);
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

function StatusChip({ status, chosen }: { readonly status: CallStatus; readonly chosen: boolean }) {
  const count = run.value.calls.filter((call) => call.status === status).length;
  if (count === 0 && !chosen) return null;
  return (
    <button
      type="button"
      class={`chip ${status}`}
      aria-pressed={chosen}
      onClick={() => {
        const next = new Set(filter.value.statuses);
        if (!next.delete(status)) next.add(status);
        setFilter({ statuses: next });
      }}
    >
      {status} <span class="count">{formatCount(count)}</span>
    </button>
  );
}
