import { obj, opt, str } from "@earendil-works/pi-schema";
import { defineTool, refusal, throwIfAborted } from "@nestbox/tool";
import { requireInside } from "@nestbox/tool/node";

import { failuresSchema, worstOutcome, type FailingFile, type FailuresReport } from "../../failures.ts";
import { limits } from "../../limits.ts";
import { reviewNamespace } from "../../namespace.ts";
import { shares } from "../../shares.ts";
import { failuresText } from "../../text/failures-text.ts";
import { workingFolder } from "../environment.ts";
import { isFolder } from "../files.ts";
import { importedFiles } from "../imports.ts";
import { groupFailures, unknownFile } from "../locate.ts";
import type { ReviewEnvironment } from "../options.ts";
import { manifestFault } from "../project/package.ts";
import { findSuites } from "../project/suites.ts";
import { readReportFile } from "../report-file.ts";
import { runSuite, type SuiteResult } from "../run-suite.ts";
import { timeoutParameter } from "./parameters.ts";
import { clean, report } from "./result.ts";

const parameters = obj({
  path: opt(
    str({
      minLength: 1,
      maxLength: 1_000,
      description: "Project-relative folder to test, for example packages/a. Default: the project",
    }),
  ),
  script: opt(
    str({
      minLength: 1,
      maxLength: 200,
      description: "A script of package.json, for example test:e2e. Default: test:unit or test",
    }),
  ),
  report: opt(
    str({
      minLength: 1,
      maxLength: 1_000,
      description: "Read this project-relative JUnit XML or TAP file instead of running the tests",
    }),
  ),
  timeoutSeconds: timeoutParameter("each run"),
});

/** `failing_tests`: runs the project's tests with a machine-readable reporter (contract A3, A11). */
export function failingTestsTool(environment: ReviewEnvironment) {
  return defineTool({
    name: "failing_tests",
    label: "Failing tests",
    description:
      "Runs the project's own tests and returns which fail: grouped by file, with name, message, expected, actual and line. " +
      "Call it when you need to know what fails and where, before and after a fix. Knows vitest, jest, node:test, mocha, playwright, bun test, pytest, go test, cargo test, and reads JUnit XML and TAP files. " +
      "Returns { outcome, runs, files, passed, failed, skipped }; failing tests are a result, not an error. " +
      "For type check and linter as well use run_checks; to review a change use review_diff. Do not run a test command of your own instead.",
    promptSnippet: "Run the project's tests and list which fail, where and why",
    parameters,
    outputSchema: failuresSchema,
    exposure: "direct",
    namespace: reviewNamespace,
    // It runs the project's code, which can do anything: every other hint stays at its default, the worst.
    annotations: { readOnlyHint: false },
    async execute(_id, params, signal, onUpdate, context) {
      const root = await workingFolder(environment, context);
      if (params.report !== undefined) {
        return report(await readReportFile(root, params.report), environment, failuresText);
      }
      const folder = params.path === undefined ? root : await projectFolder(root, params.path);
      const all = await findSuites(folder, { script: params.script });
      const suites = all.slice(0, limits.suites);
      const left = all.length - suites.length;
      const fault = suites.length === 0 ? await manifestFault(folder) : undefined;
      if (fault !== undefined) throw refusal(`${fault}. Its tests cannot be found before it is mended.`);
      if (suites.length === 0 && params.script !== undefined) {
        throw refusal(`package.json has no script "${params.script}". Call failing_tests without script.`);
      }
      const results: SuiteResult[] = [];
      const tell = (): void => {
        const partial = clean(summarize(results), environment);
        const text = `${results.length} of ${suites.length} test runs done\n${failuresText(partial)}`;
        onUpdate?.({ content: [{ type: "text", text }], details: partial });
      };
      tell();
      for (const suite of suites) {
        throwIfAborted(signal);
        const result = await runSuite(environment, suite, {
          root,
          timeoutMs: (params.timeoutSeconds ?? limits.timeoutSeconds) * 1000,
          signal,
        });
        results.push(result);
        tell();
      }
      const found = await withImports(root, summarize(results));
      return report(left === 0 ? found : { ...found, notRun: left }, environment, failuresText);
    },
  });
}

async function projectFolder(root: string, path: string): Promise<string> {
  const found = await requireInside(root, path);
  if (!(await isFolder(found.path))) throw refusal(`There is no folder ${found.relative} in this project.`);
  return found.path;
}

/** Says what each failing file loads, so that a failure can be mapped to a change. */
async function withImports(root: string, found: FailuresReport): Promise<FailuresReport> {
  const files: FailingFile[] = [];
  for (const [index, file] of found.files.entries()) {
    const known = file.path !== unknownFile && index < limits.importingFiles;
    files.push(known ? { ...file, imports: [...(await importedFiles(root, file.path))] } : file);
  }
  return { ...found, files };
}

/** One report of all runs; failures of one file from several runs are one group. */
export function summarize(results: readonly SuiteResult[]): FailuresReport {
  const files = new Map<string, FailingFile>();
  const budgets = shares(
    results.map(({ failures }) => failures.length),
    limits.failures,
  );
  let omitted = 0;
  for (const [index, result] of results.entries()) {
    const grouped = groupFailures(result.failures, result.locator, budgets[index]);
    omitted += grouped.omitted;
    for (const file of grouped.files) {
      const before = files.get(file.path);
      files.set(file.path, before === undefined ? file : merge(before, file));
    }
  }
  const runs = results.map(({ run }) => run);
  const sum = (key: "passed" | "failed" | "skipped"): number =>
    runs.reduce((total, run) => total + run[key], 0);
  return {
    outcome: worstOutcome(runs.map(({ outcome }) => outcome)),
    runs,
    files: [...files.values()],
    passed: sum("passed"),
    failed: sum("failed"),
    skipped: sum("skipped"),
    omitted,
  };
}

function merge(before: FailingFile, more: FailingFile): FailingFile {
  return {
    path: before.path,
    failed: before.failed + more.failed,
    names: [...before.names, ...more.names],
    failures: [...before.failures, ...more.failures],
  };
}
