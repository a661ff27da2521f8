import type { Parser, Result } from "tap-parser";

import { looseDiagnostics, nodeText } from "../reports/loose-diagnostics.ts";
import { count, fields, own, shown, text } from "../reports/read.ts";
import { stackPlaces, withoutStack } from "../reports/places.ts";
import { reportOf, type ParsedFailure, type ReportResult } from "../reports/report.ts";
import { plainText } from "../reports/text.ts";

/** Comment lines kept to explain the next failure. */
const maxComments = 60;

export interface TapOptions {
  /** tape's way: a test's name is a comment, and the lines below it are its assertions. */
  readonly namesInComments?: boolean;
}

/** TAP 13 and 14 with subtests and YAML diagnostics, as node:test, node-tap, tape and others write it. */
export async function parseTap(source: string, options: TapOptions = {}): Promise<ReportResult> {
  // Loaded when there is a report to read: most who have these tools never do.
  const { Parser } = await import("tap-parser");
  const parser = new Parser({});
  const failures: ParsedFailure[] = [];
  const errors: string[] = [];
  let passed = 0;
  let skipped = 0;

  function follow(level: Parser, depth: number): void {
    let comments: string[] = [];
    let title: string | undefined;
    let child: Parser | undefined;
    level.on("comment", (comment: string) => {
      if (/^\s*# Subtest: /.test(comment) || comments.length >= maxComments) return;
      comments.push(
        comment
          .replace(/^\s*# ?/, "")
          .replaceAll("\\#", "#")
          .trimEnd(),
      );
    });
    level.on("child", (inner: Parser) => {
      child = inner;
      follow(inner, depth + 1);
    });
    level.on("assert", (result: Result) => {
      const subtests = child;
      child = undefined;
      const before = comments;
      comments = [];
      if (options.namesInComments === true) title = before.at(-1) ?? title;
      const loose = early.get(depth);
      early.delete(depth);
      bare = undefined;
      if (result.todo !== false || result.skip !== false) skipped += 1;
      // A suite's own line repeats what its tests said.
      else if (subtests !== undefined && subtests.count > 0 && (result.ok || subtests.fail > 0)) return;
      else if (result.ok) passed += 1;
      else if (text(result.diag, "failureType") !== "subtestsFailed") {
        const diag: unknown = result.diag ?? loose;
        const index = failures.push(failureOf(result, diag, before, title)) - 1;
        bare =
          depth > 0 ? undefined : (late) => void (failures[index] = failureOf(result, late, before, title));
      }
    });
  }
  // Diagnostics that are no YAML: their text comes before the line of a subtest, and behind one of the report's own.
  const early = new Map<number, unknown>();
  let bare: ((diag: unknown) => void) | undefined;
  parser.on("extra", (extra: string) => {
    const indent = /^( *)---\n/.exec(extra)?.[1]?.length;
    if (indent === undefined) return;
    if (indent >= 4) early.set(Math.floor(indent / 4), looseDiagnostics(extra));
    else bare?.(looseDiagnostics(extra));
    bare = undefined;
  });
  follow(parser, 0);
  parser.on("bailout", (reason: string) => errors.push(`Bail out! ${reason}`.trim()));
  parser.end(source);

  // The parser makes a plan of its own where there is none: what was written counts.
  const hasPlan = /^1\.\.\d+/m.test(source);
  const isTap = hasPlan || /^\s*TAP version \d+/m.test(source) || passed + failures.length + skipped > 0;
  if (!isTap) return { ok: false, reason: "not a TAP report" };
  const incomplete = !hasPlan || parser.bailedOut !== false || parser.count < parser.planEnd;
  return reportOf({ passed, skipped, failures, errors, incomplete });
}

function failureOf(
  result: Result,
  diag: unknown,
  comments: readonly string[],
  title: string | undefined,
): ParsedFailure {
  const stack = plainText(text(diag, "stack") ?? "");
  const at = own(diag, "at");
  const location = text(diag, "location") ?? (typeof at === "string" ? at : undefined);
  const place =
    location === undefined ? undefined : stackPlaces(`at (${location.replace(/^.*\((.*)\)$/, "$1")})`)[0];
  const exitCode = own(diag, "exitCode");
  const signal = text(diag, "signal");
  // node:test has one result for a whole file only when that file could not be run to its end.
  const isFile = (exitCode !== undefined && exitCode !== null) || signal !== undefined;
  // Only node:test says of what kind a failure was, and only what was read as YAML still has its escapes.
  const asShown = (value: string): string =>
    diag === result.diag && own(diag, "failureType") !== undefined ? nodeText(value) : value;
  const error = plainText(asShown(text(diag, "error") ?? text(diag, "message") ?? "")).trim();
  const printed = comments.join("\n");
  const valueOf = (value: unknown): string | undefined =>
    typeof value === "string" ? asShown(value) : shown(value);
  const either = (one: string, other: string): string | undefined =>
    valueOf(own(diag, one)) ?? valueOf(own(diag, other));
  const expected = either("expected", "wanted");
  const actual = either("actual", "found");
  const isAssertion =
    text(diag, "code") === "ERR_ASSERTION" || expected !== undefined || text(diag, "assertion") !== undefined;
  const name = result.fullname === "" ? result.name || `test ${result.id}` : result.fullname;
  // What ava compared.
  const details = Object.entries(fields(own(diag, "details")) ?? {}).flatMap(([key, value]) => [
    key,
    shown(value) ?? "",
  ]);
  const messageOf = (): string => {
    if (signal !== undefined) return `the process of this file was ended by ${signal}`;
    if (isFile && printed !== "") return nodeError(printed);
    return [error, ...details.map(plainText)].join("\n").trim();
  };
  return {
    file: place?.file ?? text(at, "fileName") ?? text(at, "file"),
    name: title === undefined ? name : `${title} > ${name}`,
    kind: signal !== undefined ? "error" : isFile ? "load" : isAssertion ? "assertion" : "error",
    message: messageOf() || result.name || "failed without a message",
    expected,
    actual,
    line: place?.line ?? count(at, "lineNumber") ?? count(at, "line"),
    column: place?.column ?? count(at, "columnNumber"),
    stack: isFile ? printed : stack,
  };
}

/** Of what Node prints before it ends on an error: the error itself, without source excerpt and stack. */
function nodeError(printed: string): string {
  const lines = printed.split("\n");
  const first = lines.findIndex((line) => /^(?:\w*Error|\w+Exception)\b.*: /.test(line));
  return withoutStack(first === -1 ? printed : lines.slice(first).join("\n"));
}
