/** A process that carries a run on over PostgreSQL. */
import { crashProcess } from "@nestbox/codemode/durable/conformance/node";
import { createRunner } from "@nestbox/codemode/node";
import { type DbosRuns, openDbos } from "../../src/node/index.ts";

let runs: DbosRuns | undefined;
await crashProcess({
  runner: createRunner({ maxProcesses: 1 }),
  open: async (runId, databaseUrl) =>
    (runs = await openDbos({ databaseUrl: String(databaseUrl) })).run(runId),
  close: () => runs?.close(),
});
