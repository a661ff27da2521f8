import { useComputed } from "@preact/signals";

import { type FleetEntry, isFilteringFleet, noFleetFilter } from "../model/fleet.ts";
import { formatAge, formatMs } from "../model/format.ts";
import {
  activeListed,
  activeRun,
  fleet,
  fleetFilter,
  listed,
  now,
  openRun,
  setFleetFilter,
} from "./fleet-state.ts";
import { ROW_HEIGHT } from "./call-grid.tsx";
import { RunStateWord } from "./run-state.tsx";
import { Inline } from "./shown-text.tsx";
import { VirtualRows } from "./virtual-rows.tsx";

/** Every run of the fleet, the newest first. */
export function FleetGrid() {
  const runs = listed.value;
  return (
    <VirtualRows
      label="Runs"
      class="fleet"
      role="grid"
      count={runs.length}
      columns={6}
      rowHeight={ROW_HEIGHT}
      active={activeListed.value}
      rowId={(index) => `run-${index}`}
      empty={emptyText()}
      onKey={onKey}
      onFocusEmpty={() => move(0)}
      head={
        <div role="row" aria-rowindex={1} class="row">
          <span role="columnheader">State</span>
          <span role="columnheader">Run</span>
          <span role="columnheader">Waits for</span>
          <span role="columnheader" class="amount">
            Age
          </span>
          <span role="columnheader" class="amount">
            Duration
          </span>
          <span role="columnheader">Worker</span>
        </div>
      }
      row={(index, top) => {
        const run = runs[index];
        return run && <Row key={run.id} run={run} index={index} top={top} />;
      }}
    />
  );
}

function emptyText(): string {
  if (!fleet.value.loaded) return fleet.value.trouble === undefined ? "Asking the fleet…" : "";
  return isFilteringFleet(fleetFilter.value) ? "No run fits the filter." : "There is no run yet.";
}

interface RowProps {
  readonly run: FleetEntry;
  readonly index: number;
  readonly top: number;
}

function Row({ run, index, top }: RowProps) {
  const selected = useComputed(() => activeRun.value === run.id).value;
  const age = useComputed(() =>
    run.createdAt === undefined ? "" : formatAge(now.value - run.createdAt),
  ).value;
  return (
    <div
      id={`run-${index}`}
      role="row"
      class={`row${selected ? " selected" : ""}`}
      aria-rowindex={index + 2}
      aria-selected={selected}
      style={{ top: `${top}px` }}
      onMouseDown={() => (activeRun.value = run.id)}
      onDblClick={() => openRun(run.id)}
    >
      <span role="gridcell" class="run-state">
        <RunStateWord state={run.state} />
      </span>
      <span role="gridcell" class="run-id">
        <a
          href={`#${new URLSearchParams({ run: run.id }).toString()}`}
          tabIndex={-1}
          onMouseDown={() => (activeRun.value = run.id)}
        >
          <Inline text={run.id} />
        </a>
      </span>
      <span role="gridcell" class="waits">
        <WaitsFor run={run} />
      </span>
      <span role="gridcell" class="amount">
        {age}
      </span>
      <span role="gridcell" class="amount duration">
        {run.createdAt === undefined || run.endedAt === undefined
          ? ""
          : formatMs(Math.max(0, run.endedAt - run.createdAt))}
      </span>
      <span role="gridcell" class="worker">
        {run.worker !== undefined && <Inline text={run.worker} />}
      </span>
    </div>
  );
}

/** What has to happen before the run goes on: a person's answer, a time, or the cause of a halt to be removed. */
function WaitsFor({ run }: { readonly run: FleetEntry }) {
  const [first] = run.questions;
  const more = run.waitingFor - 1;
  if (first !== undefined)
    return (
      <>
        <span class="what">
          <Inline text={first.name} />
          {first.arguments !== undefined && (
            <span class="hint">
              (<Inline text={first.arguments} />)
            </span>
          )}
        </span>
        {more > 0 && <span class="below">+{more}</span>}
      </>
    );
  if (run.waitingFor > 0) return <>{run.waitingFor === 1 ? "a person" : `${run.waitingFor} answers`}</>;
  if (run.state === "parked" && run.wakeAt !== undefined) return <Timer wakeAt={run.wakeAt} />;
  if (run.message !== undefined)
    return (
      <span class="what">
        <Inline text={run.message} />
      </span>
    );
  return null;
}

function Timer({ wakeAt }: { readonly wakeAt: number }) {
  const left = wakeAt - now.value;
  return <>{left > 0 ? `a timer, in ${formatAge(left)}` : "a timer that is due"}</>;
}

function move(to: number): void {
  const run = listed.value[Math.max(0, Math.min(listed.value.length - 1, to))];
  if (run !== undefined) activeRun.value = run.id;
}

function onKey(event: KeyboardEvent, pageRows: number): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const at = activeListed.value;
  const places = new Map([
    ["ArrowDown", at + 1],
    ["ArrowUp", at - 1],
    ["PageDown", at + pageRows],
    ["PageUp", at - pageRows],
    ["Home", 0],
    ["End", listed.value.length - 1],
  ]);
  const to = places.get(event.key);
  const id = activeRun.value;
  if (to !== undefined) move(to);
  else if (event.key === "Enter" && id !== undefined) openRun(id);
  else if (event.key === "Escape" && isFilteringFleet(fleetFilter.value)) setFleetFilter(noFleetFilter);
  else return;
  event.preventDefault();
}
