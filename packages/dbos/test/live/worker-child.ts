/** A worker of a fleet. It says when it is ready, and closes when it is asked to. */
import { appendFileSync } from "node:fs";
import { fakeTools } from "@nestbox/codemode/durable/conformance";
import { createRunner } from "@nestbox/codemode/node";
import { startWorker } from "../../src/node/index.ts";

interface Settings {
  readonly databaseUrl: string;
  readonly folder: string;
  readonly deployment?: string;
  readonly version?: string;
  readonly maxDeaths?: number;
}

// Given by the test that started it.
const { databaseUrl, folder, deployment, version, maxDeaths } = JSON.parse(
  process.argv[2] ?? "{}",
) as Settings;
const runner = createRunner({ maxProcesses: 2 });
// `effect` and the rest take `after` ms once they have had their effect; `deadly:0` is a worker's death.
const { parking, callerFor } = fakeTools({
  ...(version === undefined ? {} : { version }),
  more: { deadly: { idempotentHint: true } },
  latency: (_n, { after }) => Number(after ?? 0),
  // One write a line: it is there, whoever dies next.
  onEffect(text, callId) {
    appendFileSync(`${folder}/effects`, `${callId} ${text} ${process.pid}\n`);
    if (text === "deadly:0") process.kill(process.pid, "SIGKILL");
  },
});
const worker = await startWorker({
  databaseUrl,
  lookMs: 200,
  graceMs: 3_000,
  queuePollMs: 50,
  ...(deployment === undefined ? {} : { deployment }),
  ...(maxDeaths === undefined ? {} : { maxDeaths }),
  ...(process.env["NESTBOX_LOG"] === undefined
    ? {}
    : { onLog: (level, text) => process.stderr.write(`${process.pid} ${level} ${text}\n`) }),
  carrierFor: () => ({ runner, parking, parkAfterMs: 500, callerFor }),
});
process.on("SIGTERM", () => {
  void (async () => {
    await worker.close();
    await runner.close();
    process.disconnect?.();
  })();
});
process.send?.("ready");
