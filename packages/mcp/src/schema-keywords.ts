/** Keywords whose value is data, not a schema. */
export const dataKeywords: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** Keywords whose value maps names to schemas: a property that is called `$ref` is no reference. */
export const mapKeywords: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
  "$defs",
  "definitions",
]);
