import { appendFileSync } from "node:fs";
import { fakeTools } from "@nestbox/codemode/durable/conformance";
import { createRunner } from "@nestbox/codemode/node";
import { openBlobFolder, startWorker, type Worker } from "../../../src/node/index.ts";

export interface TestWorkerOptions {
  readonly folder: string;
  readonly ingressUrl: string;
  /** Stands in what its tools write. */
  readonly name: string;
  readonly port?: number;
  /** Another version is another tool. */
  readonly version?: string;
  readonly maxActive?: number;
}

/**
 * A worker with tools that write a line each to `<folder>/effects`, `worker callId tool:n`, the moment that they run,
 * and answer `ms` later: `work` is one that runs at once, `deploy` when a person says yes.
 */
export async function testWorker(options: TestWorkerOptions): Promise<Worker> {
  const { folder, ingressUrl, name: workerName, port = 0, version = "1", maxActive } = options;
  const runner = createRunner({ maxProcesses: 2 });
  const { parking, callerFor } = fakeTools({
    version,
    more: { work: {} },
    latency: (_n, { ms }) => Number(ms ?? 0),
    onEffect: (text, callId) => appendFileSync(`${folder}/effects`, `${workerName} ${callId} ${text}\n`),
  });
  const worker = await startWorker({
    ingressUrl,
    blobs: openBlobFolder(`${folder}/blobs`),
    port,
    reusePort: port !== 0,
    pollMs: 100,
    suspendAfterMs: 500,
    ...(maxActive === undefined ? {} : { maxActive }),
    carrierFor: () => ({ runner, parking, callerFor }),
  });
  return {
    url: worker.url,
    async close(closing) {
      await worker.close(closing);
      await runner.close();
    },
  };
}
