/**
 * Runs one test task of every package through turbo (`test`, or `test:live`, …), names every test that did not
 * pass, and ends with one line, `N passed, N failed`: turbo hides the runner's own, and what failed is far above
 * the end of a log. Both come from the reports that the runs leave.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { shown, summarize } from "./test/summary.ts";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/u, "");
const [task = "test", ...turboArguments] = process.argv.slice(2);
const reportName = `${task.includes(":") ? task.slice(task.indexOf(":") + 1) : task}.json`;

const members = globSync("{packages,apps,examples}/*/package.json", { cwd: root })
  .filter((file) => {
    const manifest = JSON.parse(readFileSync(`${root}/${file}`, "utf8")) as {
      scripts?: Record<string, string>;
    };
    return manifest.scripts?.[task] !== undefined;
  })
  .map((file) => file.slice(0, -"/package.json".length))
  .sort();
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

const reports = members
  .map((member) => ({ member, file: `${root}/${member}/.reports/${reportName}` }))
  // With a filter, the other packages rightly leave no report.
  .filter(({ file }) => turboArguments.length === 0 || existsSync(file))
  .map(({ member, file }) => ({
    member,
    report: existsSync(file) ? readFileSync(file, "utf8") : undefined,
  }));
const { passed, failed, skipped, lines } = summarize(reports, { root });
// A test that is skipped proves nothing; only another system than CI's may have a reason.
const counted = failed + (process.env["CI"] === undefined ? 0 : skipped);
const beside =
  run.status !== 0 && failed === 0
    ? [`FAILED ${task}: turbo ended with ${run.status ?? run.signal}, though no test is on record as failed`]
    : [];
const named = [...beside, ...lines];
if (named.length > 0) console.log(["::: not passed", ...shown(named)].join("\n"));
console.log(`${passed} passed, ${counted + beside.length} failed`);
process.exitCode = counted + beside.length === 0 && passed > 0 ? 0 : 1;
