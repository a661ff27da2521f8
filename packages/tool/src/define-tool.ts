import { abortError } from "./abort.ts";
import { checkResult } from "./check-result.ts";
import type { Clock } from "./clock.ts";
import { ToolError } from "./error.ts";
import { checkToolName } from "./name.ts";
import { createProgress, type ProgressLimits } from "./progress.ts";
import { createRedactor, type Redactor } from "./redact.ts";
import { sanitizeError } from "./sanitize.ts";
import { compileSchema, formatSchemaErrors } from "./schema.ts";
import type { ToolResult } from "./result.ts";
import type { DefinedTool, ToolContext, ToolSpec } from "./tool-spec.ts";

export interface DefineToolOptions {
  readonly progress?: ProgressLimits;
  readonly clock?: Clock;
  /**
   * Takes secrets out of everything textual that leaves the tool: content, progress and errors. Without it, errors
   * alone pass through `createRedactor()`, because content may be a file that has to arrive as it is.
   */
  readonly redact?: Redactor;
}

/**
 * One definition for Pi's three routes (contract B1). Parameters, structured content and details are inferred.
 * Around the author's `execute` it
 *
 * - rejects with `AbortError` when the signal is already aborted (B3),
 * - checks the arguments again, because a handler may have changed them after the host's validation (B7),
 * - keeps progress complete, bounded and silent after the end (B4),
 * - cleans the message of what is thrown (B2, B10),
 * - checks the result: structured content is plain JSON and matches `outputSchema`.
 *
 * Every other field is passed on untouched. Throws a `ToolError` (`bad-name`, `bad-schema`) for a definition that no
 * host could use.
 */
export function defineTool<
  const TParams extends object,
  const TOutput extends object | undefined = undefined,
  TDetails = unknown,
  TContext = ToolContext | undefined,
>(
  spec: ToolSpec<TParams, TOutput, TDetails, TContext>,
  options: DefineToolOptions = {},
): DefinedTool<TParams, TOutput, TDetails, TContext> {
  checkToolName(spec.name);
  const parameters = compileSchema(spec.parameters);
  const output = spec.outputSchema === undefined ? undefined : compileSchema(spec.outputSchema);
  const redactErrors = options.redact ?? createRedactor();

  const execute: DefinedTool<TParams, TOutput, TDetails, TContext>["execute"] = async (
    toolCallId,
    params,
    signal,
    onUpdate,
    context,
  ) => {
    if (signal?.aborted === true) throw abortError(signal);
    const fits = parameters.check(params);
    const checked = fits.ok ? fits : parameters.coerce(params);
    if (!checked.ok) {
      const errors = formatSchemaErrors(checked.errors);
      throw new ToolError("bad-arguments", `The arguments of ${spec.name} are not valid:\n${errors}`);
    }
    const progress = createProgress(onUpdate, {
      ...options.progress,
      ...(options.clock === undefined ? {} : { clock: options.clock }),
      ...(options.redact === undefined ? {} : { redact: options.redact }),
    });
    try {
      const result = await spec.execute(toolCallId, checked.value, signal, progress.update, context);
      return redactContent(checkResult<TDetails>(result, output), options.redact);
    } catch (error) {
      throw sanitizeError(error, redactErrors);
    } finally {
      progress.settle();
    }
  };
  return { ...spec, label: spec.label ?? spec.name, execute };
}

function redactContent<TDetails>(
  result: ToolResult<TDetails>,
  redact: Redactor | undefined,
): ToolResult<TDetails> {
  if (redact === undefined) return result;
  const content = result.content.map((part) =>
    part.type === "text" ? { ...part, text: redact(part.text) } : part,
  );
  return { ...result, content };
}
