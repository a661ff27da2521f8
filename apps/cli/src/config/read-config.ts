import { jsonSyntaxText } from "@nestbox/policy";
import { compileSchema, nearestName } from "@nestbox/tool";
import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser";

import { UsageError } from "../usage-error.ts";
import { type Config, configSchema } from "./schema.ts";

/** Reads the text of a config file; `name` is what messages call it. Throws `UsageError` with the line of a mistake. */
export function readConfig(content: string, name: string): Config {
  // Some editors put a byte order mark in front.
  const text = content.replace(/^\uFEFF/, "");
  const refuse = (offset: number | undefined, message: string): never => {
    const line = offset === undefined ? "" : `:${text.slice(0, offset).split("\n").length}`;
    throw new UsageError(`Config ${name}${line}: ${message}.`);
  };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) refuse(first.offset, jsonSyntaxText(first));
  if (tree === undefined) return refuse(0, "there is nothing in it; an object { } has to stand here");
  checkNames(tree, configSchema.properties, refuse);
  const fleet = findNodeAtLocation(tree, ["fleet"]);
  if (fleet !== undefined) checkNames(fleet, configSchema.properties.fleet.properties, refuse);

  const checked = compileSchema<object>(configSchema).check(getNodeValue(tree));
  if (!checked.ok) {
    const [problem] = checked.errors;
    const path = problem?.path ?? "";
    const segments = path.split("/").slice(1);
    const node = findNodeAtLocation(
      tree,
      segments.map((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment)),
    );
    return refuse(node?.offset, `${path === "" ? "the file" : segments.join(".")} ${problem?.message}`);
  }
  // The schema says what the type says.
  return checked.value as Config;
}

/** Every name of an object is one that is known, and stands there once: what is misspelt would silently not hold. */
function checkNames(
  node: Node,
  known: Readonly<Record<string, unknown>>,
  refuse: (offset: number, message: string) => never,
): void {
  if (node.type !== "object") return;
  const seen = new Set<string>();
  for (const property of node.children ?? []) {
    const key: unknown = property.children?.[0]?.value;
    if (typeof key !== "string") continue;
    if (!Object.hasOwn(known, key)) {
      const names = Object.keys(known).filter((one) => !one.startsWith("$"));
      const near = nearestName(key, names);
      const hint = near === undefined ? `there are ${names.join(", ")}` : `perhaps ${near} is meant`;
      refuse(property.offset, `${JSON.stringify(key)} is no field of it; ${hint}`);
    }
    if (seen.has(key)) refuse(property.offset, `${JSON.stringify(key)} stands there twice`);
    seen.add(key);
  }
}
