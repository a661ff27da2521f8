import { createEnvironment } from "./environment.ts";
import type { ReviewToolsOptions } from "./options.ts";
import { collectDiffTool } from "./tools/collect-diff.ts";
import { dangerousCommandsTool } from "./tools/dangerous-commands.ts";
import { failingTestsTool } from "./tools/failing-tests.ts";
import { reviewDiffTool } from "./tools/review-diff.ts";
import { runChecksTool } from "./tools/run-checks.ts";

/**
 * The five review tools (contract A3). Each works as a Pi tool and in a `ToolHost`; the working folder is the
 * context's `cwd`, then the option's, then the process's.
 */
export function createReviewTools(options: ReviewToolsOptions) {
  const environment = createEnvironment(options);
  return [
    runChecksTool(environment),
    failingTestsTool(environment),
    collectDiffTool(environment),
    dangerousCommandsTool(environment),
    reviewDiffTool(environment),
  ] as const;
}

export type ReviewTool = ReturnType<typeof createReviewTools>[number];
