import { callerFor, databaseUrl } from "./given.ts";

// README
import { createParking } from "@nestbox/codemode/durable";
import { createRunner } from "@nestbox/codemode/node";
import { startWorker } from "@nestbox/dbos/node";

const runner = createRunner({ maxProcesses: 2 });
const parking = createParking(); // `parking.approver` is the approver of the gate

const worker = await startWorker({
  databaseUrl, // postgresql://user:password@host:5432/database
  carrierFor: () => ({ runner, parking, callerFor }),
});
// README

process.on("SIGTERM", () => void worker.close().then(() => process.exit(0)));
process.send?.("ready");
