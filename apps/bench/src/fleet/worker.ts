/** A worker in a process of its own: it says `ready`, and closes when it is told to. */
import { createParking } from "@nestbox/codemode/durable";
import { createRunner } from "@nestbox/codemode/node";
import type { Kind } from "./engine.ts";
import { fleetTools, holdOnce } from "./tools.ts";

export interface WorkerSettings {
  readonly engine: "dbos" | "restate";
  readonly kind: Kind;
  /** Marks of the calls that have been held, and large values. */
  readonly folder: string;
  readonly databaseUrl?: string;
  readonly ingressUrl?: string;
  readonly port?: number;
}

interface Closing {
  close(): Promise<void>;
}

/** As many as the sandbox's own default of a laptop: scripts are short here, and the store is what is measured. */
const SANDBOXES = 2;

async function open(settings: WorkerSettings): Promise<Closing> {
  const { engine, kind, folder, databaseUrl = "", ingressUrl = "", port = 0 } = settings;
  const hold = holdOnce(folder);
  if (kind === "floor") {
    return engine === "dbos"
      ? (await import("./floors/dbos.ts")).openDbosFloor({ databaseUrl, hold })
      : (await import("./floors/restate.ts")).openRestateFloor({ port, hold });
  }
  const runner = createRunner({ maxProcesses: SANDBOXES, maxWaiting: 1_000 });
  const parking = createParking();
  const carrier = { runner, parking, callerFor: fleetTools({ parking, hold }) };
  const carrierFor = () => carrier;
  const worker =
    engine === "dbos"
      ? await (await import("@nestbox/dbos/node")).startWorker({ databaseUrl, carrierFor })
      : await startRestate({ ingressUrl, folder, port, carrierFor });
  return {
    async close() {
      await worker.close();
      await runner.close();
    },
  };
}

async function startRestate({
  ingressUrl,
  folder,
  port,
  carrierFor,
}: {
  readonly ingressUrl: string;
  readonly folder: string;
  readonly port: number;
  readonly carrierFor: Parameters<typeof import("@nestbox/restate/node").startWorker>[0]["carrierFor"];
}): Promise<Closing> {
  const { openBlobFolder, startWorker } = await import("@nestbox/restate/node");
  return await startWorker({
    ingressUrl,
    blobs: openBlobFolder(`${folder}/blobs`),
    port,
    reusePort: true,
    carrierFor,
  });
}

// Written by the process that started it.
const worker = await open(JSON.parse(process.argv[2] ?? "{}") as WorkerSettings);
process.on("SIGTERM", () => {
  void worker.close().finally(() => process.exit(0));
});
// It does not outlive whoever measures it.
process.on("disconnect", () => process.exit(1));
process.send?.("ready");
