import { throwIfAborted, truncateText } from "@nestbox/tool";
import { modelText, type CommandResult, type ModelText } from "@nestbox/tool/node";

import type { CheckProblem, CheckStatus, CheckStep } from "../checks.ts";
import { limits } from "../limits.ts";
import { parseProblems } from "../reports/problems.ts";
import { cutEnd, plainText } from "../reports/text.ts";
import { runProjectCommand } from "./environment.ts";
import { createLocator, type Locator } from "./locate.ts";
import type { ReviewEnvironment } from "./options.ts";
import type { PlannedStep } from "./project/steps.ts";
import { shownFolder } from "./project/suites.ts";

export interface RunStepsOptions {
  readonly root: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Told after each step, with all that have ended so far, in the order of the plan. */
  readonly onStep: (steps: readonly CheckStep[]) => void;
}

/** Runs the steps, at most three at the same time; those with one lock one after the other. In the order of the plan. */
export async function runSteps(
  environment: ReviewEnvironment,
  plan: readonly PlannedStep[],
  options: RunStepsOptions,
): Promise<readonly CheckStep[]> {
  const ended = new Map<number, CheckStep>();
  const locks = new Map<string, Promise<unknown>>();
  const inOrder = (): readonly CheckStep[] => plan.flatMap((_step, index) => ended.get(index) ?? []);
  let next = 0;

  async function run(index: number, step: PlannedStep): Promise<void> {
    throwIfAborted(options.signal);
    ended.set(index, await runStep(environment, step, options));
    throwIfAborted(options.signal);
    options.onStep(inOrder());
  }
  async function worker(): Promise<void> {
    for (let index = next++; index < plan.length; index = next++) {
      const step = plan[index];
      if (step === undefined) return;
      const before = step.lock === undefined ? undefined : locks.get(step.lock);
      const done = (before ?? Promise.resolve()).catch(() => undefined).then(() => run(index, step));
      if (step.lock !== undefined) locks.set(step.lock, done);
      await done;
    }
  }
  const workers = Array.from({ length: Math.min(limits.parallelSteps, plan.length) }, () => worker());
  // Every step ends before an abort is told, so that no process is left behind.
  const settled = await Promise.allSettled(workers);
  const failed = settled.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return inOrder();
}

async function runStep(
  environment: ReviewEnvironment,
  step: PlannedStep,
  options: RunStepsOptions,
): Promise<CheckStep> {
  const base = {
    id: step.id,
    kind: step.kind,
    folder: shownFolder(options.root, step.folder),
    command: step.label,
  };
  if (step.command === undefined) {
    const output = "The program is not installed: neither in the project nor on PATH.";
    return {
      ...base,
      ok: false,
      status: "not-installed",
      durationMs: 0,
      output,
      truncated: false,
      problems: [],
      problemsOmitted: 0,
    };
  }
  const result = await runProjectCommand(environment, step.command, {
    folder: step.folder,
    timeoutMs: options.timeoutMs,
    signal: options.signal,
  });
  const locator = createLocator(options.root, step.folder);
  const text = locator.relativize(plainText(result.output));
  const output = await cutOutput(text, result, environment);
  const status = statusOf(result);
  const problems = status === "passed" ? [] : placeProblems(text, locator);
  return {
    ...base,
    ok: status === "passed",
    status,
    ...(result.kind === "exited" ? { exitCode: result.exitCode } : {}),
    ...(result.kind === "signaled" ? { signal: result.signal } : {}),
    durationMs: result.durationMs,
    output: result.kind === "failed-to-start" ? result.message : output.text,
    truncated: result.truncated || output.truncated,
    ...(output.fullOutputPath === undefined ? {} : { fullOutputPath: output.fullOutputPath }),
    ...(result.fullOutputIncomplete === true ? { fullOutputIncomplete: true } : {}),
    problems: problems.slice(0, limits.problems),
    problemsOmitted: Math.max(0, problems.length - limits.problems),
  };
}

/** The output as it stands in the result; what was cut is in a file that the marker names (contract A12). */
async function cutOutput(
  text: string,
  { fullOutputPath, fullOutputIncomplete }: CommandResult,
  environment: ReviewEnvironment,
): Promise<ModelText> {
  const bounds = { maxBytes: limits.stepOutputBytes, maxLines: Infinity };
  if (fullOutputPath !== undefined) {
    const where = {
      fullOutputPath,
      ...(fullOutputIncomplete === undefined ? {} : { fullOutputIncomplete }),
    };
    return { ...truncateText(text, { ...bounds, ...where }), fullOutputPath };
  }
  const { outputFolder } = environment;
  return modelText(text, { ...bounds, ...(outputFolder === undefined ? {} : { outputFolder }) });
}

function statusOf(result: CommandResult): CheckStatus {
  switch (result.kind) {
    case "exited":
      if (result.exitCode === 0) return "passed";
      return result.exitCode === 127 ? "not-installed" : "failed";
    case "timeout":
      return "timed-out";
    case "failed-to-start":
      return /ENOENT/.test(result.message) ? "not-installed" : "crashed";
    default:
      return "crashed";
  }
}

function placeProblems(text: string, locator: Locator): readonly CheckProblem[] {
  return parseProblems(text).flatMap((problem) => {
    const path = locator.inside(problem.file);
    if (path === undefined) return [];
    return [
      {
        path,
        line: problem.line,
        ...(problem.column === undefined ? {} : { column: problem.column }),
        severity: problem.severity,
        ...(problem.code === undefined ? {} : { code: cutEnd(problem.code, 100) }),
        message: cutEnd(problem.message, limits.messageBytes),
      },
    ];
  });
}
