import type { ToolCallContext } from "@nestbox/calls";
import {
  createDiscovery,
  formatOutcome,
  type OutputFiles,
  parseScriptSource,
  renderCatalog,
  type ScriptLimits,
  type ScriptRunner,
} from "@nestbox/codemode";
import type { CallableTool, RunnableTool, ToolResult, ToolUpdateCallback } from "@nestbox/tool";

import type { ScriptStore } from "./script-store.ts";

/** Estimated tokens that the declarations of tools may take in the description. */
const CATALOG_TOKENS = 3_000;

const INTRODUCTION = `Runs one script (JavaScript or TypeScript, the body of an async function) whose only power is calling tools. Use it when several calls belong together: run independent ones at once with Promise.all, feed one result into the next, cut a large result down before you read it. To call one tool, call it directly where it is listed.
- \`await tools.<name>({ ...args })\` gives the tool's data, and throws when the call fails or is denied.
- \`await ctx.executeTool("exact name", args)\` gives { toolCall, result, isError } and does not throw.
- \`return value\`, \`text(value)\`, \`image(block)\` and \`console.log(...)\` are what you get back.
- \`await searchTools(words)\`, \`await describeTool(name)\`, \`await describeNamespace(name)\` and ALL_TOOLS find tools that are not listed here. \`store(key, value)\` and \`load(key)\` keep small values for later scripts.
- The first line may be \`// @options: {"max_output_tokens": 10000, "timeout_ms": 60000}\`. Every call is decided by a policy; a denial names its rule.`;

export interface CodemodeToolOptions {
  readonly runner: ScriptRunner;
  /** All tools that scripts can call; the deferred ones are found by search and not listed. */
  readonly callable: readonly CallableTool[];
  readonly files: OutputFiles;
  readonly limits: Partial<ScriptLimits>;
  /** Absent: nothing is kept from one script to the next. */
  readonly store?: ScriptStore;
}

/** The `codemode` tool for hosts that are not Pi. Scripts start no scripts: it is for the model only. */
export function createCodemodeTool(options: CodemodeToolOptions): RunnableTool {
  const { callable } = options;
  const catalog = renderCatalog(
    callable.filter((tool) => tool.exposure !== "deferred"),
    { budget: CATALOG_TOKENS, allNames: callable.map((tool) => tool.name) },
  );
  return {
    name: "codemode",
    label: "Codemode",
    description: catalog === "" ? INTRODUCTION : `${INTRODUCTION}\n\nTools for scripts:\n\n${catalog}`,
    parameters: {
      type: "object",
      properties: { code: { type: "string", description: "Source of the script." } },
      required: ["code"],
      additionalProperties: false,
    },
    exposure: "model-only",
    // A script has no effect of its own: each call that it makes is decided by itself.
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    execute: (
      _id: string,
      { code }: { readonly code: string },
      signal: AbortSignal | undefined,
      onUpdate: ToolUpdateCallback | undefined,
      context: ToolCallContext,
    ) => execute(code, signal, onUpdate, context, options),
  };
}

async function execute(
  code: string,
  signal: AbortSignal | undefined,
  onUpdate: ToolUpdateCallback | undefined,
  caller: ToolCallContext,
  options: CodemodeToolOptions,
): Promise<ToolResult> {
  const startedAt = performance.now();
  const source = parseScriptSource(code);
  if (!source.ok) throw new Error(source.message);
  const { maxOutputTokens, timeoutMs } = source.options;
  const discovery = createDiscovery(caller.tools);
  const outcome = await options.runner.run({
    code: source.code,
    caller,
    globals: discovery.globals,
    describe: discovery.describe,
    limits: { ...options.limits, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
    onEvent: (event) => {
      if (event.type !== "call") return;
      const { name, status } = event.call;
      onUpdate?.({ content: [{ type: "text", text: `${name}: ${status}` }], details: {} });
    },
    ...(options.store === undefined ? {} : { store: options.store.values() }),
    ...(signal === undefined ? {} : { signal }),
  });
  const lost = outcome.ok && options.store?.write(outcome.storeWrites) === false;
  const { content, fullOutputPath } = await formatOutcome(outcome, {
    maxOutputTokens,
    wallMs: performance.now() - startedAt,
    files: options.files,
    notes: lost ? ["Note: nothing of this script was stored: the store is full."] : [],
  });
  return {
    content: [...content],
    details: { stats: outcome.stats, ...(fullOutputPath === undefined ? {} : { fullOutputPath }) },
    ...(outcome.ok ? {} : { isError: true }),
  };
}
