/**
 * One call of the codemode tool: takes the options line off, runs the script with the session's tools, models and
 * store, and lays out how it ended. Everything that belongs to the session comes with `ctx`, at the time of the call.
 */
import type { ExtensionAPI, ExtensionToolContext } from "@earendil-works/pi-coding-agent";
import type { CallDecision, PauseSource, ToolContent, ToolUsage } from "@nestbox/tool";
import type { ScriptDiagnostic } from "../check/check-types.ts";
import { diagnosticsText } from "../check/diagnostics-text.ts";
import type { ScriptChecker } from "../check/node/script-checker.ts";
import { createDiscovery, type RenderTool } from "../discovery/discovery.ts";
import { createModelGlobals } from "../models/model-globals.ts";
import { formatOutcome, header, type OutputFiles } from "../output/format-outcome.ts";
import { messageOf } from "../shared/guards.ts";
import { parseScriptSource } from "../source/options-line.ts";
import type { HostGlobal, ScriptLimits, ScriptOutcome, ScriptRunner } from "../types.ts";
import { createPiCaller } from "./caller.ts";
import { createCallRows } from "./call-rows.ts";
import type { CodemodeDetails } from "./details.ts";
import { createModelCalls } from "./model-calls.ts";
import { createPiCatalog } from "./model-catalog.ts";
import { STORE_ENTRY_TYPE } from "./names.ts";
import { createThrottle } from "./throttle.ts";
import { readStore, toStoreEntry } from "./store-entries.ts";

export interface ExecuteOptions {
  readonly pi: Pick<ExtensionAPI, "appendEntry" | "getAllTools">;
  /** Asked for when a script is to run, so that one that is refused starts nothing. */
  readonly runner: () => Promise<ScriptRunner>;
  readonly files: OutputFiles;
  readonly pauses: PauseSource;
  readonly limits: Partial<ScriptLimits>;
  /** Text of a tool for `ALL_TOOLS` and `describeTool()`. */
  readonly render: RenderTool;
  /** Where the `models` global is described; unset: scripts have no models. */
  readonly modelsReference: string | undefined;
  readonly decisionOf: ((callId: string) => CallDecision | undefined) | undefined;
  /** Type-checks scripts before they run; unset: they are not checked. */
  readonly checker: ScriptChecker | undefined;
  /** Whether a script with mistakes is not run. */
  readonly refuse: boolean;
}

export interface CodemodeCall {
  readonly toolCallId: string;
  readonly code: string;
  readonly signal: AbortSignal | undefined;
  readonly onUpdate: ((partial: { content: ToolContent[]; details: CodemodeDetails }) => void) | undefined;
  readonly ctx: ExtensionToolContext;
}

export interface CodemodeResult {
  readonly content: ToolContent[];
  readonly details: CodemodeDetails;
  readonly usage?: ToolUsage;
  readonly isError?: boolean;
}

/** Runs the script. Rejects only for an options line that cannot be read; a script's failure is a result. */
export async function executeCodemode(call: CodemodeCall, options: ExecuteOptions): Promise<CodemodeResult> {
  const startedAt = performance.now();
  const source = parseScriptSource(call.code);
  if (!source.ok) throw new Error(source.message);
  const { maxOutputTokens, timeoutMs } = source.options;

  let publish = (): void => {};
  const rows = createCallRows(() => publish());
  const snapshot = (): CodemodeDetails => {
    const omitted = rows.omitted();
    return { calls: rows.rows(), ...(omitted === 0 ? {} : { omittedCalls: omitted }) };
  };
  const updates = createThrottle(() => call.onUpdate?.({ content: [], details: snapshot() }));
  publish = updates.request;
  // Shows the script as running before its first call.
  publish();

  const modelCalls = createModelCalls(call.toolCallId, rows);
  const caller = createPiCaller({
    ...options,
    toolCallId: call.toolCallId,
    ctx: call.ctx,
    rows,
    signal: call.signal,
  });
  const discovery = createDiscovery(caller.tools, options.render);
  const models: readonly HostGlobal[] =
    options.modelsReference === undefined
      ? []
      : createModelGlobals(createPiCatalog(call.ctx.modelRegistry), {
          docsPath: options.modelsReference,
          onCall: modelCalls.onCall,
        });
  try {
    const checked = await options.checker?.check({
      code: source.code,
      tools: caller.tools,
      signal: call.signal,
    });
    const found = checked === undefined ? {} : { check: checked };
    if (checked?.kind === "faulty" && options.refuse) {
      return refusal(checked.diagnostics, performance.now() - startedAt, { ...snapshot(), ...found });
    }
    const outcome = await (
      await options.runner()
    ).run({
      code: source.code,
      caller,
      callId: call.toolCallId,
      globals: [...discovery.globals, ...models],
      describe: discovery.describe,
      limits: { ...options.limits, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
      store: readStore(call.ctx.sessionManager.getBranch()),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
      ...(options.decisionOf === undefined ? {} : { decisionOf: options.decisionOf }),
    });
    rows.cancelRunning();
    const lost = keepStore(outcome, options.pi);
    // A call of a model has been paid for: a script that fails after it must not look as if nothing had happened.
    const told = { ...outcome, calls: modelCalls.among(outcome.calls) };
    const { content, fullOutputPath } = await formatOutcome(told, {
      maxOutputTokens,
      wallMs: performance.now() - startedAt,
      files: options.files,
      notes: [...unseenImages(modelCalls.images(), outcome), ...lost],
      code: source.code,
      tools: caller.tools.map(({ name }) => name),
    });
    const usage = modelCalls.usage();
    return {
      content,
      details: {
        ...snapshot(),
        ...found,
        ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
        ...(outcome.warnings.length === 0 ? {} : { warnings: outcome.warnings }),
        stats: outcome.stats,
      },
      ...(usage === undefined ? {} : { usage }),
      ...(outcome.ok ? {} : { isError: true }),
    };
  } finally {
    updates.stop();
  }
}

/** The result of a script that was not run. */
function refusal(
  diagnostics: readonly ScriptDiagnostic[],
  wallMs: number,
  details: CodemodeDetails,
): CodemodeResult {
  const text = `Script error:\n${diagnosticsText(diagnostics)}\n\nNo tool calls were made.`;
  return {
    content: [
      { type: "text", text: header(false, wallMs) },
      { type: "text", text },
    ],
    details,
    isError: true,
  };
}

/**
 * Values are kept only when the script succeeded. That they cannot be kept, for example because the session was
 * replaced meanwhile, must not lose the output of calls that have been made: it is told instead.
 */
function keepStore(outcome: ScriptOutcome, pi: ExecuteOptions["pi"]): readonly string[] {
  try {
    const entry = outcome.ok ? toStoreEntry(outcome.storeWrites) : undefined;
    if (entry !== undefined) pi.appendEntry(STORE_ENTRY_TYPE, entry);
    return [];
  } catch (error) {
    return [`Note: what the script stored could not be kept: ${messageOf(error)}`];
  }
}

/** Images that were paid for and that the model does not see are worth a word. */
function unseenImages(count: number, outcome: ScriptOutcome): readonly string[] {
  if (count === 0 || outcome.output.some((item) => item.type === "image")) return [];
  return [
    `Note: models.generateImages() returned ${count} image${count === 1 ? "" : "s"} that the script did not show. Show each image block of result.output with image(block).`,
  ];
}
