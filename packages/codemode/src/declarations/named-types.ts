import { isRecord } from "../shared/guards.ts";
import { toIdentifier } from "./identifier.ts";
import { childSchemas, MAX_SCHEMA_DEPTH, resolveRef } from "./schema.ts";

/** Names that a declared type must not take over. */
const BUILT_IN: ReadonlySet<string> = new Set(
  `any unknown never string number boolean bigint symbol object void null undefined true false this typeof keyof
  infer is asserts readonly unique Array Promise Record Map Set Date Function Object String Number Boolean Symbol
  type interface class enum function const let var import export default new delete in of if else return
  for do while switch case break continue throw try catch finally yield await async debugger with super extends
  implements package private protected public static instanceof abstract declare namespace module`.split(
    /\s+/,
  ),
);

/** Most references that one schema may name; more are written out where they stand. */
const MAX_NAMED_TYPES = 64;

/**
 * Which references of a schema become named types: those that are used more than once or contain themselves.
 * The others are written out where they stand.
 */
export function nameReferences(root: unknown, prefix: string): ReadonlyMap<string, string> {
  const uses = new Map<string, number>();
  const seen = new Set<string>();
  const visit = (schema: unknown, depth: number): void => {
    if (!isRecord(schema) || depth > MAX_SCHEMA_DEPTH) return;
    if (typeof schema["$ref"] === "string") {
      const ref = schema["$ref"];
      const target = resolveRef(ref, root);
      if (target !== undefined) {
        uses.set(ref, (uses.get(ref) ?? (ref === "#" ? 1 : 0)) + 1);
        if (!seen.has(ref)) {
          seen.add(ref);
          if (ref !== "#") visit(target, depth + 1);
        }
      }
    }
    for (const child of childSchemas(schema)) visit(child, depth + 1);
  };
  visit(root, 0);
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const [ref, count] of uses) {
    if (count < 2 || names.size >= MAX_NAMED_TYPES) continue;
    const last = ref === "#" ? "Self" : (ref.split("/").at(-1) ?? "Type");
    let name = `${prefix}${toIdentifier(last)}`;
    while (taken.has(name) || BUILT_IN.has(name)) name += "_";
    taken.add(name);
    names.set(ref, name);
  }
  return names;
}
