import type { CallStatus, Run } from "./run.ts";
import type { CallTree, TreeNode } from "./tree.ts";

/** What is to be seen of a tree. All parts have to hold. */
export interface CallFilter {
  /** Part of the tool's name, the rule or the id; letters in any case. */
  readonly text: string;
  /** Empty: any. */
  readonly statuses: ReadonlySet<CallStatus>;
  /** `none`: calls without a decision. */
  readonly decision: "any" | "allow" | "ask" | "deny" | "none";
}

export const noFilter: CallFilter = { text: "", statuses: new Set(), decision: "any" };

/** One visible row. */
export interface TreeRow {
  readonly node: TreeNode;
  /** From 1, among the siblings that are visible. */
  readonly position: number;
  readonly setSize: number;
  /** Undefined: nothing below it. */
  readonly expanded: boolean | undefined;
  /** False: shown only because of what lies below it. */
  readonly match: boolean;
}

export interface TreeRows {
  readonly rows: readonly TreeRow[];
  /** Calls that the filter lets through, folded or not. */
  readonly matches: number;
}

export function isFiltering({ text, statuses, decision }: CallFilter): boolean {
  return text !== "" || statuses.size > 0 || decision !== "any";
}

/** Of a run without calls. A journal learns of most calls when they end: one may well be under way. */
export function noCallText({ live, standing }: Run): string {
  if (!live) return "No call was made.";
  return standing === undefined ? "No call was made yet." : "No call has ended yet.";
}

/** The rows that are seen, in order. With a filter, what leads to a match is open whatever is folded. */
export function visibleRows(tree: CallTree, folded: ReadonlySet<string>, filter: CallFilter): TreeRows {
  const filtering = isFiltering(filter);
  const matching = filtering ? matchesOf(tree, filter) : undefined;
  const rows: TreeRow[] = [];
  const keep = (nodes: readonly TreeNode[]): readonly TreeNode[] =>
    matching === undefined ? nodes : nodes.filter(({ index }) => matching.kept[index] === 1);
  const stack: { readonly nodes: readonly TreeNode[]; at: number }[] = [{ nodes: keep(tree.roots), at: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const node = top.nodes[top.at++];
    if (node === undefined) {
      stack.pop();
      continue;
    }
    const below = keep(node.children);
    const expanded = below.length === 0 ? undefined : filtering || !folded.has(node.call.key);
    rows.push({
      node,
      position: top.at,
      setSize: top.nodes.length,
      expanded,
      match: matching === undefined || matching.matches.has(node.index),
    });
    if (expanded === true) stack.push({ nodes: below, at: 0 });
  }
  return { rows, matches: matching?.matches.size ?? tree.nodes.length };
}

function matchesOf(
  { nodes }: CallTree,
  filter: CallFilter,
): { readonly matches: ReadonlySet<number>; readonly kept: Uint8Array } {
  const matches = new Set<number>();
  const kept = new Uint8Array(nodes.length);
  const wanted = filter.text.toLowerCase();
  for (const node of nodes) {
    if (!fits(node, filter, wanted)) continue;
    matches.add(node.index);
    for (let up: TreeNode | undefined = node; up !== undefined && kept[up.index] !== 1; up = up.parent)
      kept[up.index] = 1;
  }
  return { matches, kept };
}

function fits({ call }: TreeNode, { statuses, decision }: CallFilter, wanted: string): boolean {
  if (statuses.size > 0 && !statuses.has(call.status)) return false;
  if (decision !== "any" && (call.decision?.effect ?? "none") !== decision) return false;
  if (wanted === "") return true;
  return (
    call.name.toLowerCase().includes(wanted) ||
    call.decision?.rule.toLowerCase().includes(wanted) === true ||
    call.id.toLowerCase().includes(wanted)
  );
}
