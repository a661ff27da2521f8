import { useEffect, useRef } from "preact/hooks";

import { formatCount } from "../model/format.ts";
import { type CallFilter, isFiltering, noFilter } from "../model/rows.ts";
import { callStatuses, type CallStatus } from "../model/run.ts";
import { filter, rows, run, setFilter } from "./state.ts";

/** Narrows what is seen, by text, status and decision. */
export function Toolbar() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focusField = (event: KeyboardEvent): void => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || isField(event.target)) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener("keydown", focusField);
    return () => removeEventListener("keydown", focusField);
  }, []);
  const { text, statuses, decision } = filter.value;
  return (
    <div class="tools" role="search" aria-label="Filter of calls">
      <label class="search">
        <span class="unseen">Filter by name, rule or id</span>
        <input
          ref={field}
          type="search"
          placeholder="Filter by name, rule or id"
          spellcheck={false}
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => setFilter({ text: currentTarget.value })}
          onKeyDown={onFieldKey}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
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

function onFieldKey(event: KeyboardEvent): void {
  if (event.key === "Escape") {
    if (filter.value.text === "") focusGrid();
    else setFilter({ text: "" });
  } else if (event.key === "Enter" || event.key === "ArrowDown") focusGrid();
  else return;
  event.preventDefault();
}

function focusGrid(): void {
  document.querySelector<HTMLElement>("[role=treegrid]")?.focus();
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
}
