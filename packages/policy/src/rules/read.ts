import { type ParseError, parseTree, type Node } from "jsonc-parser";

import type { LayerName } from "../decision.ts";
import { jsonSyntaxText } from "./json-syntax.ts";
import { policyShape } from "./schema.ts";
import type { Policy, PolicyProblem } from "./types.ts";

/** Longest policy file, in characters. */
export const MAX_POLICY_CHARS = 1_000_000;
/** Most rules of one file. */
export const MAX_RULES = 2_000;
/** Most problems that are told of one file. */
const MAX_PROBLEMS = 20;

export type ReadResult =
  | { readonly ok: true; readonly policy: Policy; readonly locate: (rule: number, key?: string) => Position }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

/** Counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Reads the text of a policy file; its patterns and examples are not tried yet, see `parsePolicy`. */
export function readPolicy(
  source: string,
  options: { readonly file: string; readonly layer: LayerName },
): ReadResult {
  const { file, layer } = options;
  const problems: PolicyProblem[] = [];
  const add = (offset: number, message: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ file, ...positionAt(source, offset), message });
  };
  if (source.length > MAX_POLICY_CHARS) {
    return {
      ok: false,
      problems: [
        { file, line: 1, column: 1, message: `the file is longer than ${MAX_POLICY_CHARS} characters` },
      ],
    };
  }
  const errors: ParseError[] = [];
  // A byte order mark is not part of the text.
  const tree = parseTree(source.replace(/^\uFEFF/, " "), errors, {
    allowTrailingComma: true,
    disallowComments: false,
  });
  // The first: those after it are mostly what a parser makes of it.
  const [syntax] = errors;
  if (syntax !== undefined) add(syntax.offset, jsonSyntaxText(syntax));
  if (errors.length > 0 || tree === undefined) {
    if (problems.length === 0) add(0, "the file is empty");
    return { ok: false, problems };
  }
  const policy = policyShape.read(tree, { problem: (node, message) => add(node.offset, message) });
  if (policy === undefined) {
    if (problems.length === 0) add(0, "the file could not be read");
    return { ok: false, problems };
  }
  checkWhole(policy, layer, tree, add);
  if (problems.length > 0) return { ok: false, problems };
  const rules = child(tree, "rules")?.children ?? [];
  return {
    ok: true,
    policy,
    locate: (index, key) => {
      const ruleNode = rules[index];
      const node =
        key === undefined || ruleNode === undefined ? ruleNode : (child(ruleNode, key) ?? ruleNode);
      return positionAt(source, node?.offset ?? 0);
    },
  };
}

function checkWhole(
  policy: Policy,
  layer: LayerName,
  tree: Node,
  add: (offset: number, message: string) => void,
): void {
  const rules = child(tree, "rules")?.children ?? [];
  if (rules.length > MAX_RULES) add(tree.offset, `more than ${MAX_RULES} rules`);
  const ids = new Set<string>();
  for (const [index, rule] of policy.rules.entries()) {
    const node = rules[index] ?? tree;
    if (ids.has(rule.id)) add(node.offset, `the id ${JSON.stringify(rule.id)} is used twice`);
    ids.add(rule.id);
  }
  if (layer !== "project") return;
  for (const key of ["preset", "projectMayLoosen"] as const) {
    const node = child(tree, key);
    if (node !== undefined)
      add(
        node.offset,
        `${JSON.stringify(key)} is for the managed and the user layer; a project cannot change what guards it`,
      );
  }
}

function child(node: Node, key: string): Node | undefined {
  return node.children?.find((property) => property.children?.[0]?.value === key)?.children?.[1];
}

function positionAt(source: string, offset: number): Position {
  let line = 1;
  let start = 0;
  for (
    let index = source.indexOf("\n");
    index >= 0 && index < offset;
    index = source.indexOf("\n", index + 1)
  ) {
    line += 1;
    start = index + 1;
  }
  return { line, column: offset - start + 1 };
}
