import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cancelDurable } from "@nestbox/codemode/durable";
import { startRestate } from "@nestbox/servers";
import { afterAll, expect, test } from "vitest";
import { openRestate, openRestateAdmin } from "../../src/index.ts";
import { openBlobFolder } from "../../src/node/index.ts";
import { type Child, startChild } from "./support/fleet.ts";

const BASE = 18_260;
/** Invocations under way that the server has room for, and runs that come at once. */
const LIMIT = 10;
const RUNS = 24;
const folder = mkdtempSync(join(tmpdir(), "nestbox-admission-"));
const server = await startRestate({
  folder,
  port: BASE,
  settings: {
    RESTATE_DEFAULT_NUM_PARTITIONS: "1",
    RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256 MiB",
    RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: String(LIMIT),
  },
});
const { ingressUrl, adminUrl } = server;
const admin = openRestateAdmin({ adminUrl });
const runs = openRestate({ ingressUrl, blobs: openBlobFolder(join(folder, "blobs")), pollMs: 100 });
let child: Child | undefined;

afterAll(async () => {
  child?.process.kill("SIGKILL");
  await child?.exit;
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function oneThatWaits(): Promise<string> {
  for (let looks = 0; looks < 200; looks++) {
    const listed = (await admin.list()).find(({ waitsForRoom }) => waitsForRoom === true);
    // It goes on by itself at any moment: one that is so in both.
    const alone = listed === undefined ? undefined : await admin.status(listed.runId);
    if (alone?.waitsForRoom === true && alone.status === "suspended") return alone.runId;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("None waits for room");
}

test("runs beyond a worker's room wait as such, can be cancelled, and end, however few the server has under way", async () => {
  child = startChild({ folder, ingressUrl, name: "a", port: BASE + 10, maxActive: 3 });
  await child.ready;
  await admin.register(`http://127.0.0.1:${BASE + 10}`, { force: true });
  const code = "await tools.work({ n: 1, ms: 1000 }); return (await tools.work({ n: 2, ms: 1000 })).n";
  const ids = Array.from({ length: RUNS }, (_, n) => `room_${n}`);
  await Promise.all(ids.map((id) => runs.submit(id, { code })));

  const waiting = await oneThatWaits();
  await cancelDurable(runs.run(waiting), "Not needed");

  const others = ids.filter((id) => id !== waiting);
  for (const outcome of await Promise.all(others.map((id) => runs.result(id))))
    expect(outcome).toMatchObject({ ok: true, value: 2 });
  expect(await runs.result(waiting)).toMatchObject({ ok: false, error: { kind: "aborted" } });
  // Every effect once.
  const file = join(folder, "effects");
  const effects = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const done = effects.map((line) => line.split(" ").slice(1).join(" "));
  expect(new Set(done).size).toBe(done.length);
  expect(done.length).toBe((RUNS - 1) * 2);
});
