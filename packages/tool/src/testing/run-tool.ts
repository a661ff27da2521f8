import { isAbortError } from "../abort.ts";
import type { ToolCallOutcome } from "../caller.ts";
import type { RunnableTool } from "../definition.ts";
import type { JsonObject } from "../json.ts";
import type { ToolResult } from "../result.ts";
import { compileSchema, formatSchemaErrors } from "../schema.ts";
import type { StructuredOf, ToolContext } from "../tool-spec.ts";

export interface RunToolOptions {
  /** Working folder in the context. Default: `/`. */
  readonly cwd?: string;
  readonly toolCallId?: string;
  readonly signal?: AbortSignal;
  /** Aborts the call when this many updates have come, 0 for before it begins: cancellation without a race. */
  readonly abortAfterUpdates?: number;
  /** Tools that the tool may call through its context. */
  readonly tools?: readonly RunnableTool[];
  /** Instead of the context that is made from `cwd` and `tools`; for tools that need more of Pi's. */
  readonly context?: unknown;
}

/** Everything that one call did (contract B12). */
export type ToolRun<TDetails, TStructured> = {
  /** The partial results, complete and in order. */
  readonly updates: readonly ToolResult<TDetails>[];
  /** Updates after the end; a host ignores them, a tool should not send them. */
  readonly lateUpdates: () => number;
  /** The calls that the tool made, in order of their end. */
  readonly calls: readonly ToolCallOutcome[];
} & (
  | {
      readonly kind: "result";
      readonly result: ToolResult<TDetails>;
      readonly isError: boolean;
      /** The text parts, joined by line feeds. */
      readonly text: string;
      readonly structured: TStructured | undefined;
    }
  /** The arguments did not pass; `execute` was not called. */
  | { readonly kind: "invalid"; readonly message: string }
  /** `execute` threw; a model reads the message. */
  | { readonly kind: "error"; readonly error: Error; readonly message: string }
  | { readonly kind: "aborted"; readonly error: Error }
);

/** The parts of a tool that say what it gives. */
interface TestableTool<TOutput extends object | undefined, TDetails> extends Omit<
  RunnableTool,
  "execute" | "outputSchema"
> {
  readonly outputSchema?: TOutput;
  readonly execute: (
    toolCallId: string,
    params: never,
    signal: AbortSignal | undefined,
    onUpdate: ((partial: ToolResult<TDetails>) => void) | undefined,
    context: never,
  ) => Promise<ToolResult<TDetails>>;
}

/**
 * Runs a tool once without a model and without Pi, the way a host does: arguments are prepared, coerced and
 * validated, then `execute` runs with a context. Never rejects for what the tool does.
 */
export async function runTool<TOutput extends object | undefined, TDetails>(
  tool: TestableTool<TOutput, TDetails>,
  args: unknown,
  options: RunToolOptions = {},
): Promise<ToolRun<TDetails, StructuredOf<TOutput>>> {
  const {
    toolCallId = "call-1",
    cwd = "/",
    tools = [],
    abortAfterUpdates = Number.POSITIVE_INFINITY,
  } = options;
  const controller = new AbortController();
  const signal = AbortSignal.any([
    controller.signal,
    ...(options.signal === undefined ? [] : [options.signal]),
  ]);
  const updates: ToolResult<TDetails>[] = [];
  const calls: ToolCallOutcome[] = [];
  let late = 0;
  let settled = false;
  const base = { updates, calls, lateUpdates: () => late };

  const prepared = prepare(tool, args);
  if (!prepared.ok) return { ...base, kind: "invalid", message: prepared.message };
  const onUpdate = (partial: ToolResult<TDetails>): void => {
    if (settled) {
      late += 1;
      return;
    }
    updates.push(partial);
    // Not at once: the tool gets to the point where it waits for something, as it would with a person's Escape.
    if (updates.length === abortAfterUpdates) queueMicrotask(() => controller.abort());
  };
  const context = options.context ?? createTestContext({ cwd, tools, toolCallId, signal, calls });
  if (abortAfterUpdates <= 0) controller.abort();
  try {
    // Validated above against the tool's own schema, whose type is not known here; the context is the host's.
    const result = await tool.execute(
      toolCallId,
      prepared.value as never,
      signal,
      onUpdate,
      context as never,
    );
    // The kit does not check what defineTool has checked; the type is that of `outputSchema`.
    const structured = result.structuredContent as StructuredOf<TOutput> | undefined;
    const text = result.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    return { ...base, kind: "result", result, isError: result.isError === true, text, structured };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    if (isAbortError(error)) return { ...base, kind: "aborted", error };
    return { ...base, kind: "error", error, message: error.message };
  } finally {
    settled = true;
  }
}

function prepare(
  tool: Pick<RunnableTool, "name" | "parameters" | "prepareArguments">,
  args: unknown,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string } {
  const raw = tool.prepareArguments === undefined ? args : tool.prepareArguments(args);
  const checked = compileSchema(tool.parameters).coerce(raw);
  if (checked.ok) return checked;
  return {
    ok: false,
    message: `Validation failed for tool "${tool.name}":\n${formatSchemaErrors(checked.errors)}`,
  };
}

interface TestContextOptions {
  readonly cwd: string;
  readonly tools: readonly RunnableTool[];
  readonly toolCallId: string;
  readonly signal: AbortSignal;
  readonly calls: ToolCallOutcome[];
}

function createTestContext({ cwd, tools, toolCallId, signal, calls }: TestContextOptions): ToolContext {
  let count = 0;
  return {
    cwd,
    tools: tools.filter(({ exposure }) => exposure !== "model-only" && exposure !== "hidden"),
    async executeTool(name, args, options) {
      count += 1;
      const toolCall = {
        type: "toolCall",
        id: `${toolCallId}/${count}`,
        name,
        arguments: toJson(args),
      } as const;
      const settle = (result: ToolResult, isError: boolean): ToolCallOutcome => {
        const outcome = { toolCall, result, isError };
        calls.push(outcome);
        return outcome;
      };
      const fail = (message: string) =>
        settle({ content: [{ type: "text", text: message }], details: {} }, true);
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool === undefined) return fail(`Tool ${name} not found`);
      const run = await runTool<object | undefined, unknown>(tool, args, {
        cwd,
        tools,
        toolCallId: toolCall.id,
        signal: AbortSignal.any([signal, ...(options?.signal === undefined ? [] : [options.signal])]),
      });
      for (const update of run.updates) options?.onUpdate?.(update);
      if (run.kind === "result") return settle(run.result, run.isError);
      return fail(run.kind === "aborted" ? run.error.message : run.message);
    },
  };
}

function toJson(args: unknown): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(args ?? {}));
  // A tool call's arguments are an object; validation has the last word on anything else.
  return (typeof copy === "object" && copy !== null && !Array.isArray(copy) ? copy : {}) as JsonObject;
}
