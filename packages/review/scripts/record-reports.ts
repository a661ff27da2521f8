/**
 * Runs every case of `test/cases` with the real runner and keeps what it wrote in `test/fixtures/recorded`, so that
 * `pnpm test` can read it with Node alone. Usage: node --conditions=@nestbox/source scripts/record-reports.ts [name…]
 */
import { mkdir, readdir, realpath, writeFile } from "node:fs/promises";
import { homedir, hostname } from "node:os";
import { fileURLToPath } from "node:url";

import { createEnvironment, runProjectCommand } from "../src/node/environment.ts";
import { findSuites } from "../src/node/project/suites.ts";
import { runners } from "../src/node/runners/index.ts";
import { withReportFolder } from "../src/node/runners/report-folder.ts";
import { runnerCases } from "../test/cases/cases.ts";
import { runnerModules } from "../test/cases/modules.ts";
import { makeProject } from "../test/cases/project.ts";
import type { Recording } from "../test/cases/recording.ts";

const target = fileURLToPath(new URL("../test/fixtures/recorded", import.meta.url));
const wanted = process.argv.slice(2);
const modules = await realpath(runnerModules());
await mkdir(target, { recursive: true });

for (const runnerCase of runnerCases) {
  if (wanted.length > 0 && !wanted.includes(runnerCase.name)) continue;
  await using project = await makeProject(runnerCase, modules);
  const [suite] = await findSuites(project.path);
  const runner = suite === undefined ? undefined : runners.get(suite.runner);
  if (suite === undefined || runner === undefined) throw new Error(`${runnerCase.name}: no suite`);
  await withReportFolder(async (report) => {
    const injection = await runner.inject({ folder: project.path, report, words: suite.words });
    const command = await suite.command(injection.args);
    if (command === undefined) throw new Error(`${runnerCase.name}: ${suite.runner} is not installed`);
    const result = await runProjectCommand(createEnvironment({ dangers: [] }), command, {
      folder: project.path,
      timeoutMs: 300_000,
      signal: undefined,
      maxBytes: 16 * 1024 * 1024,
      ...(injection.env === undefined ? {} : { env: injection.env }),
    });
    // Folders of this machine become the ones that the recorded tests use.
    const shorten = (text: string): string =>
      [
        [project.path, "/project"],
        [modules, "/project/node_modules"],
        [report.path, "/report"],
        [process.execPath, "/usr/bin/node"],
        [homedir(), "/home/user"],
      ]
        .reduce((out, [from = "", to = ""]) => out.replaceAll(from, to), text)
        .replaceAll(`hostname="${hostname()}"`, 'hostname="host"');
    const files: Record<string, string> = {};
    for (const name of await readdir(report.path)) {
      if (name !== "reporter.mjs") files[name] = shorten((await report.read(name)) ?? "");
    }
    const recording: Recording = {
      runner: runnerCase.runner,
      ...(result.kind === "exited" ? { exitCode: result.exitCode } : {}),
      ...(result.kind === "signaled" ? { signal: result.signal } : {}),
      stdout: shorten(result.stdout),
      stderr: shorten(result.stderr),
      files,
    };
    await writeFile(`${target}/${runnerCase.name}.json`, `${JSON.stringify(recording, undefined, 2)}\n`);
    console.log(`${runnerCase.name}: ${result.kind} ${recording.exitCode ?? recording.signal ?? ""}`);
  });
}
