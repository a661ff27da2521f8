import { schemaToType } from "../declarations/schema-type.ts";
import { resolveRef } from "../declarations/schema.ts";
import { isRecord } from "../shared/guards.ts";

/** Longest type that a tool's description shows; longer ones are summed up. */
const MAX_TYPE_CHARS = 240;

/** In one line, what a script gets from a tool; `lookup` is the name that `describeTool()` takes. */
export function summarizeOutput(lookup: string, schema: unknown): string {
  if (schema === undefined) return "a string";
  const { type, declarations } = schemaToType(schema);
  if (declarations.length === 0 && !type.includes("\n") && type.length <= MAX_TYPE_CHARS) {
    return type === "string" ? "a string" : `\`${type}\``;
  }
  const fields = fieldNames(schema);
  const more = `\`await describeTool(${JSON.stringify(lookup)})\` shows its type`;
  return fields === undefined ? `a value; ${more}` : `\`{ ${fields.join(", ")} }\``;
}

function fieldNames(root: unknown): string[] | undefined {
  let schema: unknown = root;
  for (let hops = 0; hops < 8 && isRecord(schema) && typeof schema["$ref"] === "string"; hops++) {
    schema = resolveRef(schema["$ref"], root);
  }
  if (!isRecord(schema) || !isRecord(schema["properties"])) return undefined;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const names = Object.keys(schema["properties"]).sort();
  const fields = names.map((name) => `${name}${required.includes(name) ? "" : "?"}`);
  return fields.join(", ").length <= MAX_TYPE_CHARS ? fields : undefined;
}
