import { runTool } from "@nestbox/tool/testing";
import { describe, expect, test } from "vitest";

import type { FailuresReport } from "../../src/failures.ts";
import { createReviewTools } from "../../src/node/create-review-tools.ts";
import { runnerCases } from "../cases/cases.ts";
import { mismatches } from "../cases/check.ts";
import { runnerModules } from "../cases/modules.ts";
import { makeProject } from "../cases/project.ts";

const [, failingTests] = createReviewTools({ dangers: [] });

// contract A11
describe("failing_tests really runs each runner and tells its outcomes apart", () => {
  test.each(runnerCases)("$name", async (runnerCase) => {
    await using project = await makeProject(runnerCase, runnerModules());
    const run = await runTool(failingTests, {}, { cwd: project.path });
    if (run.kind !== "result") throw new Error(JSON.stringify(run));
    expect(run.isError).toBe(false);
    // `defineTool` has checked it against the schema.
    expect(mismatches(runnerCase, run.result.structuredContent as FailuresReport)).toEqual([]);
  });
});
