import type { RunnableTool, ToolResult } from "@nestbox/tool";
import { runTool } from "@nestbox/tool/testing";

import type { ChecksReport } from "../../src/checks.ts";
import type { DiffReport } from "../../src/diff.ts";
import type { FailuresReport } from "../../src/failures.ts";
import { createReviewTools } from "../../src/node/create-review-tools.ts";
import type { ReviewToolsOptions } from "../../src/node/options.ts";

interface Reports {
  readonly run_checks: ChecksReport;
  readonly failing_tests: FailuresReport;
  readonly collect_diff: DiffReport;
}

export type ReportingTool = keyof Reports;

/** Runs one of the tools through the kit, which validates arguments as a host does. */
export async function runReviewTool(
  name: ReportingTool,
  cwd: string,
  args: Readonly<Record<string, unknown>> = {},
  options: {
    readonly signal?: AbortSignal;
    readonly tools?: Partial<ReviewToolsOptions>;
    /** Sees each update when it comes. */
    readonly onUpdate?: (update: ToolResult) => void;
  } = {},
) {
  const tools: readonly RunnableTool[] = createReviewTools({ dangers: [], ...options.tools });
  const tool = tools.find((found) => found.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const seen: RunnableTool = {
    ...tool,
    execute: (callId, params, signal, onUpdate, ctx) =>
      tool.execute(
        callId,
        params,
        signal,
        (update) => {
          onUpdate?.(update);
          options.onUpdate?.(update);
        },
        ctx,
      ),
  };
  return runTool(seen, args, { cwd, ...(options.signal === undefined ? {} : { signal: options.signal }) });
}

/** The structured content of a call that must succeed, and its text. */
export async function reportOf<TName extends ReportingTool>(
  name: TName,
  cwd: string,
  args: Readonly<Record<string, unknown>> = {},
  options: Parameters<typeof runReviewTool>[3] = {},
): Promise<{ readonly data: Reports[TName]; readonly text: string }> {
  const run = await runReviewTool(name, cwd, args, options);
  if (run.kind !== "result" || run.isError)
    throw new Error(
      `${name} failed: ${run.kind === "result" ? run.text : run.kind === "invalid" ? run.message : run.error.message}`,
    );
  // `defineTool` has checked it against the tool's output schema.
  return { data: run.result.structuredContent as unknown as Reports[TName], text: run.text };
}

/** The message of a call that must be refused. */
export async function refusalOf(
  name: ReportingTool,
  cwd: string,
  args: Readonly<Record<string, unknown>>,
): Promise<string> {
  const run = await runReviewTool(name, cwd, args);
  if (run.kind !== "error" && run.kind !== "invalid") throw new Error(`${name} was not refused`);
  return run.message;
}
