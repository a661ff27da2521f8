import { isAbsolute, join, sep } from "node:path";

import { refusal } from "@nestbox/tool";
import { openInside } from "@nestbox/tool/node";

import type { FailuresReport } from "../failures.ts";
import { limits } from "../limits.ts";
import { parseJunit } from "../reports/junit.ts";
import type { ParsedFailure } from "../reports/report.ts";
import { isFile } from "./files.ts";
import { createLocator, groupFailures } from "./locate.ts";
import { parseTap } from "./tap.ts";

/** Reads a JUnit XML or TAP file of the project as if its tests had just run. Throws a refusal for anything else. */
export async function readReportFile(root: string, path: string): Promise<FailuresReport> {
  const source = await readReport(root, path);
  const isXml = source.trimStart().startsWith("<");
  const parsed = await (isXml ? parseJunit(source) : parseTap(source));
  if (!parsed.ok) throw refusal(`${path} is neither JUnit XML nor TAP: ${parsed.reason}.`);
  const { report } = parsed;
  const failures: ParsedFailure[] = [];
  for (const failure of report.failures) {
    const known = failures.length < limits.failures && failure.file !== undefined;
    failures.push(known ? { ...failure, file: await ownFile(root, failure.file ?? "") } : failure);
  }
  const { files, omitted } = groupFailures(failures, createLocator(root, root));
  const ran = report.passed + report.failed + report.skipped > 0;
  const [error] = report.errors;
  const outcome =
    report.failed > 0
      ? "failed"
      : error !== undefined || report.incomplete === true
        ? "crashed"
        : ran
          ? "passed"
          : "no-tests";
  const totals = { passed: report.passed, failed: report.failed, skipped: report.skipped };
  return {
    outcome,
    runs: [
      {
        runner: isXml ? "junit" : "tap",
        folder: ".",
        command: `(report ${path})`,
        outcome,
        durationMs: 0,
        ...totals,
        ...(error === undefined ? {} : { message: error.slice(0, limits.messageBytes) }),
      },
    ],
    files: [...files],
    ...totals,
    omitted,
  };
}

/** A report of another machine has other folders: the longest end of its path that is a file here is the one. */
async function ownFile(root: string, file: string): Promise<string> {
  if (!isAbsolute(file) || file.startsWith(`${root}${sep}`)) return file;
  const parts = file.split(/[\\/]/).filter((part) => part !== "" && part !== "..");
  for (let index = 0; index < parts.length; index += 1) {
    const candidate = parts.slice(index).join("/");
    if (await isFile(join(root, candidate))) return candidate;
  }
  return file;
}

async function readReport(root: string, path: string): Promise<string> {
  await using file = await openInside(root, path);
  const { size } = await file.handle.stat();
  if (size > limits.reportBytes) throw refusal(`The report is larger than ${limits.reportBytes} bytes.`);
  return file.handle.readFile("utf8");
}
