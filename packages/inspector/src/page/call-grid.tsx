import { useComputed } from "@preact/signals";

import { formatMs, timeTicks } from "../model/format.ts";
import { isFiltering, type TreeRow } from "../model/rows.ts";
import {
  activeKey,
  activeRow,
  announcement,
  filter,
  rows,
  run,
  setFilter,
  setFolded,
  span,
  toggleZoom,
  tree,
  zoom,
} from "./state.ts";
import { noFilter } from "../model/rows.ts";
import { Inline } from "./shown-text.tsx";
import { Effect, StatusMark } from "./status.tsx";
import { VirtualRows } from "./virtual-rows.tsx";

export const ROW_HEIGHT = 28;
const TICKS = 5;
/** Levels that are indented; deeper ones stand below each other. */
const MAX_INDENT = 20;
/** The largest part of the time line at which a mark's number still fits. */
const LAST_TICK = 0.93;

/** The waterfall: every call with its decision, its line, its time and its place on the time line. */
export function CallGrid() {
  const { rows: list } = rows.value;
  const { fromMs, toMs } = span.value;
  const ticks = timeTicks(fromMs, toMs, TICKS);
  const placeOfTick = (ms: number): number => (toMs > fromMs ? (ms - fromMs) / (toMs - fromMs) : 0);
  return (
    <VirtualRows
      label="Calls"
      class="calls"
      count={list.length}
      columns={5}
      rowHeight={ROW_HEIGHT}
      active={activeRow.value}
      rowId={(index) => `call-${list[index]?.node.index ?? 0}`}
      empty={isFiltering(filter.value) ? "No call fits the filter." : "No call was made."}
      onKey={onKey}
      onFocusEmpty={() => move(0)}
      head={
        <div role="row" aria-rowindex={1} class="row">
          <span role="columnheader">Call</span>
          <span role="columnheader">Decision</span>
          <span role="columnheader" class="amount">
            Line
          </span>
          <span role="columnheader" class="amount">
            Time
          </span>
          <span role="columnheader" class="time">
            <span class="unseen">Time line</span>
            {ticks.map((ms) =>
              placeOfTick(ms) > LAST_TICK ? null : (
                <span key={ms} class="tick" style={{ left: `${placeOfTick(ms) * 100}%` }}>
                  {formatMs(ms)}
                </span>
              ),
            )}
          </span>
        </div>
      }
      behind={
        <div class="row guides" aria-hidden="true">
          <span style={{ gridColumn: "1 / -2" }} />
          <span class="time">
            {ticks.map((ms) => (
              <span key={ms} class="line" style={{ left: `${placeOfTick(ms) * 100}%` }} />
            ))}
          </span>
        </div>
      }
      row={(index, top) => {
        const row = list[index];
        return row && <Row key={row.node.call.key} row={row} index={index} top={top} />;
      }}
    />
  );
}

interface RowProps {
  readonly row: TreeRow;
  readonly index: number;
  readonly top: number;
}

function Row({ row, index, top }: RowProps) {
  const { node, expanded } = row;
  const { call } = node;
  // Only the two rows between which the choice moves are drawn again.
  const selected = useComputed(() => activeKey.value === call.key).value;
  return (
    <div
      id={`call-${node.index}`}
      role="row"
      class={`row${selected ? " selected" : ""}${row.match ? "" : " context"}`}
      aria-rowindex={index + 2}
      aria-level={node.level}
      aria-posinset={row.position}
      aria-setsize={row.setSize}
      aria-expanded={expanded}
      aria-selected={selected}
      style={{ top: `${top}px` }}
      onMouseDown={() => (activeKey.value = call.key)}
    >
      <span role="gridcell" class="name" style={{ "--level": Math.min(node.level, MAX_INDENT) - 1 }}>
        <span
          class={expanded === undefined ? "twisty none" : "twisty"}
          aria-hidden="true"
          onMouseDown={() => expanded !== undefined && setFolded([call.key], expanded)}
        >
          {expanded === undefined ? "" : expanded ? "▾" : "▸"}
        </span>
        <StatusMark status={call.status} />
        <Inline text={call.name} />
        {expanded === false && <span class="below">{node.children.length}</span>}
      </span>
      <span role="gridcell" class="decision">
        {call.decision && (
          <>
            <Effect effect={call.decision.effect} /> <Inline text={call.decision.rule} />
          </>
        )}
      </span>
      <span role="gridcell" class="amount line">
        {call.line}
      </span>
      <span role="gridcell" class="amount">
        {call.durationMs === undefined ? "" : formatMs(call.durationMs)}
      </span>
      <span role="gridcell" class="time" aria-label={placeOf(row)}>
        <Bar row={row} />
      </span>
    </div>
  );
}

/** The whole bar is the call; its full part is the tool itself, behind what was decided and waited for. */
function Bar({ row }: Pick<RowProps, "row">) {
  const { startMs, durationMs, runMs, status } = row.node.call;
  const { fromMs, toMs } = span.value;
  const endMs = durationMs === undefined ? Math.max(tree.value.endMs, startMs) : startMs + durationMs;
  if (endMs < fromMs || startMs > toMs) return null;
  const place = (ms: number): number =>
    toMs > fromMs ? Math.max(0, Math.min(100, ((ms - fromMs) / (toMs - fromMs)) * 100)) : 0;
  const ranFrom = status === "running" ? startMs : endMs - Math.min(runMs ?? 0, endMs - startMs);
  return (
    <>
      <span
        class={`bar ${status}`}
        style={{ left: `${place(startMs)}%`, width: `${place(endMs) - place(startMs)}%` }}
      />
      {(runMs !== undefined || status === "running") && (
        <span
          class={`bar ran ${status}`}
          style={{ left: `${place(ranFrom)}%`, width: `${place(endMs) - place(ranFrom)}%` }}
        />
      )}
    </>
  );
}

function placeOf({ node: { call } }: TreeRow): string {
  return `starts at ${formatMs(call.startMs)}`;
}

function move(to: number): void {
  const { rows: list } = rows.value;
  const row = list[Math.max(0, Math.min(list.length - 1, to))];
  if (row !== undefined) activeKey.value = row.node.call.key;
}

function onKey(event: KeyboardEvent, pageRows: number): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (handle(event.key, pageRows)) event.preventDefault();
}

function handle(key: string, pageRows: number): boolean {
  const at = activeRow.value;
  const row = rows.value.rows[at];
  switch (key) {
    case "ArrowDown":
      move(at + 1);
      return true;
    case "ArrowUp":
      move(at - 1);
      return true;
    case "PageDown":
      move(at + pageRows);
      return true;
    case "PageUp":
      move(at - pageRows);
      return true;
    case "Home":
      move(0);
      return true;
    case "End":
      move(rows.value.rows.length - 1);
      return true;
    case "ArrowRight":
      if (row?.expanded === false) fold(row, false);
      else if (row?.expanded === true) move(at + 1);
      return true;
    case "ArrowLeft":
      if (row?.expanded === true && !isFiltering(filter.value)) fold(row, true);
      else if (row?.node.parent !== undefined) activeKey.value = row.node.parent.call.key;
      return true;
    case "Enter":
      if (row?.expanded !== undefined) fold(row, row.expanded);
      return true;
    case "*":
      setFolded(
        (row?.node.parent?.children ?? tree.value.roots).map(({ call }) => call.key),
        false,
      );
      return true;
    case "z":
      toggleZoom();
      return true;
    case "Escape":
      if (isFiltering(filter.value)) setFilter(noFilter);
      else if (zoom.value !== undefined) toggleZoom();
      return true;
    default:
      return false;
  }
}

function fold(row: TreeRow, folded: boolean): void {
  setFolded([row.node.call.key], folded);
  announcement.value = `${row.node.call.name} ${folded ? "folded" : "unfolded"}, ${rows.value.rows.length} of ${run.value.calls.length} rows`;
}
