/** A process that carries a run on: dies where it is told to, or writes the run's result. */
import { appendFileSync, writeFileSync } from "node:fs";
import { type CrashPlace, crashRun } from "../../src/durable/conformance/index.ts";
import { openSqliteJournal } from "../../src/durable/sqlite/index.ts";
import { createRunner } from "../../src/node/index.ts";

const [folder = "", runId = "", at] = process.argv.slice(2);
const journal = openSqliteJournal({ path: `${folder}/journal.db` });
const runner = createRunner({ maxProcesses: 1 });
const result = await crashRun({
  runner,
  journal: journal.run(runId),
  at: at as CrashPlace | undefined,
  effect: (text) => appendFileSync(`${folder}/${runId}.effects`, `${text}\n`),
  kill: () => process.kill(process.pid, "SIGKILL"),
});
writeFileSync(`${folder}/${runId}.result`, JSON.stringify(result));
await runner.close();
journal.close();
