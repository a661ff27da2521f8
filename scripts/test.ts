/**
 * Runs one test task of every package through turbo (`test`, or `test:live`, …) and ends with one line,
 * `N passed, N failed`: turbo hides the runner's own. The counts come from the reports that the runs leave.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

const root = fileURLToPath(new URL("..", import.meta.url));
const [task = "test", ...turboArguments] = process.argv.slice(2);
const reportName = `${task.includes(":") ? task.slice(task.indexOf(":") + 1) : task}.json`;

const members = globSync("{packages,apps,examples}/*/package.json", { cwd: root })
  .filter((file) => {
    const manifest = JSON.parse(readFileSync(`${root}/${file}`, "utf8")) as {
      scripts?: Record<string, string>;
    };
    return manifest.scripts?.[task] !== undefined;
  })
  .map((file) => file.slice(0, -"/package.json".length));
for (const member of members) rmSync(`${root}/${member}/.reports/${reportName}`, { force: true });

const run = spawnSync(
  "turbo",
  // Tasks that install something need the environment of whoever called, where a proxy or a registry is named.
  [
    "run",
    task,
    "--concurrency=2",
    "--continue",
    "--ui=stream",
    ...(task === "test" ? [] : ["--env-mode=loose"]),
    ...turboArguments,
  ],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
  },
);

let passed = 0;
let failed = 0;
let skipped = 0;
for (const member of members) {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(`${root}/${member}/.reports/${reportName}`, "utf8")) as Report;
  } catch {
    // With a filter, the other packages rightly leave no report.
    if (turboArguments.length > 0) continue;
    console.error(`${member}: its tests left no report`);
    failed += 1;
    continue;
  }
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  skipped += report.numPendingTests + report.numTodoTests;
  // A file that cannot be loaded has no tests to count and is a failure all the same.
  failed += report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  ).length;
}
if (run.status !== 0 && failed === 0) failed = 1;
// A test that is skipped proves nothing; only another system than CI's may have a reason.
if (process.env["CI"] !== undefined) failed += skipped;
if (skipped > 0) console.error(`${skipped} tests were skipped`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
