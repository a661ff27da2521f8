import { useComputed } from "@preact/signals";

import type { DiffRow } from "../model/diff.ts";
import { formatCount, formatMs } from "../model/format.ts";
import type { TreeNode } from "../model/tree.ts";
import { activeDiffRow, activeKey, compareWith, diff, onlyDifferences } from "./state.ts";
import { Inline } from "./shown-text.tsx";
import { StatusMark } from "./status.tsx";
import { VirtualRows } from "./virtual-rows.tsx";

const ROW_HEIGHT = 28;
const MAX_INDENT = 12;

/** Two runs, call beside call. */
export function DiffGrid() {
  const found = diff.value;
  if (found === undefined) return null;
  const { rows } = found;
  const active = Math.min(activeDiffRow.value, rows.length - 1);
  return (
    <VirtualRows
      label="Two runs side by side"
      class="diff"
      count={rows.length}
      columns={5}
      rowHeight={ROW_HEIGHT}
      active={active}
      rowId={(index) => `pair-${index}`}
      empty={onlyDifferences.value ? "The two runs made the same calls." : "No call was made."}
      onKey={(event, page) => onKey(event, page, rows)}
      onFocusEmpty={() => choose(rows, 0)}
      head={
        <div role="row" aria-rowindex={1} class="row">
          <span role="columnheader">This run</span>
          <span role="columnheader" class="amount">
            Time
          </span>
          <span role="columnheader">Other run</span>
          <span role="columnheader" class="amount">
            Time
          </span>
          <span role="columnheader">Difference</span>
        </div>
      }
      row={(index, top) => {
        const row = rows[index];
        return row && <PairRow key={index} row={row} index={index} top={top} rows={rows} />;
      }}
    />
  );
}

interface PairRowProps {
  readonly row: DiffRow;
  readonly rows: readonly DiffRow[];
  readonly index: number;
  readonly top: number;
}

function PairRow({ row, rows, index, top }: PairRowProps) {
  const chosen = useComputed(() => Math.min(activeDiffRow.value, rows.length - 1) === index).value;
  const changed = row.changes.length > 0 ? " changed" : "";
  return (
    <div
      id={`pair-${index}`}
      role="row"
      class={`row ${row.kind}${changed}${chosen ? " selected" : ""}`}
      aria-rowindex={index + 2}
      aria-level={row.level}
      aria-selected={chosen}
      style={{ top: `${top}px` }}
      onMouseDown={() => choose(rows, index)}
    >
      <Side node={row.left} level={row.level} />
      <Side node={row.right} level={row.level} />
      <span role="gridcell" class="difference">
        {differenceOf(row)}
      </span>
    </div>
  );
}

function Side({ node, level }: { readonly node: TreeNode | undefined; readonly level: number }) {
  if (node === undefined)
    return (
      <>
        <span role="gridcell" class="name absent" aria-label="not called" />
        <span role="gridcell" class="amount absent" />
      </>
    );
  const { call } = node;
  return (
    <>
      <span role="gridcell" class="name" style={{ "--level": Math.min(level, MAX_INDENT) - 1 }}>
        <StatusMark status={call.status} />
        <Inline text={call.name} />
      </span>
      <span role="gridcell" class="amount">
        {call.durationMs === undefined ? "" : formatMs(call.durationMs)}
      </span>
    </>
  );
}

function differenceOf(row: DiffRow): string {
  if (row.kind === "left") return "only this run";
  if (row.kind === "right") return "only other run";
  return row.changes.join(", ");
}

/** What the two runs have in common and what not, in one line, and the choice to see only that. */
export function DiffSummary() {
  const found = diff.value;
  if (found === undefined) return null;
  const facts = [
    `${formatCount(found.onlyLeft)} only in this run`,
    `${formatCount(found.onlyRight)} only in the other`,
    `${formatCount(found.changed)} changed`,
  ];
  return (
    <div class="tools" role="region" aria-label="Comparison">
      <span class="facts">{facts.join(" · ")}</span>
      <label class="check">
        <input
          type="checkbox"
          checked={onlyDifferences.value}
          onChange={({ currentTarget }) => {
            onlyDifferences.value = currentTarget.checked;
            activeDiffRow.value = 0;
          }}
        />
        Differences only
      </label>
    </div>
  );
}

function choose(rows: readonly DiffRow[], to: number): void {
  const index = Math.max(0, Math.min(rows.length - 1, to));
  activeDiffRow.value = index;
  const left = rows[index]?.left;
  if (left !== undefined) activeKey.value = left.call.key;
}

function onKey(event: KeyboardEvent, page: number, rows: readonly DiffRow[]): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") compareWith(undefined);
  const at = activeDiffRow.value;
  const places = new Map([
    ["ArrowDown", at + 1],
    ["ArrowUp", at - 1],
    ["PageDown", at + page],
    ["PageUp", at - page],
    ["Home", 0],
    ["End", rows.length - 1],
  ]);
  const to = places.get(event.key);
  if (to === undefined) return;
  event.preventDefault();
  choose(rows, to);
}
