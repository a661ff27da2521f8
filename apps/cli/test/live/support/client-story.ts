/**
 * What a person does with a fleet, from the command line of this tree against a real server: each step is asserted, and
 * told when it holds. A program of its own, because the server of Restate and all that talks to it live in a network
 * namespace with nothing but loopback.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { PASSWORD } from "@nestbox/servers";

import type { FleetEngine, FleetRun } from "../../../src/fleet/engine.ts";
import { fleetConfig } from "../../../src/fleet/fleet-config.ts";
import { openFleet } from "../../../src/fleet/open-fleet.ts";
import { startFleetServer } from "./fleet-server.ts";

const program = fileURLToPath(new URL("../../../src/main.ts", import.meta.url));
const tools = fileURLToPath(new URL("../../fixtures/tools.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "nestbox-client-"));
chmodSync(folder, 0o700);
const config = join(folder, "fleet.jsonc");
const BASE_PORT = 18_400;

interface Told {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly json: Readonly<Record<string, unknown>>;
}

const engine = process.argv[2];
const server = await startFleetServer(engine, { folder, port: BASE_PORT });
const running = new Set<ChildProcess>();

function begin(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { readonly child: ChildProcess; readonly end: Promise<Told>; readonly stdout: () => string } {
  const child = spawn(
    process.execPath,
    ["--conditions=@nestbox/source", "--no-warnings", program, ...words, ...server.words],
    {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: folder,
      env: { ...process.env, NO_COLOR: "1", ...server.env, ...env },
    },
  );
  running.add(child);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const end = new Promise<Told>((resolve) => {
    child.once("close", (exitCode) => {
      running.delete(child);
      resolve({
        exitCode,
        stdout,
        stderr,
        get json() {
          return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Readonly<Record<string, unknown>>;
        },
      });
    });
  });
  return { child, end, stdout: () => stdout };
}

const nestbox = async (...words: readonly string[]): Promise<Told> => await begin(words).end;

async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const last = Date.now() + 120_000;
  while (!(await holds())) {
    if (Date.now() > last) throw new Error(`It did not come to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

let looking: Promise<FleetEngine> | undefined;

/** Looks through the engine itself: a command a look would be most of what this takes. */
async function stateOf(runId: string): Promise<FleetRun | undefined> {
  looking ??= openFleet(fleetConfig(server.words.length === 0 ? {} : { config }, folder, server.env));
  return await (await looking).status(runId);
}

/** Also of a run that another command is only about to submit. */
const parked = (runId: string): Promise<void> =>
  until(`${runId} is parked`, async () => {
    const run = await stateOf(runId);
    return run?.state === "parked" && (run.waitingFor ?? 0) > 0;
  });

async function holds(promise: string, step: () => Promise<void>): Promise<void> {
  await step();
  process.stdout.write(`${promise}\n`);
}

try {
  await holds("before the first worker nothing can be submitted, and it is said", async () => {
    const { exitCode, stderr } = await nestbox("submit", "-e", "return 1");
    assert.equal(exitCode, 7, stderr);
  });

  const worker = begin(["worker", "--tools", tools, "--json"]);
  await until("the worker is ready", () => worker.stdout().includes('"worker.ready"'));

  await holds("a run is waited for and its end printed as that of run is, with its exit code", async () => {
    const [good, bad] = await Promise.all([
      nestbox("submit", "-e", "text('hi'); return (await tools.double({ n: 21 })).n", "--wait"),
      nestbox("submit", "-e", "throw new RangeError('too far')", "--wait", "--json"),
    ]);
    assert.deepEqual([good.exitCode, good.stdout], [0, "hi\n42\n"], good.stderr);
    assert.equal(bad.exitCode, 1, bad.stderr);
    assert.equal((bad.json["error"] as { name: string }).name, "RangeError");
  });

  const deploy = "return await tools.deploy({}) + load('where')";
  const ask = ["submit", "-e", deploy, "--data", "where= here", "--deadline", "2h", "--id"];
  await holds("an id begins one run: sent again it is known, with another script refused", async () => {
    assert.equal((await nestbox(...ask, "asks")).exitCode, 0);
    const [again, other] = await Promise.all([
      nestbox(...ask, "asks", "--json"),
      nestbox("submit", "-e", "return 2", "--id", "asks"),
    ]);
    assert.deepEqual(again.json, { ok: true, runId: "asks", begun: false });
    assert.equal(other.exitCode, 2);
    assert.match(other.stderr, /belongs to a run of another script/);
  });

  await holds(
    "a run that asks is parked, and another process approves exactly what it was shown",
    async () => {
      await parked("asks");
      const refused = await nestbox("approve", "asks");
      assert.equal(refused.exitCode, 2);
      assert.match(refused.stderr, /deploy wants to run \(key 1\)/);
      const approved = await nestbox("approve", "asks", "--yes", "--reason", "looked at it");
      assert.equal(approved.exitCode, 0, approved.stderr);
      await until("it ends", async () => (await stateOf("asks"))?.state === "ended");
      const [log, late, one] = await Promise.all([
        nestbox("logs", "asks"),
        nestbox("approve", "asks", "--yes"),
        nestbox("status", "asks", "--json"),
      ]);
      assert.match(log.stdout, /begun, to end within/);
      assert.match(log.stdout, /#1 deploy \{\} {2}waits for an answer \(key 1\)/);
      assert.match(log.stdout, /#1 deploy {2}approved by \S+\n +looked at it/);
      assert.match(log.stdout, /deployed here\n$/);
      assert.equal(late.exitCode, 1);
      assert.deepEqual((one.json["outcome"] as { value: unknown }).value, "deployed here");
    },
  );

  await holds("a no ends the call and not the run, which is told", async () => {
    const code = "const o = await ctx.executeTool('deploy', {}); return o.isError ? 'told no' : 'went on'";
    const waiting = begin(["submit", "-e", code, "--id", "no", "--wait"]);
    await parked("no");
    assert.equal((await nestbox("approve", "no", "1", "--deny")).exitCode, 0);
    assert.equal((await waiting.end).stdout, "told no\n");
  });

  await holds("a parked run is cancelled and ends as aborted, once", async () => {
    assert.equal((await nestbox(...ask, "cancelled")).exitCode, 0);
    await parked("cancelled");
    assert.equal((await nestbox("cancel", "cancelled", "--reason", "not today")).exitCode, 0);
    const told = await nestbox(...ask, "cancelled", "--wait", "--json");
    assert.equal(told.exitCode, 130, told.stderr);
    assert.deepEqual(
      [(told.json["error"] as { kind: string }).kind, (told.json["error"] as { message: string }).message],
      ["aborted", "not today"],
    );
    const [again, log] = await Promise.all([nestbox("cancel", "cancelled"), nestbox("logs", "cancelled")]);
    assert.equal(again.exitCode, 1);
    assert.match(log.stdout, /to be cancelled: not today/);
  });

  await holds("the list has every run with its state, the newest first", async () => {
    const { json } = await nestbox("status", "--json");
    const runs = json["runs"] as { runId: string; state: string; succeeded: boolean }[];
    assert.deepEqual(
      runs
        .filter(({ runId }) => /^[a-z]+$/.test(runId))
        .map(({ runId, state, succeeded }) => [runId, state, succeeded]),
      [
        ["cancelled", "ended", false],
        ["no", "ended", true],
        ["asks", "ended", true],
      ],
    );
  });

  await holds(
    "a log is followed to the end through a death of the server, whose absence others are told",
    async () => {
      assert.equal((await nestbox(...ask, "followed")).exitCode, 0);
      await parked("followed");
      const log = begin(["logs", "followed", "--follow"]);
      await until("the log has the question", () => log.stdout().includes("waits for an answer"));
      await server.kill();
      const away = await nestbox("status");
      assert.equal(away.exitCode, 7, away.stderr);
      assert.ok(!away.stderr.includes(PASSWORD), away.stderr);
      await server.start();
      await until(
        "it is approved",
        async () => (await nestbox("approve", "followed", "--yes")).exitCode === 0,
      );
      const { exitCode, stdout, stderr } = await log.end;
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout, /approved by/);
      assert.match(stdout, /deployed here\n$/);
      assert.equal(stdout.match(/waits for an answer/g)?.length, 1);
    },
  );

  if (engine === "dbos") {
    await holds(
      "a database that is none of a fleet, and a wrong password, are told without the password",
      async () => {
        const url = server.env["NESTBOX_DATABASE_URL"] ?? "";
        const words = ["status", "--json"];
        const [empty, none, wrong] = await Promise.all([
          begin(words, { NESTBOX_DATABASE_URL: url.replace("/fleet?", "/postgres?") }).end,
          begin(words, { NESTBOX_DATABASE_URL: url.replace("/fleet?", "/nowhere?") }).end,
          begin(words, { NESTBOX_DATABASE_URL: url.replace(PASSWORD, "of-nobody") }).end,
        ]);
        for (const { exitCode, stdout, stderr, json } of [empty, none, wrong]) {
          assert.equal(exitCode, 7);
          assert.equal((json["error"] as { kind: string }).kind, "fleet");
          for (const password of [PASSWORD, "of-nobody"]) assert.ok(!(stdout + stderr).includes(password));
        }
        assert.match(empty.stderr, /There are no runs in this database/);
        // Asking leaves nothing behind there.
        assert.match(
          (await begin(words, { NESTBOX_DATABASE_URL: url.replace("/fleet?", "/postgres?") }).end).stderr,
          /There are no runs in this database/,
        );
      },
    );
  }

  await holds("the worker ends when it is told to", async () => {
    worker.child.kill("SIGTERM");
    assert.equal((await worker.end).exitCode, 0);
  });
} finally {
  for (const child of running) child.kill("SIGKILL");
  await (await looking)?.[Symbol.asyncDispose]();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
