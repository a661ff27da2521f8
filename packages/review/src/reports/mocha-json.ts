import { count, list, own, parseJson, shown, text } from "./read.ts";
import { reportOf, type ParsedFailure, type ReportResult } from "./report.ts";

/** Mocha's `json` reporter. */
export function parseMochaJson(source: string): ReportResult {
  const parsed = parseJson(source);
  if (
    !parsed.ok ||
    own(parsed.value, "stats") === undefined ||
    !Array.isArray(own(parsed.value, "failures"))
  ) {
    return { ok: false, reason: "not a Mocha JSON report" };
  }
  const failures = list(parsed.value, "failures").map((test): ParsedFailure => {
    const error = own(test, "err");
    const title = text(test, "title") ?? "(unnamed)";
    const full = text(test, "fullTitle") ?? title;
    const suites = full.endsWith(` ${title}`) ? full.slice(0, -title.length - 1) : "";
    const expected = shown(own(error, "expected"));
    const stack = text(error, "stack");
    return {
      file: text(test, "file"),
      name: suites === "" ? title : `${suites} > ${title}`,
      kind: expected !== undefined || text(error, "code") === "ERR_ASSERTION" ? "assertion" : "error",
      message: (text(error, "message") ?? stack ?? "failed without a message").trim(),
      expected,
      actual: shown(own(error, "actual")),
      stack,
    };
  });
  const stats = own(parsed.value, "stats");
  return reportOf({
    passed: count(stats, "passes") ?? list(parsed.value, "passes").length,
    skipped: count(stats, "pending") ?? list(parsed.value, "pending").length,
    failures,
  });
}
