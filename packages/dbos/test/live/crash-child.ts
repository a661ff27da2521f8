/** A process that carries a run on: dies where it is told to, or writes the run's result. */
import { appendFileSync, writeFileSync } from "node:fs";
import { type CrashPlace, crashRun } from "@nestbox/codemode/durable/conformance";
import { createRunner } from "@nestbox/codemode/node";
import { openDbos } from "../../src/node/index.ts";

const [databaseUrl = "", folder = "", runId = "", at] = process.argv.slice(2);
const runs = await openDbos({ databaseUrl });
const runner = createRunner({ maxProcesses: 1 });
const result = await crashRun({
  runner,
  journal: runs.run(runId),
  at: at as CrashPlace | undefined,
  effect: (text) => appendFileSync(`${folder}/${runId}.effects`, `${text}\n`),
  kill: () => process.kill(process.pid, "SIGKILL"),
});
writeFileSync(`${folder}/${runId}.result`, JSON.stringify(result));
await runner.close();
await runs.close();
