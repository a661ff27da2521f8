import type { AnyNode } from "acorn";

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"
  );
}

/** Visits a node and, while `visit` answers true, what lies inside it. Uses no stack, so depth does not matter. */
export function walk(root: AnyNode, visit: (node: AnyNode) => boolean): void {
  const queue: AnyNode[] = [root];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (!visit(node)) continue;
    for (const value of Object.values(node) as unknown[]) {
      if (Array.isArray(value)) {
        for (const entry of value) if (isNode(entry)) queue.push(entry);
      } else if (isNode(value)) {
        queue.push(value);
      }
    }
  }
}

/** Whether a node is a function: a `return` or `await` inside it is not the script's own. */
export function isFunction(node: AnyNode): boolean {
  return (
    node.type === "FunctionDeclaration" ||
    node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression"
  );
}

/** Whether the script itself returns: a `return` that no function of the script encloses. */
export function hasTopLevelReturn(root: AnyNode): boolean {
  let found = false;
  walk(root, (node) => {
    if (node.type === "ReturnStatement") found = true;
    return !found && !isFunction(node);
  });
  return found;
}
