/** All that the page knows and what was chosen on it. Everything else on the page follows from these signals. */
import { batch, computed, signal } from "@preact/signals";

import { diffTrees } from "../model/diff.ts";
import { applyPatch, type PageMessage } from "../model/patch.ts";
import { type CallFilter, isFiltering, noFilter, visibleRows } from "../model/rows.ts";
import type { Run } from "../model/run.ts";
import { quietGaps, timeLine, type TimeSpan } from "../model/time-line.ts";
import { buildTree, type CallTree, type ScriptOwner, scriptOf, type TreeNode } from "../model/tree.ts";

export type Tab = "call" | "script" | "output" | "limits" | "rules" | "run";

/** `unknown`: there is no such run. */
export type Connection = "file" | "connecting" | "live" | "lost" | "unknown";

export const runs = signal<readonly Run[]>([]);
export const connection = signal<Connection>("file");
export const chosenRun = signal(0);
/** The run on the right, when two are laid side by side. */
export const otherRun = signal<number | undefined>(undefined);
export const onlyDifferences = signal(false);
export const filter = signal<CallFilter>(noFilter);
export const foldedKeys = signal<ReadonlySet<string>>(new Set());
export const activeKey = signal<string | undefined>(undefined);
export const activeDiffRow = signal(0);
export const tab = signal<Tab>("call");
export const printing = signal(false);
/** The part of the time line that is seen; undefined: all of it. */
export const zoom = signal<TimeSpan | undefined>(undefined);
/** Long waits are drawn short. */
export const shortWaits = signal(true);
/** Why what is shown of a run is older than it should be; empty: it is not. */
export const trouble = signal("");
/** Parts of the details that somebody opened or folded, by their title: they stay so for other calls. */
export const foldedParts = signal<ReadonlyMap<string, boolean>>(new Map());
/** What a screen reader is told. */
export const announcement = signal("");

const emptyRun: Run = { name: "", durationMs: 0, omitted: 0, live: false, calls: [] };

export const run = computed(() => runs.value[chosenRun.value] ?? emptyRun);
export const tree = computed(() => buildTree(run.value));
export const rows = computed(() => visibleRows(tree.value, foldedKeys.value, filter.value));
export const span = computed((): TimeSpan => zoom.value ?? { fromMs: 0, toMs: tree.value.endMs });
const TICKS = 5;
const waits = computed(() => quietGaps(run.value.calls, tree.value.endMs));
export const hasLongWaits = computed(() => waits.value.length > 0);
export const line = computed(() => timeLine(span.value, shortWaits.value ? waits.value : [], TICKS));
export const activeRow = computed(() => {
  const key = activeKey.value;
  return key === undefined ? -1 : rows.value.rows.findIndex(({ node }) => node.call.key === key);
});
export const activeNode = computed(() => {
  const key = activeKey.value;
  return key === undefined ? undefined : tree.value.byKey.get(key);
});
/** Whose script stands beside the tree: the one that the chosen call ran or belongs to. */
export const scriptOwner = computed((): ScriptOwner => activeNode.value?.within ?? null);
export const script = computed(() => scriptOf(run.value, tree.value, scriptOwner.value));
/** Of every script of the run, in the order in which they began. */
export const scriptOwners = computed((): readonly ScriptOwner[] => [
  ...tree.value.nodes.flatMap(({ call }) => (call.script === undefined ? [] : [call.key])),
  ...(run.value.script === undefined ? [] : [null]),
]);
const otherTree = computed((): CallTree | undefined => {
  const other = otherRun.value === undefined ? undefined : runs.value[otherRun.value];
  return other === undefined ? undefined : buildTree(other);
});
const wholeDiff = computed(() =>
  otherTree.value === undefined ? undefined : diffTrees(tree.value.roots, otherTree.value.roots),
);
export const diff = computed(() => {
  const whole = wholeDiff.value;
  if (whole === undefined || !onlyDifferences.value) return whole;
  return { ...whole, rows: whole.rows.filter(({ kind, changes }) => kind !== "both" || changes.length > 0) };
});

/** Nothing of one run is shown with another. */
export function forgetRuns(): void {
  batch(() => {
    runs.value = [];
    trouble.value = "";
    filter.value = noFilter;
    otherRun.value = undefined;
    chooseRun(0);
  });
}

export function take(message: Extract<PageMessage, { kind: "runs" | "patch" | "trouble" }>): void {
  batch(() => {
    const wasLive = run.value.live;
    if (message.kind === "trouble") trouble.value = message.message;
    else if (message.kind === "runs") {
      runs.value = message.runs;
      trouble.value = "";
    } else {
      const { patch } = message;
      runs.value = runs.value.map((one, index) => (index === patch.run ? applyPatch(one, patch) : one));
    }
    if (wasLive && !run.value.live) announcement.value = "The run has ended.";
  });
}

export function chooseRun(index: number): void {
  batch(() => {
    chosenRun.value = index;
    activeKey.value = undefined;
    foldedKeys.value = new Set();
    zoom.value = undefined;
    if (otherRun.value === index) otherRun.value = runs.value.findIndex((_, other) => other !== index);
  });
}

export function compareWith(index: number | undefined): void {
  batch(() => {
    otherRun.value = index;
    activeDiffRow.value = 0;
  });
}

export function setFilter(change: Partial<CallFilter>): void {
  filter.value = { ...filter.value, ...change };
  // What is shown in detail is to be seen in the tree as well.
  const first = rows.value.rows.find(({ match }) => match);
  if (activeRow.value < 0 && first !== undefined) activeKey.value = first.node.call.key;
  const { matches } = rows.value;
  const { length } = run.value.calls;
  announcement.value = isFiltering(filter.value) ? `${matches} of ${length} calls shown` : "All calls shown";
}

export function setFolded(keys: readonly string[], folded: boolean): void {
  const next = new Set(foldedKeys.value);
  for (const key of keys) {
    if (folded) next.add(key);
    else next.delete(key);
  }
  foldedKeys.value = next;
}

/** Makes the chosen call as wide as the time line, or shows all of it again. */
export function toggleZoom(): void {
  const call = activeNode.value?.call;
  if (zoom.value !== undefined || call === undefined) {
    zoom.value = undefined;
    announcement.value = "The whole time line is shown.";
    return;
  }
  const toMs = call.durationMs === undefined ? tree.value.endMs : call.startMs + call.durationMs;
  const margin = Math.max((toMs - call.startMs) * 0.05, 0.01);
  zoom.value = { fromMs: Math.max(0, call.startMs - margin), toMs: toMs + margin };
  announcement.value = `The time line shows ${call.name}.`;
}

/** Chooses a call wherever it is: what is folded above it opens, and a filter that hides it goes. */
export function showCall(node: TreeNode): void {
  batch(() => {
    const above: string[] = [];
    for (let up = node.parent; up !== undefined; up = up.parent) above.push(up.call.key);
    if (above.some((key) => foldedKeys.value.has(key))) setFolded(above, false);
    activeKey.value = node.call.key;
    if (!rows.value.rows.some((row) => row.node.call.key === node.call.key)) filter.value = noFilter;
  });
}

/** The next call that a line of the shown script made, after the chosen one. */
export function showLine(line: number, owner: ScriptOwner = scriptOwner.value): void {
  const made = tree.value.byLine.get(owner)?.get(line);
  if (made === undefined) return;
  const at = made.findIndex(({ call }) => call.key === activeKey.value);
  const next = made[(at + 1) % made.length];
  if (next === undefined) return;
  showCall(next);
  announcement.value = `Call ${((at + 1) % made.length) + 1} of ${made.length} of line ${line}: ${next.call.name}, ${next.call.status}`;
}
