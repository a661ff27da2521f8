import { adminUrl, blobFolder, callerFor, ingressUrl } from "./given.ts";

// README
import { createParking } from "@nestbox/codemode/durable";
import { createRunner } from "@nestbox/codemode/node";
import { openRestateAdmin } from "@nestbox/restate";
import { openBlobFolder, startWorker } from "@nestbox/restate/node";

const runner = createRunner({ maxProcesses: 2 });
const parking = createParking(); // `parking.approver` is the approver of the gate
const blobs = openBlobFolder(blobFolder);

const worker = await startWorker({
  ingressUrl,
  blobs,
  carrierFor: () => ({ runner, parking, callerFor }),
});
await openRestateAdmin({ adminUrl }).register(worker.url);
// README

console.log("ready");
process.stdin.on("end", () => void worker.close().then(() => process.exit(0))).resume();
