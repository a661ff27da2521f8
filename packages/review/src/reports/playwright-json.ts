import { count, list, own, parseJson, text } from "./read.ts";
import { withoutStack } from "./places.ts";
import { reportOf, type ParsedFailure, type ReportResult } from "./report.ts";
import { plainText } from "./text.ts";

/** Suites inside suites that are followed. */
const maxDepth = 64;

/** Playwright Test's `json` reporter. A test that passed on a retry counts as passed. */
export function parsePlaywrightJson(source: string): ReportResult {
  const parsed = parseJson(source);
  if (!parsed.ok || !Array.isArray(own(parsed.value, "suites"))) {
    return { ok: false, reason: "not a Playwright JSON report" };
  }
  const root = text(own(parsed.value, "config"), "rootDir") ?? "";
  const failures: ParsedFailure[] = [];
  let passed = 0;
  let skipped = 0;

  function visit(suite: unknown, titles: readonly string[], depth: number): void {
    for (const spec of list(suite, "specs")) {
      const title = text(spec, "title") ?? "(unnamed)";
      for (const test of list(spec, "tests")) {
        const status = text(test, "status");
        if (status === "skipped") skipped += 1;
        else if (status === "expected" || status === "flaky") passed += 1;
        else failures.push(failureOf(spec, test, [...titles, title].join(" > "), root));
      }
    }
    if (depth >= maxDepth) return;
    for (const inner of list(suite, "suites")) {
      const title = text(inner, "title") ?? "";
      visit(inner, title === "" ? titles : [...titles, title], depth + 1);
    }
  }
  // The outermost suite of each file carries the file's name as its title.
  for (const suite of list(parsed.value, "suites")) visit(suite, [], 0);

  const errors: string[] = [];
  for (const error of list(parsed.value, "errors")) {
    const message = withoutStack(plainText(text(error, "message") ?? text(error, "stack") ?? "error"));
    const location = own(error, "location");
    const file = text(location, "file");
    if (message.startsWith("Error: No tests found")) continue;
    if (file === undefined) errors.push(message);
    else failures.push({ file, name: "(file)", kind: "load", message, line: count(location, "line") });
  }
  return reportOf({ passed, skipped, failures, errors });
}

function failureOf(spec: unknown, test: unknown, name: string, root: string): ParsedFailure {
  const result = list(test, "results").at(-1);
  const error = own(result, "error") ?? list(result, "errors")[0];
  const raw = plainText(text(error, "message") ?? "");
  const location = own(error, "location") ?? own(result, "errorLocation");
  const file = text(spec, "file");
  const timedOut = text(result, "status") === "timedOut";
  const project = text(test, "projectName") ?? "";
  return {
    file: file === undefined || root === "" || file.startsWith("/") ? file : `${root}/${file}`,
    name: project === "" ? name : `[${project}] ${name}`,
    kind: raw.startsWith("Error: expect(") ? "assertion" : "error",
    message: withoutStack(raw) || (timedOut ? "the test ran out of time" : "failed without a message"),
    ...expectedAndReceived(raw),
    line: count(location, "line") ?? count(spec, "line"),
    column: count(location, "column"),
    stack: plainText(text(error, "stack") ?? ""),
  };
}

/** The `Expected: …` and `Received: …` lines that the matchers of Jest, Playwright and Bun write. */
export function expectedAndReceived(message: string): {
  readonly expected?: string | undefined;
  readonly actual?: string | undefined;
} {
  const expected = /^Expected[^:\n]{0,40}: *(.*)$/m.exec(message)?.[1];
  const actual = /^Received[^:\n]{0,40}: *(.*)$/m.exec(message)?.[1];
  return { expected, actual };
}
