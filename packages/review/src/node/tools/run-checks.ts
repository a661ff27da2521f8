import { arr, bool, obj, oneOf, opt } from "@earendil-works/pi-schema";
import { defineTool } from "@nestbox/tool";

import { checkKinds, checksSchema, type CheckKind, type ChecksReport, type CheckStep } from "../../checks.ts";
import { limits } from "../../limits.ts";
import { reviewNamespace } from "../../namespace.ts";
import { checksText } from "../../text/checks-text.ts";
import { workingFolder } from "../environment.ts";
import type { ReviewEnvironment } from "../options.ts";
import { manifestFault } from "../project/package.ts";
import { findSteps } from "../project/steps.ts";
import { runSteps } from "../run-steps.ts";
import { timeoutParameter } from "./parameters.ts";
import { clean, report } from "./result.ts";

const parameters = obj({
  skipTests: opt(
    bool({ description: "Leave the tests out, for example because failing_tests runs them. Default: false" }),
  ),
  only: opt(arr(oneOf(checkKinds), { minItems: 1, maxItems: 3, description: "Run these kinds only" })),
  timeoutSeconds: timeoutParameter("each step"),
});

/** `run_checks`: the project's own type check, linter and unit tests (contract A3, A5). */
export function runChecksTool(environment: ReviewEnvironment) {
  return defineTool({
    name: "run_checks",
    label: "Run checks",
    description:
      "Runs the project's own type check, linter and unit tests and returns, for each step, exit code, duration, output and the places it names. " +
      "Call it to know whether a change holds. It finds the commands itself: package scripts of npm, pnpm, yarn and bun, tsc, workspaces, and the usual commands of Python, Go and Rust. " +
      "Accepts skipTests, only (typecheck, lint, test) and timeoutSeconds. Returns { ok, steps, skipped }; a step that exits non-zero is a result, not an error. " +
      "To learn which tests fail and where use failing_tests; to review a change use review_diff. Do not run a check command of your own instead.",
    promptSnippet: "Run the project's own type check, linter and unit tests",
    parameters,
    outputSchema: checksSchema,
    exposure: "direct",
    namespace: reviewNamespace,
    // It runs the project's code, which can do anything: every other hint stays at its default, the worst.
    annotations: { readOnlyHint: false },
    async execute(_id, params, signal, onUpdate, context) {
      const root = await workingFolder(environment, context);
      const wanted = new Set<CheckKind>(params.only ?? checkKinds);
      if (params.skipTests === true) wanted.delete("test");
      const all = await findSteps(root, wanted);
      const plan = all.slice(0, limits.steps);
      const absent = (await manifestFault(root)) ?? "none was found in this project";
      const skipped = checkKinds.flatMap((kind) => {
        const left = all.slice(limits.steps).filter((step) => step.kind === kind).length;
        if (left > 0)
          return [{ kind, reason: `${left} more: at most ${limits.steps} steps run in one call` }];
        if (plan.some((step) => step.kind === kind)) return [];
        const asked = params.only === undefined || params.only.includes(kind);
        const reason = !asked ? "not asked for" : wanted.has(kind) ? absent : "skipTests is set";
        return [{ kind, reason }];
      });
      const tell = (steps: readonly CheckStep[]): void => {
        const partial = clean(summarize(steps, skipped), environment);
        const text = `${steps.length} of ${plan.length} steps done\n${checksText(partial)}`;
        onUpdate?.({ content: [{ type: "text", text }], details: partial });
      };
      tell([]);
      const steps = await runSteps(environment, plan, {
        root,
        timeoutMs: (params.timeoutSeconds ?? limits.timeoutSeconds) * 1000,
        signal,
        onStep: tell,
      });
      const found = summarize(steps, skipped);
      const notRun = all.length - plan.length;
      return report(notRun === 0 ? found : { ...found, notRun }, environment, checksText);
    },
  });
}

function summarize(steps: readonly CheckStep[], skipped: ChecksReport["skipped"]): ChecksReport {
  return { ok: steps.length > 0 && steps.every((step) => step.ok), steps: [...steps], skipped };
}
