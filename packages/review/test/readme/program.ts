import type { ChecksReport } from "@nestbox/review";
import { createReviewTools } from "@nestbox/review/node";

export async function failedSteps(cwd: string): Promise<string[]> {
  const [runChecks] = createReviewTools({ dangers: [], cwd });
  const result = await runChecks.execute("call-1", { skipTests: true }, undefined, undefined, undefined);
  const report = result.structuredContent as ChecksReport;
  return report.steps.filter((step) => !step.ok).map((step) => step.id);
}
