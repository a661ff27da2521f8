import { type ChildProcess, execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { PASSWORD } from "@nestbox/servers";

import { end, exited, openHousehold, type Household } from "../../scripts/fleet/household.ts";
import { type FleetPlace, startServer, until } from "../../scripts/fleet/servers.ts";

const program = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const tools = fileURLToPath(new URL("../worker/support/tools.ts", import.meta.url));
const WORDS = ["--conditions=@nestbox/source", "--no-warnings", program];
const run = promisify(execFile);

let household: Household;
let place: FleetPlace;
let folder: string;
beforeAll(async () => {
  household = openHousehold();
  folder = household.folder("live-worker");
  place = await startServer("dbos", household, () => undefined);
});
afterAll(async () => {
  await household[Symbol.asyncDispose]();
});

const workers: ChildProcess[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await end(worker, "SIGKILL");
});

/** The processes that made a call about this file, in order. */
const callsOf = (path: string): readonly number[] =>
  readFileSync(`${path}.calls`, "utf8").trim().split("\n").map(Number);

type Line = Readonly<Record<string, unknown>>;

async function startWorker(...words: readonly string[]) {
  const child = household.start(
    process.execPath,
    [...WORDS, "worker", "--json", "--tools", tools, "--isolates", "1", ...words],
    { env: { ...process.env, ...place.env }, stdio: ["ignore", "pipe", "pipe"] },
  );
  workers.push(child);
  let text = "";
  let errors = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  const lines = (): readonly Line[] =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  const said = async (event: string, runId?: string): Promise<void> =>
    until(
      `${event} ${runId ?? ""} in\n${text}${errors}`,
      () =>
        lines().some((line) => line["event"] === event && (runId === undefined || line["runId"] === runId)),
      60_000,
    );
  await Promise.race([said("worker.ready"), exited(child)]);
  return { child, lines, said, errors: () => errors };
}

async function nestbox(...words: readonly string[]): Promise<Line> {
  const { stdout } = await run(process.execPath, [...WORDS, ...words, "--json"], {
    env: { ...process.env, ...place.env },
  }).catch((error: unknown) => error as { readonly stdout: string });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}") as Line;
}

const submit = (runId: string, code: string): Promise<Line> =>
  nestbox("submit", "--eval", code, "--id", runId);
const result = (runId: string, code: string): Promise<Line> =>
  nestbox("submit", "--eval", code, "--id", runId, "--wait");

describe("a worker of a real fleet", () => {
  it("keeps a call that ends while it drains, and another worker goes on from there", async () => {
    const first = await startWorker();
    const path = join(folder, "go");
    const code = `await tools.await_file({ path: ${JSON.stringify(path)} }); return (await tools.double({ n: 21 })).n`;
    await submit("drained", code);
    await until("the call has begun", () => existsSync(`${path}.calls`), 60_000);
    const ended = end(first.child, "SIGTERM", 60_000);
    await first.said("worker.draining");
    writeFileSync(path, "");
    expect(await ended).toEqual({ code: 0, signal: null });
    await first.said("run.released", "drained");
    const second = await startWorker();
    expect(await result("drained", code)).toMatchObject({ ok: true, value: 42 });
    expect(callsOf(path)).toEqual([first.child.pid]);
    expect(await end(second.child, "SIGTERM", 60_000)).toEqual({ code: 0, signal: null });
  });

  it("cuts a call off that does not end, and whoever goes on is told so and does not make it again", async () => {
    const first = await startWorker("--drain-ms", "300");
    const path = join(folder, "stuck");
    const call = `tools.stuck({ path: ${JSON.stringify(path)} })`;
    const code = `return await ${call}.then(() => 'made', (error) => error.name)`;
    await submit("stuck", code);
    await until("the call has begun", () => existsSync(`${path}.calls`), 60_000);
    expect(await end(first.child, "SIGTERM", 60_000)).toEqual({ code: 4, signal: null });
    await first.said("worker.cut-off");
    const second = await startWorker();
    expect(await result("stuck", code)).toMatchObject({ ok: true, value: "InterruptedError" });
    expect(callsOf(path)).toEqual([first.child.pid]);
    await end(second.child, "SIGTERM", 60_000);
  });

  it("ends at once with the second signal", async () => {
    const worker = await startWorker("--drain-ms", "600000");
    const path = join(folder, "held");
    await submit("held", `await tools.stuck({ path: ${JSON.stringify(path)} })`);
    await until("the call has begun", () => existsSync(`${path}.calls`), 60_000);
    worker.child.kill("SIGTERM");
    await worker.said("worker.draining");
    const gone = exited(worker.child);
    worker.child.kill("SIGINT");
    expect(await gone).toEqual({ code: 130, signal: null });
    await nestbox("cancel", "held");
  });

  it("lets go of nothing and ends at once while its runs are parked, and a person's answer finds another", async () => {
    const first = await startWorker();
    const code = "await tools.deploy({}); return 'deployed'";
    await submit("parked", code);
    await first.said("run.parked", "parked");
    expect(await end(first.child, "SIGTERM", 60_000)).toEqual({ code: 0, signal: null });
    const second = await startWorker();
    await nestbox("approve", "parked", "--yes");
    expect(await result("parked", code)).toMatchObject({ ok: true, value: "deployed" });
    await end(second.child, "SIGTERM", 60_000);
  });

  it("says that its server went away, and ends when it is told to although it does", async () => {
    const worker = await startWorker("--drain-ms", "300", "--health", "127.0.0.1:0");
    await place.killServer();
    await worker.said("engine.away");
    const health = worker.lines().find(({ event }) => event === "worker.health")?.["health"];
    expect((await fetch(`${String(health)}/readyz`)).status).toBe(503);
    expect((await fetch(`${String(health)}/livez`)).status).toBe(200);
    expect(await end(worker.child, "SIGTERM", 60_000)).toEqual({ code: 0, signal: null });
    expect(JSON.stringify(worker.lines())).not.toContain(PASSWORD);
  });

  it("says what is wrong where there is no server, without its password, and ends with exit code 7", async () => {
    const worker = await startWorker();
    expect(await exited(worker.child)).toEqual({ code: 7, signal: null });
    expect(worker.errors()).toMatch(/does not answer/);
    expect(worker.errors()).not.toContain(PASSWORD);
  });
});
