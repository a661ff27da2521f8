import { useComputed } from "@preact/signals";

import { formatAge, formatMs } from "../model/format.ts";
import { isFiltering, noCallText, type TreeRow } from "../model/rows.ts";
import {
  activeKey,
  activeRow,
  announcement,
  filter,
  line,
  rows,
  run,
  setFilter,
  setFolded,
  toggleZoom,
  tree,
  zoom,
} from "./state.ts";
import { noFilter } from "../model/rows.ts";
import { Inline } from "./shown-text.tsx";
import { Effect, lastAnswer, StatusMark } from "./status.tsx";
import { VirtualRows } from "./virtual-rows.tsx";

export const ROW_HEIGHT = 28;
/** Levels that are indented; deeper ones stand below each other. */
const MAX_INDENT = 20;
/** Cuts of the time line whose length is told above them. */
const MAX_GAP_LABELS = 6;
/** The largest part of the time line at which a mark's number still fits. */
const LAST_TICK = 0.93;

/** The waterfall: every call with its decision, its line, its time and its place on the time line. */
export function CallGrid() {
  const { rows: list } = rows.value;
  const { ticks, gaps } = line.value;
  return (
    <VirtualRows
      label="Calls"
      class="calls"
      count={list.length}
      columns={5}
      rowHeight={ROW_HEIGHT}
      active={activeRow.value}
      rowId={(index) => `call-${list[index]?.node.index ?? 0}`}
      empty={isFiltering(filter.value) ? "No call fits the filter." : noCallText(run.value)}
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
            {ticks.map(({ ms, place, label }) =>
              place > LAST_TICK ? null : (
                <span key={ms} class="tick" style={{ left: `${place * 100}%` }}>
                  {label}
                </span>
              ),
            )}
            {gaps.length <= MAX_GAP_LABELS &&
              gaps.map(({ fromMs, toMs, from, to }) => (
                <span
                  key={fromMs}
                  class="gap-label"
                  // Within the line: one that stands at its edge would lie over the next heading.
                  style={{ left: `clamp(26px, ${((from + to) / 2) * 100}%, calc(100% - 26px))` }}
                  title={`${formatMs(toMs - fromMs)} in which nothing went on`}
                >
                  {formatAge(toMs - fromMs)}
                </span>
              ))}
          </span>
        </div>
      }
      behind={
        <div class="row guides" aria-hidden="true">
          <span style={{ gridColumn: "1 / -2" }} />
          <span class="time">
            {ticks.map(({ ms, place }) => (
              <span key={ms} class="line" style={{ left: `${place * 100}%` }} />
            ))}
            {gaps.map(({ fromMs, from, to }) => (
              <span
                key={fromMs}
                class="gap"
                style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
              />
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
  const answer = lastAnswer(call);
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
            <Effect effect={call.decision.effect} />
            {answer !== undefined && `, ${answer}`} <Inline text={call.decision.rule} />
          </>
        )}
      </span>
      <span role="gridcell" class="amount line">
        {call.line}
      </span>
      <span role="gridcell" class="amount">
        {call.durationMs === undefined || call.untimed === true ? "" : formatMs(call.durationMs)}
      </span>
      <span role="gridcell" class="time" aria-label={placeText(row)}>
        <Bar row={row} />
      </span>
    </div>
  );
}

/**
 * The whole bar is the call; its full part is the tool itself, behind what was decided and waited for. Of a call that
 * waited for people, the waits are drawn as such.
 */
function Bar({ row }: Pick<RowProps, "row">) {
  const { startMs, durationMs, runMs, status, waits = [] } = row.node.call;
  const { fromMs, toMs, place: placeOf } = line.value;
  const endMs = durationMs === undefined ? Math.max(tree.value.endMs, startMs) : startMs + durationMs;
  if (endMs < fromMs || startMs > toMs) return null;
  const place = (ms: number): number => placeOf(ms) * 100;
  const ranFrom = status === "running" ? startMs : endMs - Math.min(runMs ?? 0, endMs - startMs);
  return (
    <>
      <span
        class={`bar ${status}`}
        style={{ left: `${place(startMs)}%`, width: `${place(endMs) - place(startMs)}%` }}
      />
      {waits.map((wait) => (
        <span
          key={wait.key}
          class="bar wait"
          style={{
            left: `${place(wait.fromMs)}%`,
            width: `${place(Math.min(endMs, wait.toMs ?? endMs)) - place(wait.fromMs)}%`,
          }}
        />
      ))}
      {(runMs !== undefined || status === "running") && (
        <span
          class={`bar ran ${status}`}
          style={{ left: `${place(ranFrom)}%`, width: `${place(endMs) - place(ranFrom)}%` }}
        />
      )}
    </>
  );
}

function placeText({ node: { call } }: TreeRow): string {
  const waits = call.waits?.length ?? 0;
  const waited = waits === 0 ? "" : `, waited for people ${waits === 1 ? "once" : `${waits} times`}`;
  return `${call.untimed === true ? "ends" : "starts"} at ${formatMs(call.startMs)}${waited}`;
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
