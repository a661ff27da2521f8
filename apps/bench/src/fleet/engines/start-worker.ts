import { fileURLToPath } from "node:url";
import type { FleetWorker, Inside } from "../engine.ts";
import type { Household } from "../household.ts";
import { usageOf } from "../usage.ts";
import type { WorkerSettings } from "../worker.ts";

const FILE = fileURLToPath(new URL("../worker.ts", import.meta.url));

export async function startWorker(
  household: Household,
  settings: WorkerSettings,
  onInside?: (inside: Inside) => void,
): Promise<FleetWorker> {
  const child = household.fork(FILE, [JSON.stringify(settings)]);
  const pid = child.pid ?? 0;
  const worker: FleetWorker = { child, pid, usage: () => usageOf(pid) };
  await new Promise<void>((resolve, reject) => {
    child.once("exit", (code, signal) => reject(new Error(`A worker has ended: ${code ?? signal}`)));
    child.on("message", (message: unknown) => {
      const at = performance.now();
      if (message === "ready") resolve();
      else if (typeof message === "object" && message !== null && "inside" in message)
        onInside?.({ runId: String(message.inside), worker, at });
    });
  });
  return worker;
}
