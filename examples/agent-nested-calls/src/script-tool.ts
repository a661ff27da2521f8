import { obj, str } from "@earendil-works/pi-schema";
import { createDiscovery, formatOutcome, type ScriptRunner } from "@nestbox/codemode";
import { createTempFiles } from "@nestbox/codemode/node";
import { defineTool, refusal } from "@nestbox/tool";

/** A codemode for a host that is not Pi: the script calls other tools through the fifth argument. */
export function createScriptTool(runner: ScriptRunner) {
  const files = createTempFiles();
  return defineTool({
    name: "script",
    description:
      "Runs a JavaScript or TypeScript script that calls the warehouse's tools as tools.<name>(args). Find them with " +
      "ALL_TOOLS and searchTools(words). Use it whenever several calls belong together; return what you want to read.",
    parameters: obj({ code: str({ maxLength: 100_000 }) }),
    // Scripts start no scripts.
    exposure: "model-only",
    annotations: { readOnlyHint: true, openWorldHint: false },
    async execute(_id, { code }, signal, _onUpdate, context) {
      if (context === undefined) throw refusal("A script needs a host with nested calls.");
      const { describe, globals } = createDiscovery(context.tools);
      const outcome = await runner.run({
        code,
        caller: context,
        describe,
        globals,
        ...(signal && { signal }),
      });
      const { content } = await formatOutcome(outcome, { wallMs: outcome.stats.wallMs, files });
      return { content: [...content], details: undefined, isError: !outcome.ok };
    },
  });
}
