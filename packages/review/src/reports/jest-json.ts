import { count, list, own, parseJson, shown, text } from "./read.ts";
import { withoutStack } from "./places.ts";
import { reportOf, type ParsedFailure, type ReportResult } from "./report.ts";
import { plainText } from "./text.ts";

/** Jest's `--json`, which vitest's `json` reporter writes too. */
export function parseJestJson(source: string): ReportResult {
  const parsed = parseJson(source);
  if (!parsed.ok || !Array.isArray(own(parsed.value, "testResults"))) {
    return { ok: false, reason: "not a Jest JSON report" };
  }
  const failures: ParsedFailure[] = [];
  const errors: string[] = [];
  let passed = 0;
  let skipped = 0;
  for (const file of list(parsed.value, "testResults")) {
    const path = text(file, "name") ?? text(file, "testFilePath");
    const tests = list(file, "assertionResults");
    let failedHere = 0;
    for (const test of tests) {
      const status = text(test, "status");
      if (status === "passed") passed += 1;
      else if (status === "failed") {
        failedHere += 1;
        failures.push(failureOf(test, path));
      } else skipped += 1;
    }
    if (text(file, "status") === "failed" && failedHere === 0) {
      const message = plainText(text(file, "message") ?? "").replace(/^\s*● Test suite failed to run\s*/, "");
      failures.push({
        file: path,
        name: "(file)",
        kind: "load",
        message: withoutStack(message) || "the file could not be loaded",
        stack: message,
      });
    }
  }
  for (const error of list(parsed.value, "unhandledErrors")) errors.push(shown(error) ?? "unhandled error");
  const runExecError = text(own(parsed.value, "runExecError"), "message");
  if (runExecError !== undefined) errors.push(runExecError);
  return reportOf({ passed, skipped, failures, errors });
}

function failureOf(test: unknown, path: string | undefined): ParsedFailure {
  const titles = list(test, "ancestorTitles").filter(
    (title): title is string => typeof title === "string" && title !== "",
  );
  const name = [...titles, text(test, "title") ?? text(test, "fullName") ?? "(unnamed)"].join(" > ");
  const messages = list(test, "failureMessages")
    .filter((message) => typeof message === "string")
    .map(plainText);
  const stack = messages.join("\n");
  const [first = ""] = messages;
  const detail = list(test, "failureDetails")[0];
  // Jest nests what it compared; our own vitest reporter writes the same shape.
  const matcher = own(detail, "matcherResult") ?? detail;
  const expected = shown(own(matcher, "expected"));
  const actual = shown(own(matcher, "actual"));
  const isAssertion = expected !== undefined || /^(?:Assertion|Error: expect\()/.test(first);
  return {
    file: path,
    name,
    kind: own(test, "load") === true ? "load" : isAssertion ? "assertion" : "error",
    message: withoutStack(first) || "failed without a message",
    expected,
    actual,
    line: count(own(test, "location"), "line"),
    stack,
  };
}
