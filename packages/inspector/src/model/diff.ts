/**
 * Two runs side by side: their trees are laid on each other by the names of siblings, in order. What has the same
 * name at the same place is one row; what only one run did is a row with one side.
 */
import type { TreeNode } from "./tree.ts";

/** What two calls at one place differ in. */
export type CallChange = "status" | "decision" | "arguments" | "result";

export interface DiffRow {
  readonly kind: "both" | "left" | "right";
  readonly left?: TreeNode;
  readonly right?: TreeNode;
  readonly level: number;
  /** Empty unless `both`. */
  readonly changes: readonly CallChange[];
}

export interface RunDiff {
  readonly rows: readonly DiffRow[];
  readonly onlyLeft: number;
  readonly onlyRight: number;
  readonly changed: number;
}

type Pair = Pick<DiffRow, "left" | "right">;

export function diffTrees(left: readonly TreeNode[], right: readonly TreeNode[]): RunDiff {
  const rows: DiffRow[] = [];
  const counts = { left: 0, right: 0, changed: 0 };
  const stack: { readonly pairs: readonly Pair[]; at: number; readonly level: number }[] = [
    { pairs: alignByName(left, right), at: 0, level: 1 },
  ];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const pair = top.pairs[top.at++];
    if (pair === undefined) {
      stack.pop();
      continue;
    }
    const row = rowOf(pair, top.level);
    rows.push(row);
    if (row.kind !== "both") counts[row.kind]++;
    else if (row.changes.length > 0) counts.changed++;
    const below = alignByName(pair.left?.children ?? [], pair.right?.children ?? []);
    if (below.length > 0) stack.push({ pairs: below, at: 0, level: top.level + 1 });
  }
  return { rows, onlyLeft: counts.left, onlyRight: counts.right, changed: counts.changed };
}

function rowOf({ left, right }: Pair, level: number): DiffRow {
  if (left === undefined) return { kind: "right", ...(right && { right }), level, changes: [] };
  if (right === undefined) return { kind: "left", left, level, changes: [] };
  return { kind: "both", left, right, level, changes: changesOf(left, right) };
}

function changesOf({ call: a }: TreeNode, { call: b }: TreeNode): readonly CallChange[] {
  const changes: CallChange[] = [];
  if (a.status !== b.status) changes.push("status");
  if (a.decision?.effect !== b.decision?.effect || a.decision?.rule !== b.decision?.rule)
    changes.push("decision");
  if (a.arguments !== b.arguments) changes.push("arguments");
  if (a.result !== b.result || a.error !== b.error) changes.push("result");
  return changes;
}

/** Beyond so many cells of the table a simpler way is taken that looks only this far ahead. */
const MAX_CELLS = 1_000_000;
const LOOK_AHEAD = 100;

/** The longest common line of names; between two common ones the left side's own calls come first. */
export function alignByName(left: readonly TreeNode[], right: readonly TreeNode[]): readonly Pair[] {
  let head = 0;
  while (head < left.length && head < right.length && likeness(left[head], right[head]) === ALIKE) head++;
  let tail = 0;
  while (
    tail < left.length - head &&
    tail < right.length - head &&
    likeness(left[left.length - 1 - tail], right[right.length - 1 - tail]) === ALIKE
  )
    tail++;
  const a = left.slice(head, left.length - tail);
  const b = right.slice(head, right.length - tail);
  const common = a.length * b.length <= MAX_CELLS ? longest(a, b) : nearest(a, b);
  const pairs: Pair[] = [];
  for (let index = 0; index < head; index++) pairs.push(pairOf(left[index], right[index]));
  let i = 0;
  let j = 0;
  for (const [nextA, nextB] of [...common, [a.length, b.length] as const]) {
    while (i < nextA) pairs.push(pairOf(a[i++], undefined));
    while (j < nextB) pairs.push(pairOf(undefined, b[j++]));
    if (i < a.length && j < b.length) pairs.push(pairOf(a[i++], b[j++]));
  }
  for (let index = tail; index > 0; index--)
    pairs.push(pairOf(left[left.length - index], right[right.length - index]));
  return pairs;
}

function pairOf(left: TreeNode | undefined, right: TreeNode | undefined): Pair {
  return { ...(left && { left }), ...(right && { right }) };
}

/** Two calls of one name with the same arguments. */
const ALIKE = 2;

/** 0: of two names. 1: of one name. */
function likeness(a: TreeNode | undefined, b: TreeNode | undefined): number {
  if (a === undefined || b === undefined || a.call.name !== b.call.name) return 0;
  return a.call.arguments === b.call.arguments ? ALIKE : 1;
}

/** Longest common subsequence of names, by a table; among those the one in which most arguments are the same. */
function longest(a: readonly TreeNode[], b: readonly TreeNode[]): readonly (readonly [number, number])[] {
  const width = b.length + 1;
  // A name counts more than all arguments together.
  const name = Math.min(a.length, b.length) + 1;
  const worth = (i: number, j: number): number => {
    const like = likeness(a[i], b[j]);
    return like === 0 ? 0 : name + like - 1;
  };
  const table = new Float64Array((a.length + 1) * width);
  const at = (i: number, j: number): number => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const both = worth(i, j);
      table[i * width + j] = Math.max(at(i + 1, j), at(i, j + 1), both === 0 ? 0 : both + at(i + 1, j + 1));
    }
  }
  const common: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const both = worth(i, j);
    if (both > 0 && at(i, j) === both + at(i + 1, j + 1)) common.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return common;
}

/** For very long lists: each call takes the nearest one of its name that is still ahead. */
function nearest(a: readonly TreeNode[], b: readonly TreeNode[]): readonly (readonly [number, number])[] {
  const common: [number, number][] = [];
  let j = 0;
  for (let i = 0; i < a.length; i++) {
    for (let ahead = 0; ahead < LOOK_AHEAD && j + ahead < b.length; ahead++) {
      if (likeness(a[i], b[j + ahead]) === 0) continue;
      common.push([i, j + ahead]);
      j += ahead + 1;
      break;
    }
  }
  return common;
}
