import { count, list, own, text, type Fields, fields } from "./read.ts";
import { expectedAndReceived } from "./playwright-json.ts";
import { stackPlaces, withoutStack } from "./places.ts";
import { reportOf, type ParsedFailure, type ReportResult } from "./report.ts";
import { plainText } from "./text.ts";

/** Suites inside suites that are followed. */
const maxDepth = 64;
const many: ReadonlySet<string> = new Set([
  "testsuite",
  "testcase",
  "failure",
  "error",
  "skipped",
  "rerunFailure",
]);

/** JUnit XML as pytest, Bun, Gradle, Maven, nextest and many others write it. */
export async function parseJunit(source: string): Promise<ReportResult> {
  // No report needs a document type, and every attack with entities does.
  if (/<!DOCTYPE/i.test(source)) return { ok: false, reason: "a report with a document type is not read" };
  // Loaded when there is a report to read: most who have these tools never do.
  const { XMLParser } = await import("fast-xml-parser");
  let document: unknown;
  try {
    document = new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: "@",
      textNodeName: "#text",
      parseTagValue: false,
      parseAttributeValue: false,
      trimValues: false,
      htmlEntities: true,
      isArray: (name) => many.has(name),
      maxNestedTags: maxDepth,
    }).parse(source, true);
  } catch (error) {
    return {
      ok: false,
      reason: `not well-formed XML: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
  const root = own(document, "testsuites") ?? document;
  const suites = list(root, "testsuite");
  if (suites.length === 0 && own(document, "testsuites") === undefined) {
    return { ok: false, reason: "not a JUnit XML report" };
  }

  const failures: ParsedFailure[] = [];
  const errors: string[] = [];
  let passed = 0;
  let skipped = 0;
  function visit(suite: unknown, titles: readonly string[], file: string | undefined): void {
    const suiteFile = text(suite, "@file") ?? text(suite, "@filepath") ?? file;
    for (const test of list(suite, "testcase")) {
      const faults = [...list(test, "failure"), ...list(test, "error")];
      if (faults.length > 0) failures.push(failureOf(test, faults, titles, suiteFile));
      else if (own(test, "skipped") !== undefined) skipped += 1;
      else passed += 1;
    }
    for (const error of list(suite, "error")) {
      const message = text(error, "@message") ?? content(error);
      if (message.trim() !== "") errors.push(plainText(message).trim());
    }
    for (const inner of list(suite, "testsuite")) {
      visit(inner, [...titles, text(inner, "@name") ?? ""], suiteFile);
    }
  }
  for (const suite of suites) visit(suite, [], undefined);
  return reportOf({ passed, skipped, failures, errors });
}

/** The text of an element, which is a string when it has no attributes. */
function content(element: unknown): string {
  if (typeof element === "string") return element;
  const found = own(element, "#text");
  if (typeof found === "string") return found;
  return Array.isArray(found) ? found.filter((part) => typeof part === "string").join("") : "";
}

function failureOf(
  test: unknown,
  faults: readonly unknown[],
  titles: readonly string[],
  suiteFile: string | undefined,
): ParsedFailure {
  const attributes: Fields = fields(test) ?? {};
  const [fault] = faults;
  const body = plainText(content(fault));
  const headline = plainText(text(fault, "@message") ?? "").trim();
  const className = text(attributes, "@classname") ?? "";
  const title = text(attributes, "@name") ?? "(unnamed)";
  const file = text(attributes, "@file") ?? suiteFile;
  const isCollection = /^collection failure$/.test(headline);
  const isSetup = /^failed on (setup|teardown) with /.test(headline);
  const message = isCollection
    ? (pythonErrors(body) ?? body)
    : headline === ""
      ? withoutStack(body)
      : headline;
  const type = text(fault, "@type") ?? "";
  const isAssertion =
    /assert/i.test(type) || /^(assert|AssertionError)\b/.test(message) || /expect\(/.test(message);
  const place = stackPlaces(body).find((found) => file === undefined || found.file.endsWith(file));
  return {
    file: file ?? place?.file,
    name: isCollection ? "(file)" : nameOf(titles, className, title, file),
    kind: isCollection ? "load" : isAssertion && !isSetup ? "assertion" : "error",
    message: message.trim() || type || "failed without a message",
    ...(pythonComparison(message) ?? expectedAndReceived(`${headline}\n${body}`)),
    line: place?.line ?? count(attributes, "@line"),
    column: place?.column,
    stack: body,
  };
}

/** Suites, class and test. A class name that only repeats the file, or the suites, says nothing. */
function nameOf(
  titles: readonly string[],
  className: string,
  title: string,
  file: string | undefined,
): string {
  const module = (file ?? "").replace(/\.\w+$/, "").replaceAll(/[\\/]/g, ".");
  const inner =
    module !== "" && className.startsWith(module) ? className.slice(module.length + 1) : className;
  const before = titles.filter((name) => name !== "" && name !== file);
  const known = before.length > 0 || inner === "" || inner === file ? [] : [inner];
  return [...before, ...known, title].join(" > ");
}

/** The `E   ` lines of a Python traceback. */
function pythonErrors(body: string): string | undefined {
  const lines = body.split("\n").filter((line) => /^E\s/.test(line));
  return lines.length === 0 ? undefined : lines.map((line) => line.replace(/^E\s+/, "")).join("\n");
}

/** What pytest's rewritten `assert left == right` compared. */
function pythonComparison(
  message: string,
): { readonly expected: string; readonly actual: string } | undefined {
  const found = /^(?:AssertionError: )?assert (.{1,400}?) == (.{1,400})$/m.exec(message);
  const [, actual, expected] = found ?? [];
  return actual === undefined || expected === undefined ? undefined : { actual, expected };
}
