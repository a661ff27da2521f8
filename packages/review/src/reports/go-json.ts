import { own, parseJson, text } from "./read.ts";
import { reportOf, type ParsedFailure, type ReportResult } from "./report.ts";

/** Lines of output kept of one test. */
const maxLines = 400;
const place = /^\s*([\w./-]+\.go):(\d+)(?::(\d+))?: (.*)$/;

interface GoTest {
  readonly lines: string[];
  status: "running" | "pass" | "fail" | "skip";
}

/**
 * The events of `go test -json`, one a line. `diagnostics` is standard error: compiler errors of old Go versions
 * stand there; newer ones report them as `build-output` events. `module` is the module's path as `go.mod` names it:
 * go names a test's file without its folder, and what follows the module in the package's name is that folder.
 */
export function parseGoJson(source: string, { diagnostics = "", module = "" } = {}): ReportResult {
  const tests = new Map<string, Map<string, GoTest>>();
  const packages = new Map<string, { readonly lines: string[]; status: string }>();
  const plain: string[] = diagnostics.split("\n");
  let events = 0;
  for (const line of source.split("\n")) {
    const parsed = line.startsWith("{") ? parseJson(line) : ({ ok: false } as const);
    if (!parsed.ok) {
      if (line.trim() !== "") plain.push(line);
      continue;
    }
    const action = text(parsed.value, "Action");
    const output = text(parsed.value, "Output") ?? "";
    if (action === undefined) continue;
    events += 1;
    if (action === "build-output") {
      plain.push(...output.split("\n"));
      continue;
    }
    const name = text(parsed.value, "Package");
    if (name === undefined) continue;
    const entry = packages.get(name) ?? { lines: [], status: "running" };
    packages.set(name, entry);
    const title = text(parsed.value, "Test");
    if (title === undefined) {
      if (action === "output") keep(entry.lines, output);
      else if (action === "pass" || action === "fail" || action === "skip") entry.status = action;
      if (typeof own(parsed.value, "FailedBuild") === "string") entry.status = "build";
      continue;
    }
    const group = tests.get(name) ?? new Map<string, GoTest>();
    tests.set(name, group);
    const test: GoTest = group.get(title) ?? { lines: [], status: "running" };
    group.set(title, test);
    if (action === "output") keep(test.lines, output);
    else if (action === "pass" || action === "fail" || action === "skip") test.status = action;
  }
  const failures = buildFailures(plain);
  if (events === 0 && failures.length === 0) return { ok: false, reason: "no go test events" };

  let passed = 0;
  let skipped = 0;
  let incomplete = false;
  for (const [name, group] of tests) {
    const folder =
      name === module ? "" : name.startsWith(`${module}/`) ? name.slice(module.length + 1) : name;
    // A test with subtests repeats their verdict.
    const parents = new Set<string>();
    const failedParents = new Set<string>();
    for (const [title, test] of group) {
      for (let at = title.lastIndexOf("/"); at > 0; at = title.lastIndexOf("/", at - 1)) {
        parents.add(title.slice(0, at));
        if (test.status === "fail") failedParents.add(title.slice(0, at));
      }
    }
    for (const [title, test] of group) {
      if (test.status === "pass") passed += parents.has(title) ? 0 : 1;
      else if (test.status === "skip") skipped += 1;
      else if (!failedParents.has(title)) {
        if (test.status === "running") incomplete = true;
        failures.push(failureOf(folder, title, test, packages.get(name)?.lines ?? []));
      }
    }
    const owner = packages.get(name);
    if (
      owner?.status === "fail" &&
      ![...group.values()].some((test) => test.status === "fail" || test.status === "running")
    ) {
      failures.push({
        file: undefined,
        name,
        kind: "error",
        message: owner.lines.join("").trim() || `package ${name} failed`,
        stack: owner.lines.join(""),
      });
    }
  }
  return reportOf({ passed, skipped, failures, incomplete });
}

function keep(lines: string[], output: string): void {
  if (lines.length < maxLines) lines.push(output);
}

function failureOf(folder: string, title: string, test: GoTest, owner: readonly string[]): ParsedFailure {
  const end = owner.find((line) => /^(?:exit status|signal:) /.test(line))?.trim();
  const output = test.lines
    .filter((line) => !/^\s*(=== (RUN|PAUSE|CONT|NAME)|--- (FAIL|PASS|SKIP))\b/.test(line))
    .join("");
  const lines = output.split("\n");
  const at = lines.findIndex((line) => place.test(line));
  const [, file, line, , first] = place.exec(lines[at] ?? "") ?? [];
  const panic = /^panic: (.*?)(?: \[recovered\])?$/m.exec(output)?.[1];
  // A panic's own frames name files by absolute path; the first one in a test file is where it happened.
  const frame = /^\t(\S+_test\.go):(\d+)/m.exec(output) ?? /^\t(\S+\.go):(\d+)/m.exec(output);
  const rest = lines
    .slice(at + 1)
    .filter((text) => /^\s{8}/.test(text) && !place.test(text))
    .map((text) => text.trim());
  const message = panic ?? [first ?? "", ...rest].join("\n").trim();
  return {
    file:
      panic !== undefined && frame?.[1] !== undefined
        ? frame[1]
        : file === undefined
          ? undefined
          : `${folder === "" ? "" : `${folder}/`}${file}`,
    name: title.replaceAll("/", " > "),
    kind: panic === undefined ? "assertion" : "error",
    message:
      message ||
      output.trim() ||
      end ||
      (test.status === "running" ? "the process ended before the test did" : "failed without a message"),
    ...gotWant(message),
    line:
      panic !== undefined && frame?.[2] !== undefined
        ? Number(frame[2])
        : line === undefined
          ? undefined
          : Number(line),
    stack: output,
  };
}

/** What the usual `got …, want …` messages say. */
function gotWant(message: string): { readonly expected?: string; readonly actual?: string } {
  const found =
    /(?:^|\b)got:?\s+(.{1,300}?)[,;\n]\s*(?:but )?want(?:ed)?:?\s+(.{1,300})$/m.exec(message) ??
    /= (.{1,300}?)[,;] want:? (.{1,300})$/m.exec(message);
  const [, actual, expected] = found ?? [];
  return actual === undefined || expected === undefined
    ? {}
    : { actual: actual.trim(), expected: expected.trim() };
}

/** Compiler errors: `# package` starts a block, its lines are `file:line:column: message`. */
function buildFailures(lines: readonly string[]): ParsedFailure[] {
  const failures: ParsedFailure[] = [];
  let owner: string | undefined;
  for (const line of lines) {
    const header = /^# (\S+)/.exec(line)?.[1];
    if (header !== undefined) owner = header;
    const [, file, row, column, message] = place.exec(line) ?? [];
    if (owner === undefined || file === undefined || message === undefined || file.startsWith("-")) continue;
    failures.push({
      file,
      name: `(build of ${owner})`,
      kind: "load",
      message,
      line: Number(row),
      ...(column === undefined ? {} : { column: Number(column) }),
    });
  }
  return failures;
}
