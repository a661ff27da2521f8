import { reportOf, type ParsedFailure, type ReportResult } from "./report.ts";

/** Lines of captured output kept of one test. */
const maxLines = 400;

/**
 * What `cargo test` prints: libtest's machine-readable output is not stable, its text has been for years. A test's
 * own output is captured and printed between `---- name stdout ----` headers, so a line that it forges there is not
 * taken for a result: only the lines before `failures:` are results, and only names that were announced count.
 */
export function parseCargoText(stdout: string, stderr: string): ReportResult {
  const failures: ParsedFailure[] = [];
  let passed = 0;
  let skipped = 0;
  let blocks = 0;
  // cargo names on standard error, in the same order, what it runs.
  const targets = [...stderr.matchAll(/^ +(?:Running (?:unittests )?(\S+) \(|Doc-tests )/gm)].map(
    (match) => match[1],
  );
  let finished = 0;
  let verdicts = new Map<string, string>();
  let captured = new Map<string, string[]>();
  let section: "results" | "outputs" | "none" = "none";
  let current: string[] | undefined;

  function close(): void {
    for (const [name, verdict] of verdicts) {
      if (verdict === "FAILED") failures.push(failureOf(name, captured.get(name) ?? [], targets[blocks - 1]));
    }
    verdicts = new Map();
    captured = new Map();
    current = undefined;
    section = "none";
  }

  for (const line of stdout.split("\n")) {
    if (section !== "outputs" && /^running \d+ tests?$/.test(line)) {
      close();
      blocks += 1;
      section = "results";
      continue;
    }
    const [, summaryPassed, , summaryIgnored] = summary.exec(line) ?? [];
    if (summaryPassed !== undefined && section !== "none" && summaryCounts(line, verdicts)) {
      passed += Number(summaryPassed);
      skipped += Number(summaryIgnored);
      finished += 1;
      close();
    } else if (section === "results") {
      const [, name, verdict] =
        /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b/.exec(line) ?? [];
      if (name !== undefined && verdict !== undefined) verdicts.set(name, verdict);
      else if (line === "failures:") section = "outputs";
    } else if (section === "outputs") {
      const name = /^---- (.+) stdout ----$/.exec(line)?.[1];
      if (name !== undefined && verdicts.get(name) === "FAILED" && !captured.has(name)) {
        current = [];
        captured.set(name, current);
      } else if (line === "failures:") current = undefined;
      else if (current !== undefined && current.length < maxLines) current.push(line);
    }
  }
  const incomplete = blocks > finished;
  // Of a run that was cut off, what was announced counts.
  for (const verdict of verdicts.values()) {
    if (verdict === "ok") passed += 1;
    else if (verdict === "ignored") skipped += 1;
  }
  close();
  const build = buildFailures(stderr);
  if (blocks === 0 && build.length === 0) return { ok: false, reason: "no test results in cargo's output" };
  failures.push(...build);
  return reportOf({ passed, skipped, failures, incomplete });
}

const summary =
  /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; \d+ measured; \d+ filtered out/;

/** A real summary agrees with the results that were announced before it. */
function summaryCounts(line: string, verdicts: ReadonlyMap<string, string>): boolean {
  const failed = Number(summary.exec(line)?.[2] ?? -1);
  return [...verdicts.values()].filter((verdict) => verdict === "FAILED").length === failed;
}

/** Characters of a test's own output in which its panic is looked for. */
const maxSearchedChars = 16_000;

function failureOf(name: string, lines: readonly string[], target: string | undefined): ParsedFailure {
  const output = lines.join("\n");
  // Since Rust 1.73 the message stands on the next line, before it in quotes, over several lines.
  const panic = /^thread '.*?'(?: \(\d+\))? panicked at (?:'([^]*?)', )?(\S+):(\d+):(\d+):?$/m.exec(
    output.slice(0, maxSearchedChars),
  );
  const [head, quoted, file, line, column] = panic ?? [];
  const after = head === undefined ? output : output.slice(output.indexOf(head) + head.length);
  const body = after.split(/^(?:stack backtrace:|note: )/m)[0]?.trim() ?? "";
  const message = quoted ?? (body || output.trim());
  // A panic in the standard library is one of the test's: an assertion about what it returned.
  const outside = file !== undefined && /[\\/]library[\\/](?:std|core|alloc|test)[\\/]src[\\/]/.test(file);
  const own = file === undefined || outside ? {} : { line: Number(line), column: Number(column) };
  return {
    file: outside ? target : (file ?? target),
    name: name.replaceAll("::", " > "),
    kind: message.startsWith("assertion ") ? "assertion" : "error",
    message: message || "failed without a message",
    expected: compared("right", quoted, body),
    actual: compared("left", quoted, body),
    ...own,
    stack: output,
  };
}

/** One side of a comparison. In a quoted message it stands between backticks, and what follows is no part of it. */
function compared(side: "left" | "right", quoted: string | undefined, body: string): string | undefined {
  const line = new RegExp(`^ *${side}: (.*)$`, "m").exec(quoted ?? body)?.[1];
  return quoted === undefined ? line : (/^`(.*?)`(?:,?$|: )/.exec(line ?? "")?.[1] ?? line);
}

/** rustc's errors: a headline, then ` --> file:line:column`. */
function buildFailures(stderr: string): ParsedFailure[] {
  const failures: ParsedFailure[] = [];
  let headline: string | undefined;
  for (const line of stderr.split("\n")) {
    const error = /^error(?:\[E\d+\])?: (.*)$/.exec(line);
    if (error !== null) headline = line;
    const [, file, row, column] = /^\s*--> (\S+):(\d+):(\d+)$/.exec(line) ?? [];
    if (headline === undefined || file === undefined || /(?:^|\/)Cargo\.toml$/.test(file)) continue;
    failures.push({
      file,
      name: "(build)",
      kind: "load",
      message: headline,
      line: Number(row),
      column: Number(column),
    });
    headline = undefined;
  }
  return failures;
}
