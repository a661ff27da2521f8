import type { CallableTool } from "@nestbox/tool";
import { schemaToType, type SchemaType, type TypeOptions } from "./schema-type.ts";

/** Longest input type of a declaration, in characters, before it becomes `unknown`. */
export const MAX_INPUT_CHARS = 16_000;

/** What a script sees of a tool. */
export type DeclaredTool = Pick<
  CallableTool,
  "name" | "description" | "parameters" | "outputSchema" | "promptGuidelines"
>;

/** A tool without an output schema resolves to its text. */
const TEXT: SchemaType = { type: "string", declarations: [] };

export interface Signature {
  /** One member of `tools`: `search(args: { … }): Promise<…>;`. */
  readonly member: string;
  /** Its parts. */
  readonly input: string;
  readonly output: string;
  /** Types that the member needs. */
  readonly declarations: readonly string[];
}

export interface SignatureOptions {
  /** Goes in front of the names of the tool's types. */
  readonly typePrefix?: string;
  /** What stands for a result of which nothing is known. Default: `unknown`. */
  readonly anyResult?: TypeOptions["anything"];
}

/** The member of `tools` that calls a tool. */
export function renderSignature(
  tool: DeclaredTool,
  identifier: string,
  { typePrefix = "", anyResult = "unknown" }: SignatureOptions = {},
): Signature {
  const input = schemaToType(tool.parameters, { maxChars: MAX_INPUT_CHARS, typePrefix });
  const taken = new Set(input.declarations.map(nameOf));
  let prefix = typePrefix;
  let output = outputType(tool, prefix, anyResult);
  while (output.declarations.some((text) => taken.has(nameOf(text)))) {
    prefix += "Result";
    output = outputType(tool, prefix, anyResult);
  }
  // `new(…)` would declare a constructor.
  const key = identifier === "new" ? '"new"' : identifier;
  return {
    member: `${key}(args: ${input.type}): Promise<${output.type}>;`,
    input: input.type,
    output: output.type,
    declarations: [...input.declarations, ...output.declarations],
  };
}

function outputType(
  tool: DeclaredTool,
  typePrefix: string,
  anything: NonNullable<SignatureOptions["anyResult"]>,
): SchemaType {
  return tool.outputSchema === undefined ? TEXT : schemaToType(tool.outputSchema, { typePrefix, anything });
}

/** The name of a declared type. */
export function nameOf(declaration: string): string {
  return declaration.slice(0, declaration.indexOf(" ="));
}

/** The description of a tool with its guidelines, which no system prompt carries for tools that are not declared. */
export function describeWithGuidelines(tool: DeclaredTool): string {
  const bullets = (tool.promptGuidelines ?? []).map((line) => line.trim()).filter((line) => line !== "");
  const description = tool.description.trim();
  return bullets.length === 0
    ? description
    : `${description}\n\n${bullets.map((line) => `- ${line}`).join("\n")}`;
}

/** The description followed by the declaration: what `ALL_TOOLS` and `describeTool()` answer for a tool. */
export function renderSample(tool: DeclaredTool, identifier: string): string {
  const { member, declarations } = renderSignature(tool, identifier);
  const code = [...declarations, `declare const tools: { ${member} };`].join("\n");
  return `${describeWithGuidelines(tool)}\n\ncodemode tool declaration:\n\`\`\`ts\n${code}\n\`\`\``;
}
