import { dataKeywords, mapKeywords } from "./schema-keywords.ts";

/** One block of an MCP result, with the fields that scripts read most. */
const blockSchema = {
  type: "object",
  properties: {
    type: { enum: ["text", "image", "audio", "resource_link", "resource"] },
    text: { type: "string" },
    data: { type: "string" },
    mimeType: { type: "string" },
  },
  required: ["type"],
} as const;

/** Schema of a whole MCP result, with the tool's own output schema where its structured content stands. */
export function callToolResultSchema(outputSchema: object | undefined): object {
  return {
    type: "object",
    properties: {
      content: { type: "array", items: blockSchema },
      structuredContent:
        outputSchema === undefined ? {} : move(outputSchema, "#/properties/structuredContent"),
      isError: { type: "boolean" },
    },
    required: ["content"],
  };
}

/** A schema that stood at the root, with its local references made to point below `pointer`. */
function move(schema: unknown, pointer: string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => move(item, pointer));
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]: [string, unknown]) => {
      if (key === "$ref" && typeof value === "string" && (value === "#" || value.startsWith("#/"))) {
        return [key, pointer + value.slice(1)];
      }
      if (dataKeywords.has(key)) return [key, value];
      if (mapKeywords.has(key) && typeof value === "object" && value !== null && !Array.isArray(value)) {
        return [
          key,
          Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, move(inner, pointer)])),
        ];
      }
      return [key, move(value, pointer)];
    }),
  );
}
