/** A worker is killed while a call of it is under way, and another one that was there makes that call again. */
import type { BenchEngine, FleetWorker, Inside, Kind } from "../engine.ts";
import { type KillFigures, spreadOf } from "../figures.ts";
import type { Household } from "../household.ts";

const WAIT_MS = 120_000;

export async function measureKills(
  household: Household,
  engine: BenchEngine,
  kind: Kind,
  kills: number,
): Promise<KillFigures> {
  const heard: Inside[] = [];
  let onInside: () => void = () => undefined;
  const start = (): Promise<FleetWorker> =>
    engine.startWorker(kind, (inside) => {
      heard.push(inside);
      onInside();
    });
  const inside = async (runId: string, count: number): Promise<Inside> => {
    const end = performance.now() + WAIT_MS;
    for (;;) {
      const found = heard.filter((one) => one.runId === runId)[count];
      if (found !== undefined) return found;
      if (performance.now() > end) throw new Error(`${runId} did not go on`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1_000);
        onInside = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };

  const workers = new Set([await start(), await start()]);
  const [elsewhere, ended]: [number[], number[]] = [[], []];
  for (let kill = 0; kill < kills; kill++) {
    // So that each has carried a run on, and has its sandbox.
    const warm = Array.from({ length: 16 }, (_, index) => `kill-${kind}-${kill}-warm-${index}`);
    await Promise.all(
      warm.map(async (runId) => {
        await engine.submit(kind, runId, { calls: 1 });
        await engine.result(kind, runId, false);
      }),
    );
    const runId = `kill-${kind}-${kill}`;
    await engine.submit(kind, runId, "hold");
    const { worker } = await inside(runId, 0);
    const gone = household.kill(worker.child);
    const killedAt = performance.now();
    await gone;
    workers.delete(worker);
    await engine.recover(kind, [runId]);
    const result = engine.result(kind, runId, true);
    const second = await inside(runId, 1);
    if (second.worker === worker) throw new Error("It went on where it had died");
    elsewhere.push(second.at - killedAt);
    await result;
    ended.push(performance.now() - killedAt);
    workers.add(await start());
  }
  for (const worker of workers) await household.kill(worker.child, "SIGTERM");
  return { elsewhere: spreadOf(elsewhere), ended: spreadOf(ended) };
}
