import {
  defineTool,
  refusal,
  type CallableTool,
  type CallDecision,
  type DefinedTool,
  type ToolCaller,
  type ToolContext,
  type ToolResult,
  type ToolUpdateCallback,
} from "@nestbox/tool";
import { createDiscovery, type RenderTool } from "../discovery/discovery.ts";
import { createSampleCache } from "../discovery/sample-cache.ts";
import { formatOutcome, type OutputFiles } from "../output/format-outcome.ts";
import { parseScriptSource } from "../source/options-line.ts";
import type { HostGlobal, ScriptLimits, ScriptRunner, ScriptStats, ScriptWarning } from "../types.ts";
import { describeCodemode } from "./description.ts";
import { prepareArguments } from "./prepare-arguments.ts";
import { scriptReach } from "./script-reach.ts";
import type { ScriptStore } from "./script-store.ts";

/** Estimated tokens that the declarations of tools may take in the description. */
const INLINE_BUDGET = 3_000;

export interface ScriptToolOptions {
  /** Default: `codemode`. */
  readonly name?: string;
  /** Tools that the description lists with their declarations; deferred ones are left to `searchTools()`. */
  readonly listed?: readonly CallableTool[];
  /** Estimated tokens for those declarations. Default: 3,000. */
  readonly inlineBudget?: number;
  /** Where cut output and images are written, for example `createTempFiles()` of `@nestbox/codemode/node`. */
  readonly files: OutputFiles;
  /** Limits of every script; a `timeout_ms` of the script's own comes on top. */
  readonly limits?: Partial<ScriptLimits>;
  /** What `store` and `load` keep; unset: nothing outlives its script. */
  readonly store?: ScriptStore;
  /** Functions of the host that scripts have beside those that find tools. */
  readonly globals?: readonly HostGlobal[];
  /** How a call was decided, where the caller's outcomes do not say. */
  readonly decisionOf?: (callId: string) => CallDecision | undefined;
}

export interface ScriptToolDetails {
  readonly stats: ScriptStats;
  readonly warnings?: readonly ScriptWarning[];
  readonly fullOutputPath?: string;
}

const PARAMETERS = {
  type: "object",
  properties: { code: { type: "string", description: "Source of the script." } },
  required: ["code"],
  additionalProperties: false,
} as const;

export type ScriptTool = DefinedTool<
  typeof PARAMETERS,
  undefined,
  ScriptToolDetails,
  ToolContext | ToolCaller | undefined
>;

/**
 * A tool with which a model runs scripts, for any host whose tools can call others: a `ToolHost`, an MCP server, the
 * low-level agent with nested calls. What a script can call is what the host hands to this tool (`ToolCaller`, the fifth argument);
 * the tool itself is never among it. In Pi use `createCodemodeExtension` of `@nestbox/codemode/pi`.
 *
 * `content` is laid out by `formatOutcome`; a script that fails is a result with `isError`. It throws a refusal where
 * the host has no nested calls and for an options line that cannot be read.
 */
export function createScriptTool(runner: ScriptRunner, options: ScriptToolOptions): ScriptTool {
  const { name = "codemode", listed = [], inlineBudget = INLINE_BUDGET } = options;
  const shown = listed.filter((tool) => tool.exposure !== "deferred" && tool.name !== name);
  const render = createSampleCache();
  return defineTool({
    name,
    description: describeCodemode(shown, { inlineBudget, allNames: listed.map((tool) => tool.name) }),
    parameters: PARAMETERS,
    prepareArguments,
    reachesTools: scriptReach,
    // Scripts start no scripts.
    exposure: "model-only",
    // A script has no effect of its own: every effect is a call that is decided by itself.
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    executionMode: "parallel",
    execute: async (
      _id,
      params,
      signal,
      onUpdate,
      context: ToolContext | ToolCaller | undefined,
    ): Promise<ToolResult<ScriptToolDetails>> => {
      if (context === undefined) throw refusal(`${name} needs a host whose tools can call others.`);
      // Checked against PARAMETERS, whose type a plain schema does not tell.
      const { code } = params as { readonly code: string };
      return execute({ code, signal, onUpdate, caller: without(context, name) }, runner, options, render);
    },
  });
}

interface ScriptToolCall {
  readonly code: string;
  readonly signal: AbortSignal | undefined;
  readonly onUpdate: ToolUpdateCallback | undefined;
  readonly caller: ToolCaller;
}

async function execute(
  { code, signal, onUpdate, caller }: ScriptToolCall,
  runner: ScriptRunner,
  options: ScriptToolOptions,
  render: RenderTool,
): Promise<ToolResult<ScriptToolDetails>> {
  const source = parseScriptSource(code);
  if (!source.ok) throw refusal(source.message);
  const { maxOutputTokens, timeoutMs } = source.options;
  const { describe, globals } = createDiscovery(caller.tools, render);
  const outcome = await runner.run({
    code: source.code,
    caller,
    describe,
    globals: [...globals, ...(options.globals ?? [])],
    limits: { ...options.limits, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
    onEvent(event) {
      if (event.type !== "call") return;
      onUpdate?.({
        content: [{ type: "text", text: `${event.call.name}: ${event.call.status}` }],
        details: undefined,
      });
    },
    ...(options.store === undefined ? {} : { store: options.store.values() }),
    ...(signal === undefined ? {} : { signal }),
    ...(options.decisionOf === undefined ? {} : { decisionOf: options.decisionOf }),
  });
  const lost = outcome.ok && options.store?.write(outcome.storeWrites) === false;
  const { content, fullOutputPath } = await formatOutcome(outcome, {
    maxOutputTokens,
    wallMs: outcome.stats.wallMs,
    files: options.files,
    notes: lost ? ["Note: nothing of this script was stored: the store is full."] : [],
    code: source.code,
    tools: caller.tools.map((tool) => tool.name),
  });
  return {
    content,
    details: {
      stats: outcome.stats,
      ...(outcome.warnings.length === 0 ? {} : { warnings: outcome.warnings }),
      ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
    },
    ...(outcome.ok ? {} : { isError: true }),
  };
}

/** The caller without one tool: whatever exposure a host gives it, a script does not reach the tool that runs it. */
function without(caller: ToolCaller, name: string): ToolCaller {
  return {
    tools: caller.tools.filter((tool) => tool.name !== name),
    executeTool: (tool, args, options) => caller.executeTool(tool, args, options),
    ...(caller.pauses === undefined ? {} : { pauses: caller.pauses }),
  };
}
