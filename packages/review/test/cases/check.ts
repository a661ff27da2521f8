import type { FailuresReport } from "../../src/failures.ts";
import type { RunnerCase } from "./cases.ts";

/** What of the expected is not so; empty when the report of one run is as the case says. */
export function mismatches({ expected }: RunnerCase, report: FailuresReport): readonly string[] {
  const faults: string[] = [];
  const [run, ...others] = report.runs;
  if (run === undefined || others.length > 0) return [`${report.runs.length} runs instead of one`];
  if (run.outcome !== expected.outcome)
    faults.push(`outcome is ${run.outcome}, not ${expected.outcome}: ${run.message ?? ""}`);
  if (expected.message?.test(run.message ?? "") === false)
    faults.push(`message is ${run.message ?? "missing"}`);
  const counts = [report.passed, report.failed, report.skipped].join(", ");
  if (expected.counts !== undefined && counts !== expected.counts.join(", "))
    faults.push(`counts are ${counts}`);
  for (const wanted of expected.failures ?? []) {
    const [, path, line, name] = /^([^:]+):(\*|\d+) (.*)$/s.exec(wanted) ?? [];
    const failure = report.files
      .find((file) => file.path === path)
      ?.failures.find((found) => found.name === name);
    if (failure === undefined) faults.push(`${wanted} is not reported`);
    else if (line !== "*" && failure.line !== Number(line))
      faults.push(`${wanted} is in line ${failure.line ?? "?"}`);
    else if (failure.message === "") faults.push(`${wanted} has no message`);
  }
  return faults;
}
