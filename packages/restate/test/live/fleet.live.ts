import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cancelDurable, type DurableScript } from "@nestbox/codemode/durable";
import type { ScriptOutcome } from "@nestbox/codemode";
import { afterAll, afterEach, expect, test } from "vitest";
import { openRestate, openRestateAdmin, type RunStatus } from "../../src/index.ts";
import { openBlobFolder } from "../../src/node/index.ts";
import { type Child, startChild } from "./support/fleet.ts";
import { startServer } from "./support/server.ts";

const BASE = 18_200;
const folder = mkdtempSync(join(tmpdir(), "nestbox-restate-"));
const server = await startServer(folder, BASE);
const { ingressUrl, adminUrl } = server;
const admin = openRestateAdmin({ adminUrl });
const runs = openRestate({ ingressUrl, blobs: openBlobFolder(join(folder, "blobs")), pollMs: 100 });
const children: Child[] = [];
const YES = { kind: "approved" } as const;

/** Workers that share a port stand behind one address; new runs begin there. */
async function workers(port: number, ...names: readonly string[]): Promise<readonly Child[]> {
  return await versionedWorkers(port, "1", ...names);
}

async function versionedWorkers(
  port: number,
  version: string,
  ...names: readonly string[]
): Promise<readonly Child[]> {
  const started = names.map((name) => startChild({ folder, ingressUrl, name, port, version }));
  children.push(...started);
  for (const one of started) await one.ready;
  await admin.register(`http://127.0.0.1:${port}`, { force: true });
  return started;
}

const kill = async (child: Child | undefined): Promise<void> => {
  child?.process.kill("SIGKILL");
  await child?.exit;
};

/** `worker tool:n` of the tools that have run for a run, in order. */
function effectsOf(runId: string): readonly (readonly [worker: string, effect: string])[] {
  const file = join(folder, "effects");
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, callId]) => callId?.startsWith(`${runId}:`) === true)
    .map(([worker = "", , effect = ""]) => [worker, effect]);
}

async function until<T>(look: () => T | undefined | Promise<T | undefined>, what: string): Promise<T> {
  const end = Date.now() + 120_000;
  while (Date.now() < end) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`It did not come: ${what}`);
}

const withStatus = (runId: string, status: string): Promise<RunStatus> =>
  until(async () => {
    const found = await admin.status(runId);
    return found?.status === status ? found : undefined;
  }, `${runId} is ${status}`);

const valueOf = (outcome: ScriptOutcome): unknown => (outcome.ok ? outcome.value : outcome.error);

afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
});
afterAll(async () => {
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Ten calls one after the other; one that was under way where its process died is told as such. */
const TEN = `
  const seen = [];
  for (let n = 1; n <= 10; n++)
    seen.push(await tools.work({ n, ms: 150 }).then((r) => r.n, (error) => error.name));
  return seen`;

test("a worker is killed in the middle of a run: another one carries it on, and nothing runs twice", async () => {
  const [a, b] = await workers(BASE + 10, "a", "b");
  await runs.submit("killed-worker", { code: TEN });
  const [first] = await until(() => {
    const seen = effectsOf("killed-worker");
    return seen.length >= 3 ? seen : undefined;
  }, "three calls");
  const [dies, lives] = first?.[0] === "a" ? [a, "b"] : [b, "a"];
  await kill(dies);
  const seen = valueOf(await runs.result("killed-worker")) as (number | string)[];
  const effects = effectsOf("killed-worker");
  expect(effects.map(([, effect]) => effect)).toEqual(seen.map((_, index) => `work:${index + 1}`));
  expect(effects.at(-1)?.[0]).toBe(lives);
  // The call that was under way, if there was one, is not made again and not passed over in silence.
  expect(seen.filter((one) => typeof one === "string").length).toBeLessThanOrEqual(1);
  expect(seen.map((one, index) => (one === "InterruptedError" ? index + 1 : one))).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
  ]);
});

test("what is no script is refused; one that is sent all the same ends, and its worker goes on", async () => {
  await workers(BASE + 10, "a");
  for (const part of [{ timeZone: "Nowhere/\u0000" }, { store: { a: 5 } }, { deadlineMs: "abc" }]) {
    const script = { code: "return 1", ...part } as unknown as DurableScript;
    await expect(runs.submit("wrong", script)).rejects.toMatchObject({ code: "misuse" });
  }
  // By one who speaks to the server without asking.
  const sealed = { json: JSON.stringify({ code: "return 1", timeZone: "Nowhere/\u0000" }) };
  const sent = await fetch(`${ingressUrl}/nestbox-run/sly/run/send`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ script: sealed }),
  });
  expect(sent.status).toBe(202);
  const { ok, failure } = await withStatus("sly", "completed");
  expect(ok).toBe(false);
  expect(failure).toContain("This is no time zone");
  await runs.submit("after-sly", { code: "return 2" });
  expect(valueOf(await runs.result("after-sly"))).toBe(2);
});

test("the server is killed in the middle of a run: it goes on where it was when the server is back", async () => {
  await workers(BASE + 10, "a");
  await runs.submit("killed-server", { code: TEN });
  await until(() => (effectsOf("killed-server").length >= 3 ? true : undefined), "three calls");
  await server.kill();
  await server.start();
  const seen = valueOf(await runs.result("killed-server"));
  // The worker lived: what it had under way is kept, and nothing is in doubt.
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(effectsOf("killed-server").map(([, effect]) => effect)).toEqual(
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => `work:${n}`),
  );
});

test("runs that wait for people are suspended, outlive every worker, and go on once each", async () => {
  const [a] = await workers(BASE + 10, "a");
  const ids = Array.from({ length: 40 }, (_, index) => `parked-${index}`);
  const code = "return (await tools.deploy({ n: 7 })).n + (await tools.work({ n: 1 })).n";
  await Promise.all(ids.map((id) => runs.submit(id, { code })));
  for (const id of ids) await withStatus(id, "suspended");
  await kill(a);
  await server.kill();
  await server.start();
  await workers(BASE + 10, "later");
  await Promise.all(ids.map((id) => runs.run(id).wake("1", YES)));
  // Asked twice, it is the same run: it ended once.
  for (const id of [...ids, ...ids]) expect(valueOf(await runs.result(id))).toBe(8);
  for (const id of ids) {
    expect(effectsOf(id)).toEqual([
      ["later", "deploy:7"],
      ["later", "work:1"],
    ]);
  }
  expect(await runs.submit(ids[0] ?? "", { code })).toEqual({ begun: false });
});

test("a decision that comes before the question is not lost", async () => {
  await workers(BASE + 10, "a");
  await runs.run("early").wake("1", YES);
  await runs.submit("early", { code: "return (await tools.deploy({ n: 1 })).n" });
  expect(valueOf(await runs.result("early"))).toBe(1);
});

test("a run is cancelled while it is parked, and while it runs by the server's own means", async () => {
  await workers(BASE + 10, "a");
  await runs.submit("cancel-parked", { code: "await tools.deploy({ n: 1 })" });
  await withStatus("cancel-parked", "suspended");
  await cancelDurable(runs.run("cancel-parked"), "Not wanted any more");
  expect(valueOf(await runs.result("cancel-parked"))).toMatchObject({
    kind: "aborted",
    message: "Not wanted any more",
  });
  await runs.submit("cancel-running", { code: "await tools.work({ n: 1, ms: 60000 })" });
  await until(() => (effectsOf("cancel-running").length > 0 ? true : undefined), "a call");
  const running = await admin.status("cancel-running");
  await fetch(`${adminUrl}/invocations/${running?.invocationId}/cancel`, { method: "PATCH" });
  expect(valueOf(await runs.result("cancel-running"))).toMatchObject({ kind: "aborted" });
  expect(effectsOf("cancel-parked")).toEqual([]);
});

test("a deadline ends a parked run, and a far timer carries one on", async () => {
  await workers(BASE + 10, "a");
  await runs.submit("late", { code: "await tools.deploy({ n: 1 })", deadlineMs: 2_000 });
  expect(valueOf(await runs.result("late"))).toMatchObject({ kind: "timeout" });
  await runs.submit("timer", { code: "await new Promise((r) => setTimeout(r, 6000)); return 'woke'" });
  await withStatus("timer", "suspended");
  expect(valueOf(await runs.result("timer"))).toBe("woke");
});

test("an approval after a deploy: the run goes on where it began, and new runs begin on the new workers", async () => {
  await workers(BASE + 10, "old");
  const code = "return (await tools.deploy({ n: 1 })).n";
  await runs.submit("before", { code });
  await withStatus("before", "suspended");
  await versionedWorkers(BASE + 11, "2", "new");
  await runs.submit("after", { code });
  for (const id of ["before", "after"]) await runs.run(id).wake("1", YES);
  expect([valueOf(await runs.result("before")), valueOf(await runs.result("after"))]).toEqual([1, 1]);
  expect([effectsOf("before"), effectsOf("after")]).toEqual([[["old", "deploy:1"]], [["new", "deploy:1"]]]);
});

test("a run that is moved to workers with other tools is paused, says why, and goes on on its own", async () => {
  const [old] = await workers(BASE + 10, "old");
  await runs.submit("moved", { code: "return (await tools.deploy({ n: 1 })).n" });
  const { invocationId, deploymentId } = await withStatus("moved", "suspended");
  await kill(old);
  await versionedWorkers(BASE + 11, "2", "new");
  await runs.run("moved").wake("1", YES);
  await withStatus("moved", "backing-off");
  await admin.pause(invocationId);
  await withStatus("moved", "paused");
  await admin.resume(invocationId, { deployment: "latest" });
  const paused = await until(async () => {
    const found = await admin.status("moved");
    return found?.status === "paused" && found.failure?.includes("conditions") === true ? found : undefined;
  }, "a reason");
  expect(paused.failure).toMatch(/began under other conditions: changed tools? .*\bdeploy\b/);
  expect(effectsOf("moved")).toEqual([]);
  await workers(BASE + 10, "old-again");
  await admin.resume(invocationId, { deployment: deploymentId ?? "" });
  expect(valueOf(await runs.result("moved"))).toBe(1);
  expect(effectsOf("moved")).toEqual([["old-again", "deploy:1"]]);
});

test("a worker that is asked to close keeps what is under way, and another one goes on", async () => {
  const [a, b] = await workers(BASE + 10, "a", "b");
  await runs.submit("drained", { code: TEN });
  const [first] = await until(() => {
    const seen = effectsOf("drained");
    return seen.length >= 2 ? seen : undefined;
  }, "two calls");
  const closing = first?.[0] === "a" ? a : b;
  closing?.process.kill("SIGTERM");
  expect(valueOf(await runs.result("drained"))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(await closing?.exit).toEqual({ code: 0, signal: null });
  expect(effectsOf("drained").map(([, effect]) => effect)).toEqual(
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => `work:${n}`),
  );
});

test("a script and an outcome that are too large for a message go beside it, and a removed run leaves nothing", async () => {
  await workers(BASE + 10, "a");
  const chars = 40_000_000;
  const code = `/* ${"x".repeat(100_000)} */ return "y".repeat(${chars})`;
  await runs.submit("large", { code, limits: { memoryMb: 512 } });
  const outcome = await runs.result("large");
  expect(outcome.ok && String(outcome.value).length).toBe(chars);
  expect(readdirSync(join(folder, "blobs"))).toHaveLength(1);
  expect(await runs.remove("large")).toBe(true);
  expect(readdirSync(join(folder, "blobs"))).toEqual([]);
  expect(await runs.remove("large")).toBe(false);
});

test("a journal that is larger than any message is read and written", async () => {
  await workers(BASE + 10, "a");
  const value = "x".repeat(16_000);
  const keys = Array.from({ length: 2_600 }, (_, index) => `k${index}`);
  const journal = runs.run("long-journal");
  await journal.step("start", () => Promise.resolve(0), { repeatable: true });
  await Promise.all(keys.map((key) => journal.step(key, () => Promise.resolve(value), { repeatable: true })));
  const elsewhere = runs.run("long-journal");
  for (const key of keys)
    expect(await elsewhere.step(key, () => Promise.resolve("no"))).toMatchObject({ value, replayed: true });
  expect(await elsewhere.step("more", () => Promise.resolve(1))).toMatchObject({ replayed: false });
});

test("the README's examples run", async () => {
  const given = JSON.stringify({ ingressUrl, adminUrl, blobFolder: join(folder, "blobs") });
  const start = (name: string, stdin: "pipe" | "ignore") =>
    spawn(
      process.execPath,
      [
        "--conditions=@nestbox/source",
        "--no-warnings",
        fileURLToPath(new URL(`../readme/${name}`, import.meta.url)),
        given,
      ],
      { stdio: [stdin, "pipe", "inherit"] },
    );
  const worker = start("worker.ts", "pipe");
  await once(worker.stdout ?? worker, "data");
  const client = start("client.ts", "ignore");
  let said = "";
  client.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  await once(client, "close");
  expect(said).toBe("42\n");
  worker.stdin?.end();
  await once(worker, "close");
});
