import { type CatalogTool, renderCatalog } from "../declarations/catalog.ts";

export const PROMPT_SNIPPET = "Run a script that calls other tools";

export const PROMPT_GUIDELINES: readonly string[] = [
  "Use codemode when several tool calls belong together: run independent calls at once with Promise.allSettled, feed one call's result into the next, or cut a large result down before you read it.",
];

const INTRODUCTION = `Runs one JavaScript or TypeScript script whose only power is calling tools. Send the source itself. It is the body of an async function: \`await\` and \`return\` work at the top level. There are no modules, no files and no network.
- \`await tools.<name>({ ...args })\` gives a string, or the object that the tool's declaration names. It throws an Error when the call fails; a tool that declares an object gives it on failure too, so look at its fields.
- \`await ctx.executeTool("exact name", args)\` never throws for a tool's failure: it gives \`{ toolCall, result, isError }\`.
- Calls that still run when the script ends are cancelled; what was called is not undone when it fails.
- The first line may be \`// @options: {"max_output_tokens": 10000, "timeout_ms": 60000}\`.`;

const GLOBALS = `Only the script's output comes back:
- \`return value\` and \`text(value)\` add text, \`image(block or data URL)\` adds an image and names the file it is saved in, \`console.log(...)\` adds a line to a block at the end. Several texts are numbered. A last expression is the result when there is no \`return\` and no other output. \`exit()\` ends the script.
- \`store(key, value)\` and \`load(key)\` keep small JSON values for later scripts.
- \`await searchTools(words, { limit?, namespace? })\`, \`await describeTool(name)\`, \`await describeNamespace(name)\` and \`ALL_TOOLS\` find tools that are not listed here.`;

export interface DescriptionOptions {
  /** Where the `models` global is described; unset: there is none. */
  readonly modelsReference?: string | undefined;
  /** Estimated tokens for the tools' sections. */
  readonly inlineBudget?: number | undefined;
  /** Names of all callable tools. */
  readonly allNames?: readonly string[];
}

/** What the model reads about the tool. It depends on the listed tools and the options alone (contract A25). */
export function describeCodemode(listed: readonly CatalogTool[], options: DescriptionOptions = {}): string {
  const { modelsReference, inlineBudget, allNames } = options;
  const models =
    modelsReference === undefined
      ? ""
      : `\n- \`models\` lists and runs classifiers and image models; read ${modelsReference} before you use it.`;
  const catalog = renderCatalog(listed, {
    budget: inlineBudget,
    ...(allNames === undefined ? {} : { allNames }),
  });
  return [
    INTRODUCTION,
    `${GLOBALS}${models}`,
    ...(catalog === "" ? [] : ["Tools for scripts:", catalog]),
  ].join("\n\n");
}
