/** A process that the tests start and kill: a worker, or one that carries a run on by itself. */
import { appendFileSync, writeFileSync } from "node:fs";
import { type CrashPlace, crashRun } from "@nestbox/codemode/durable/conformance";
import { createRunner } from "@nestbox/codemode/node";
import { openRestate } from "../../../src/index.ts";
import { openBlobFolder } from "../../../src/node/index.ts";
import { testWorker, type TestWorkerOptions } from "./test-worker.ts";

export type ChildConfig =
  | ({ readonly kind: "worker" } & TestWorkerOptions)
  | {
      readonly kind: "crash";
      readonly folder: string;
      readonly ingressUrl: string;
      readonly runId: string;
      readonly at?: CrashPlace;
    };

const config = JSON.parse(process.argv[2] ?? "") as ChildConfig;

if (config.kind === "worker") {
  const worker = await testWorker(config);
  process.stdout.write(`${worker.url}\n`);
  process.on("SIGTERM", () => void worker.close().then(() => process.exit(0)));
  // It does not outlive the test.
  process.stdin.on("end", () => process.exit(1)).resume();
} else {
  const { folder, ingressUrl, runId, at } = config;
  const runner = createRunner({ maxProcesses: 1 });
  const runs = openRestate({ ingressUrl, blobs: openBlobFolder(`${folder}/blobs`) });
  const result = await crashRun({
    runner,
    journal: runs.run(runId),
    at,
    effect: (text) => appendFileSync(`${folder}/${runId}.effects`, `${text}\n`),
    kill: () => process.kill(process.pid, "SIGKILL"),
  });
  writeFileSync(`${folder}/${runId}.result`, JSON.stringify(result));
  await runner.close();
  process.exit(0);
}
