import type { Run, RunCall } from "./run.ts";

/** A call with its place in the tree. */
export interface TreeNode {
  readonly call: RunCall;
  /** Place among all calls of the run, from 0. */
  readonly index: number;
  /** 1 for a root. */
  readonly level: number;
  readonly parent: TreeNode | undefined;
  readonly children: readonly TreeNode[];
}

export interface CallTree {
  readonly roots: readonly TreeNode[];
  readonly nodes: readonly TreeNode[];
  readonly byKey: ReadonlyMap<string, TreeNode>;
  /** Calls by the line of the script that made them. */
  readonly byLine: ReadonlyMap<number, readonly TreeNode[]>;
  /** Milliseconds that the time line shows. */
  readonly endMs: number;
}

type Growing = Omit<TreeNode, "children"> & { readonly children: TreeNode[] };

/** A parent always stands before its children; a call whose parent is not there is a root. */
export function buildTree(run: Pick<Run, "calls" | "durationMs">): CallTree {
  const roots: TreeNode[] = [];
  const nodes: TreeNode[] = [];
  const byKey = new Map<string, Growing>();
  const byLine = new Map<number, TreeNode[]>();
  let endMs = run.durationMs;
  for (const [index, call] of run.calls.entries()) {
    const parent = call.parent === undefined ? undefined : byKey.get(call.parent);
    const node: Growing = { call, index, level: (parent?.level ?? 0) + 1, parent, children: [] };
    (parent?.children ?? roots).push(node);
    nodes.push(node);
    byKey.set(call.key, node);
    endMs = Math.max(endMs, call.startMs + (call.durationMs ?? 0));
    if (call.line === undefined) continue;
    const line = byLine.get(call.line);
    if (line === undefined) byLine.set(call.line, [node]);
    else line.push(node);
  }
  return { roots, nodes, byKey, byLine, endMs };
}
