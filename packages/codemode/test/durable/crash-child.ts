/** A process that carries a run on over SQLite; the page on durable runs shows it. */
import { crashProcess } from "@nestbox/codemode/durable/conformance/node";
import { openSqliteJournal } from "@nestbox/codemode/durable/sqlite";
import { createRunner } from "@nestbox/codemode/node";

await crashProcess({
  runner: createRunner({ maxProcesses: 1 }),
  open: (runId, path) => openSqliteJournal({ path: String(path) }).run(runId),
});
