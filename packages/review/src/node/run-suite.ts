import { throwIfAborted } from "@nestbox/tool";
import type { CommandResult } from "@nestbox/tool/node";

import { limits } from "../limits.ts";
import type { TestOutcome, TestRun } from "../failures.ts";
import { emptyReport, type ParsedFailure, type ParsedReport, type ReportResult } from "../reports/report.ts";
import { cutEnd, cutMiddle, plainText } from "../reports/text.ts";
import { runProjectCommand } from "./environment.ts";
import { createLocator, type Locator } from "./locate.ts";
import type { ReviewEnvironment } from "./options.ts";
import { shownFolder, type Suite } from "./project/suites.ts";
import { runners } from "./runners/index.ts";
import { withReportFolder } from "./runners/report-folder.ts";
import type { Runner, RunnerContext } from "./runners/runner.ts";
import { parseTap } from "./tap.ts";

export interface SuiteResult {
  readonly run: TestRun;
  readonly failures: readonly ParsedFailure[];
  readonly locator: Locator;
}

/** Standard output of a runner whose report stands there (go, cargo, TAP) can be long. */
const reportOutputBytes = 16 * 1024 * 1024;

/** A runner that is not known: its output may still be TAP, its exit code tells success in any case. */
const unknown: Runner = {
  name: "unknown",
  reportsOnStdout: true,
  inject: async () => ({ args: [] }),
  async read({ stdout }) {
    return /^TAP version 1[34]$/m.test(stdout)
      ? parseTap(stdout)
      : { ok: false, reason: "the test runner is not one that is known" };
  },
};

/** Runs one suite and says how it ended. Rejects only with an `AbortError` (contract B3). */
export async function runSuite(
  environment: ReviewEnvironment,
  suite: Suite,
  options: { readonly root: string; readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<SuiteResult> {
  const runner = runners.get(suite.runner) ?? unknown;
  const locator = createLocator(options.root, suite.folder);
  return withReportFolder(async (report) => {
    const context = { folder: suite.folder, report, words: suite.words };
    const injection = await runner.inject(context);
    const command = await suite.command(injection.args);
    const base = {
      runner: suite.runner,
      folder: shownFolder(options.root, suite.folder),
      ...(suite.note === undefined ? {} : { note: suite.note }),
    };
    if (command === undefined) {
      const run: TestRun = {
        ...base,
        command: suite.words.join(" "),
        outcome: "not-installed",
        durationMs: 0,
        ...counts(emptyReport),
        message: `${suite.runner} is not installed: neither in node_modules/.bin nor on PATH`,
      };
      return { run, failures: [], locator };
    }
    const result = await runProjectCommand(environment, command, {
      folder: suite.folder,
      timeoutMs: options.timeoutMs,
      signal: options.signal,
      ...(runner.reportsOnStdout === true ? { maxBytes: reportOutputBytes } : {}),
      ...(injection.env === undefined ? {} : { env: injection.env }),
    });
    throwIfAborted(options.signal);
    const { outcome, message, report: found } = await readRun(runner, result, context);
    const explained = outcome === "passed" || outcome === "failed" || outcome === "no-tests";
    const run: TestRun = {
      ...base,
      command: command.label,
      outcome,
      ...(result.kind === "exited" ? { exitCode: result.exitCode } : {}),
      ...(result.kind === "signaled" ? { signal: result.signal } : {}),
      durationMs: result.durationMs,
      ...counts(found),
      ...(message === undefined
        ? {}
        : { message: cutEnd(locator.relativize(plainText(message)), limits.messageBytes) }),
      ...(explained ? {} : { outputTail: tail(result, locator) }),
      ...(result.fullOutputPath === undefined ? {} : { fullOutputPath: result.fullOutputPath }),
      ...(result.fullOutputIncomplete === true ? { fullOutputIncomplete: true } : {}),
    };
    return { run, failures: found.failures, locator };
  });
}

function counts(report: ParsedReport) {
  return { passed: report.passed, failed: report.failed, skipped: report.skipped };
}

function tail(result: CommandResult, locator: Locator): string {
  return cutMiddle(
    locator.relativize(plainText(result.output.slice(-64 * 1024))).trim(),
    limits.stepTextBytes,
  ).text;
}

const notThere =
  /: (?:command )?not found\b|is not recognized as an internal or external command|No module named '?pytest'?$|ERR_PNPM_NO_SCRIPT|Cannot find module '[^']*(?:vitest|jest|mocha|playwright)[^']*'\s*$/m;

/** What one run of a runner comes to: its outcome, and its report or an empty one. */
export async function readRun(
  runner: Runner,
  result: CommandResult,
  context: RunnerContext,
): Promise<{ readonly outcome: TestOutcome; readonly message?: string; readonly report: ParsedReport }> {
  const parsed = await runner.read(result, context);
  return { ...judge(result, parsed, runner), report: parsed.ok ? parsed.report : emptyReport };
}

/** What the end of the process and the report together say. */
function judge(
  result: CommandResult,
  parsed: ReportResult,
  runner: Runner,
): { readonly outcome: TestOutcome; readonly message?: string } {
  if (result.kind === "failed-to-start") {
    const outcome = /ENOENT/.test(result.message) ? "not-installed" : "crashed";
    return { outcome, message: result.message };
  }
  if (result.kind === "timeout") return { outcome: "timed-out", message: "the tests did not end in time" };
  if (result.kind === "signaled")
    return { outcome: "crashed", message: `the runner was ended by ${result.signal}` };
  const exitCode = result.kind === "exited" ? result.exitCode : 0;

  if (parsed.ok) {
    const { report } = parsed;
    if (report.failures.length > 0 && report.incomplete !== true) return { outcome: "failed" };
    if (report.incomplete === true) {
      return { outcome: "crashed", message: `the report stops before its end: ${lastLine(result)}` };
    }
    const ran = report.passed + report.skipped > 0;
    const [error] = report.errors;
    const said = runner.classify?.(result, ran || error !== undefined ? undefined : report);
    if (error !== undefined) return { outcome: said ?? "crashed", message: error };
    if (!ran) {
      if (said !== undefined)
        return { outcome: said, ...(said === "no-tests" ? {} : { message: lastLine(result) }) };
      return exitCode === 0 ? { outcome: "no-tests" } : { outcome: "crashed", message: lastLine(result) };
    }
    if (exitCode === 0) return { outcome: "passed" };
    const message = `every test that was reported passed, yet the runner exited with code ${exitCode}: ${lastLine(result)}`;
    return { outcome: "crashed", message };
  }

  const said = runner.classify?.(result, undefined);
  if (said === "no-tests") return { outcome: said };
  if (said !== undefined) return { outcome: said, message: lastLine(result) };
  if (exitCode === 127 || (exitCode !== 0 && notThere.test(result.output))) {
    return { outcome: "not-installed", message: lastLine(result) };
  }
  if (runner.name === "unknown") {
    const verdict = exitCode === 0 ? "they passed by its exit code" : `it exited with code ${exitCode}`;
    return { outcome: "unreadable", message: `${parsed.reason}; ${verdict}` };
  }
  return exitCode === 0
    ? { outcome: "unreadable", message: parsed.reason }
    : {
        outcome: "crashed",
        message: `${parsed.reason}; it exited with code ${exitCode}: ${lastLine(result)}`,
      };
}

/** The line of an output that most likely says what went wrong: an error's own, else one that names one, else the last. */
function lastLine(result: CommandResult): string {
  const lines = plainText(result.stderr.trim() === "" ? result.stdout : result.stderr)
    .slice(-32 * 1024)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith('{"'));
  const wanted = [
    /\(signal: \d+/,
    /^(?:\w+ )*\w*(?:error|Error)\b(?:\s?\[[\w.-]+\])?(?:: |$)/,
    /\berror\b|Error\b/i,
  ];
  const found = wanted
    .map((pattern) => lines.find((line) => pattern.test(line)))
    .find((line) => line !== undefined);
  return cutEnd(found ?? lines.at(-1) ?? "it printed nothing", 500);
}
