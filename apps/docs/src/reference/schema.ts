/** The reference of a file, made of its JSON Schema: one section an object, one row a key. */
import { cell } from "./cell.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Makes the page of a schema; `whole` is the title of its first section. */
export function makeSchemaReference(schema: Schema, whole: string): string {
  const lines = [said(schema), "", ...section(whole, schema)];
  const definitions = fields(schema["$defs"]);
  for (const [name, definition] of Object.entries(definitions)) {
    lines.push("", ...section(name, fields(definition)));
  }
  return `${lines.join("\n")}\n`;
}

function section(title: string, schema: Schema): readonly string[] {
  const lines = [`## ${title}`];
  if (said(schema) !== "" && !title.includes(" ") && schema["properties"] === undefined)
    lines.push("", said(schema));
  const alternatives = Array.isArray(schema["anyOf"]) ? schema["anyOf"].map(fields) : [schema];
  const plain = alternatives.filter((one) => one["properties"] === undefined);
  if (plain.length > 0) lines.push("", `${plain.map(typeOf).join(", or ")}.`);
  for (const one of alternatives.filter((other) => other["properties"] !== undefined)) {
    if (alternatives.length > 1) lines.push("", `An object${says(one)}:`);
    lines.push("", "| Key | Type | Meaning |", "| --- | --- | --- |", ...rows(one, ""));
  }
  return lines;
}

function says(schema: Schema): string {
  const text = said(schema);
  return text === "" ? "" : ` (${text.charAt(0).toLowerCase()}${text.slice(1).replace(/\.$/, "")})`;
}

/** One row a key, and below it those of the objects that it holds. */
function rows(schema: Schema, prefix: string): readonly string[] {
  const needed = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(fields(schema["properties"])).flatMap(([key, value]) => {
    const one = fields(value);
    const path = prefix + key;
    const meaning = [said(one), needed.includes(key) ? "Needed." : ""];
    const row = [`\`${path}\``, typeOf(one), meaning.filter((part) => part !== "").join(" ")];
    return [`| ${row.map(cell).join(" | ")} |`, ...inner(one, path)];
  });
}

/** The rows of what is inside of a key: an object, the items of a list, the values of a table. */
function inner(schema: Schema, path: string): readonly string[] {
  if (schema["properties"] !== undefined) return rows(schema, `${path}.`);
  if (schema["items"] !== undefined) return inner(fields(schema["items"]), `${path}[]`);
  if (isFields(schema["additionalProperties"])) return inner(schema["additionalProperties"], `${path}.*`);
  if (Array.isArray(schema["anyOf"])) return schema["anyOf"].flatMap((one) => inner(fields(one), path));
  return [];
}

/** The type of a value in words; a definition is a link to its section. */
function typeOf(schema: Schema): string {
  const { $ref: reference, enum: values, const: only, anyOf, type } = schema;
  if (typeof reference === "string") {
    const name = reference.slice(reference.lastIndexOf("/") + 1);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (only !== undefined) return code(only);
  if (Array.isArray(values)) return values.map(code).join(", ");
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map((one) => typeOf(fields(one))))].join(" or ");
  if (Array.isArray(type)) return type.join(" or ");
  if (type === "array") return `list of ${typeOf(fields(schema["items"]))}`;
  if (type === "object") {
    return isFields(schema["additionalProperties"])
      ? `table of ${typeOf(schema["additionalProperties"])}`
      : "object";
  }
  if (type === "integer" || type === "number") return `${type}${limits(schema)}`;
  return typeof type === "string" ? type : "anything";
}

function limits({ minimum, maximum }: Schema): string {
  if (typeof minimum !== "number") return "";
  return typeof maximum === "number" ? ` from ${minimum} to ${maximum}` : ` of at least ${minimum}`;
}

/** What a schema says of itself. */
function said({ description }: Schema): string {
  return typeof description === "string" ? description : "";
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value)}\``;
}

function isFields(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fields(value: unknown): Schema {
  return isFields(value) ? value : {};
}
