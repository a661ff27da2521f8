/**
 * Adds up the reports that the test runs of the workspace leave, and names all that did not pass. A report is
 * vitest's JSON; nothing of it is trusted to be there, as a run that was cut short leaves half a file.
 */

/** How many lines name what did not pass; one more then says how many there are besides. */
const MAX_LINES = 200;
/** How many characters of a title, and of a message, such a line shows. */
const MAX_TEXT = 300;

/** What one member of the workspace left: the text of its report, or nothing. */
export interface MemberReport {
  /** The member's folder below the root of the workspace, such as `packages/tool`. */
  readonly member: string;
  readonly report: string | undefined;
}

/** The counts over all members, and one line for each test, file and member that did not pass. */
export interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly lines: readonly string[];
}

interface Test {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

interface File {
  /** The absolute path of the file. */
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly Test[];
}

interface Options {
  /** The absolute path of the workspace; paths in the lines are relative to it. */
  readonly root: string;
}

/** Adds up `reports`. A member without a readable report counts as one failure, and so does a file that failed as a whole. */
export function summarize(reports: readonly MemberReport[], { root }: Options): Summary {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  const failures: string[] = [];
  const skips: string[] = [];
  for (const { member, report } of reports) {
    const files = readFiles(report);
    if (files === undefined) {
      failed += 1;
      failures.push(`NO REPORT ${member}: its tests left none that can be read`);
      continue;
    }
    for (const file of files) {
      const name = file.name.startsWith(`${root}/`) ? file.name.slice(root.length + 1) : file.name;
      const where = name.startsWith(`${member}/`) ? name : `${member}: ${name}`;
      let failedHere = 0;
      for (const test of file.assertionResults) {
        const title = [...test.ancestorTitles.filter((part) => part !== ""), test.title].join(" > ");
        if (test.status === "passed") passed += 1;
        else if (test.status === "failed") {
          failedHere += 1;
          failures.push(`FAILED ${where} > ${oneLine(title)}: ${oneLine(test.failureMessages[0])}`);
        } else {
          skipped += 1;
          skips.push(`SKIPPED ${where} > ${oneLine(title)}`);
        }
      }
      // A file that cannot be loaded, whose worker died or whose hook failed has no failed test and failed all the same.
      if (file.status === "failed" && failedHere === 0) {
        failedHere = 1;
        failures.push(`FAILED ${where}: ${oneLine(file.message) || "failed outside its tests"}`);
      }
      failed += failedHere;
    }
  }
  return { passed, failed, skipped, lines: [...failures, ...skips] };
}

/** The lines that a log shows: at most 200, and one that says how many were left out. */
export function shown(lines: readonly string[]): readonly string[] {
  const left = lines.length - MAX_LINES;
  return left > 0 ? [...lines.slice(0, MAX_LINES), `… and ${left} more`] : lines;
}

function readFiles(report: string | undefined): readonly File[] | undefined {
  if (report === undefined) return undefined;
  try {
    const { testResults } = JSON.parse(report) as { readonly testResults?: readonly File[] };
    return Array.isArray(testResults) ? testResults : undefined;
  } catch {
    return undefined;
  }
}

/** The first line of a text without escape sequences and control characters, so that one failure is one line. */
function oneLine(text: string | undefined): string {
  const line = (text ?? "")
    .replace(/\u{1B}\[[\d;]*[A-Za-z]/gu, "")
    .trimStart()
    .split(/[\r\n]/u, 1)[0]!
    .replace(/\p{Cc}/gu, " ")
    .trim();
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}
