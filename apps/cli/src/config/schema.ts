/** Defaults of `nestbox run`, `mcp`, `check` and of reading the tools; the command line has the last word. */
export interface Config {
  readonly tools?: readonly string[];
  readonly extension?: readonly string[];
  readonly policy?: readonly string[];
  readonly timeoutMs?: number;
  readonly memoryMb?: number;
  readonly node?: string;
}

const files = (description: string) => ({
  type: "array",
  items: { type: "string", minLength: 1 },
  maxItems: 100,
  description,
});

/** JSON Schema of {@link Config}; `nestbox.config.schema.json` says the same for editors. */
export const configSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "nestbox.config.jsonc",
  description: "Defaults of the nestbox command line. Paths are relative to this file.",
  type: "object",
  additionalProperties: false,
  properties: {
    $schema: { type: "string" },
    tools: files(
      "Modules of tools, instead of the review tools. They have all of your rights, so they count only where the file is named with --config.",
    ),
    extension: files(
      "Extensions of Pi, whose tools come on top. They have all of your rights, so they count only where the file is named with --config.",
    ),
    policy: files(
      "Policy files. They count as the project's, which can only tighten, unless the file is named with --config.",
    ),
    timeoutMs: {
      type: "integer",
      minimum: 1,
      description: "Wall time of a script, without the time a person is asked.",
    },
    memoryMb: { type: "integer", minimum: 1, description: "Memory of a script's isolate." },
    node: {
      type: "string",
      minLength: 1,
      description:
        "The Node 24 or 26 that runs the sandbox. A program that is started, so it counts only where the file is named with --config.",
    },
  },
} as const;
