/**
 * Runs every package's tests through turbo and ends with one line, `N passed, N failed`: turbo hides the
 * runner's own. The counts come from the reports that the runs leave.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";

const root = new URL("..", import.meta.url).pathname;
const reportFiles = () => globSync("{packages,apps,examples}/*/.reports/vitest.json", { cwd: root });
for (const file of reportFiles()) rmSync(`${root}/${file}`);

const filters = process.argv.slice(2);
const run = spawnSync(
  process.execPath,
  [`${root}/node_modules/turbo/bin/turbo`, "run", "test", "--concurrency=2", "--output-logs=new-only", ...filters],
  { cwd: root, stdio: "inherit", env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" } },
);

let passed = 0;
let failed = 0;
let skipped = 0;
for (const file of reportFiles()) {
  const report = JSON.parse(readFileSync(`${root}/${file}`, "utf8")) as Record<string, number> & {
    testResults?: { status: string; assertionResults: unknown[] }[];
  };
  passed += report["numPassedTests"] ?? 0;
  failed += report["numFailedTests"] ?? 0;
  skipped += (report["numPendingTests"] ?? 0) + (report["numTodoTests"] ?? 0);
  // A file that cannot be loaded has no tests to count and is a failure all the same.
  failed += (report.testResults ?? []).filter((r) => r.status === "failed" && r.assertionResults.length === 0).length;
}
const missing = globSync("{packages,apps,examples}/*/package.json", { cwd: root }).filter((file) => {
  const manifest = JSON.parse(readFileSync(`${root}/${file}`, "utf8")) as { scripts?: Record<string, string> };
  return manifest.scripts?.["test"] !== undefined && !existsSync(`${root}/${file.replace("package.json", ".reports/vitest.json")}`);
});
if (filters.length === 0) for (const file of missing) console.error(`no test report from ${file.replace("/package.json", "")}`);
if (run.status !== 0 && failed === 0) failed = Math.max(1, filters.length === 0 ? missing.length : 0);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = run.status === 0 && failed === 0 && passed > 0 ? 0 : 1;
