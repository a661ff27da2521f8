import type { Run, RunCall, RunScript } from "./run.ts";

/** A call with its place in the tree. */
export interface TreeNode {
  readonly call: RunCall;
  /** Place among all calls of the run, from 0. */
  readonly index: number;
  /** 1 for a root. */
  readonly level: number;
  readonly parent: TreeNode | undefined;
  readonly children: readonly TreeNode[];
  /** The script whose calls these are: that of the call, or of the nearest above it with one. */
  readonly within: ScriptOwner;
}

/** Key of the call that ran a script; `null`: the script is the run's. */
export type ScriptOwner = string | null;

export interface CallTree {
  readonly roots: readonly TreeNode[];
  readonly nodes: readonly TreeNode[];
  readonly byKey: ReadonlyMap<string, TreeNode>;
  /** Calls by the line that made them, of each script. */
  readonly byLine: ReadonlyMap<ScriptOwner, ReadonlyMap<number, readonly TreeNode[]>>;
  /** Milliseconds that the time line shows. */
  readonly endMs: number;
}

type Growing = Omit<TreeNode, "children"> & { readonly children: TreeNode[] };

/** The script of a run that the calls around this one are of. */
export function scriptOf(
  run: Pick<Run, "script">,
  tree: Pick<CallTree, "byKey">,
  owner: ScriptOwner,
): RunScript | undefined {
  return owner === null ? run.script : tree.byKey.get(owner)?.call.script;
}

/** A parent always stands before its children; a call whose parent is not there is a root. */
export function buildTree(run: Pick<Run, "calls" | "durationMs">): CallTree {
  const roots: TreeNode[] = [];
  const nodes: TreeNode[] = [];
  const byKey = new Map<string, Growing>();
  const byLine = new Map<ScriptOwner, Map<number, TreeNode[]>>();
  let endMs = run.durationMs;
  for (const [index, call] of run.calls.entries()) {
    const parent = call.parent === undefined ? undefined : byKey.get(call.parent);
    const within = call.script === undefined ? (parent?.within ?? null) : call.key;
    const node: Growing = { call, index, level: (parent?.level ?? 0) + 1, parent, children: [], within };
    (parent?.children ?? roots).push(node);
    nodes.push(node);
    byKey.set(call.key, node);
    endMs = Math.max(endMs, call.startMs + (call.durationMs ?? 0));
    if (call.line === undefined) continue;
    const owner = parent?.within ?? null;
    const lines = byLine.get(owner) ?? new Map<number, TreeNode[]>();
    byLine.set(owner, lines);
    const line = lines.get(call.line);
    if (line === undefined) lines.set(call.line, [node]);
    else line.push(node);
  }
  return { roots, nodes, byKey, byLine, endMs };
}
