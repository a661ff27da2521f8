/**
 * What the page of a fleet is told by a real server, a worker and the command line of this tree: each step is asserted,
 * and told when it holds. A program of its own, because the server of Restate and all that talks to it live in a network
 * namespace with nothing but loopback.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { PASSWORD } from "@nestbox/servers";

import { startFleetServer } from "./fleet-server.ts";

const program = fileURLToPath(new URL("../../../src/main.ts", import.meta.url));
const tools = fileURLToPath(new URL("../../fixtures/tools.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "nestbox-trace-"));
chmodSync(folder, 0o700);
const BASE_PORT = 18_440;

const engine = process.argv[2];
const server = await startFleetServer(engine, { folder, port: BASE_PORT });
const running = new Set<ChildProcess>();

function begin(words: readonly string[]) {
  const child = spawn(
    process.execPath,
    ["--conditions=@nestbox/source", "--no-warnings", program, ...words, ...server.words],
    { stdio: ["ignore", "pipe", "pipe"], cwd: folder, env: { ...process.env, NO_COLOR: "1", ...server.env } },
  );
  running.add(child);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const end = new Promise<number | null>((resolve) => {
    child.once("close", (exitCode) => {
      running.delete(child);
      resolve(exitCode);
    });
  });
  return { child, end, stdout: () => stdout, stderr: () => stderr };
}

async function nestbox(...words: readonly string[]): Promise<void> {
  const told = begin(words);
  assert.equal(await told.end, 0, told.stderr());
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const last = Date.now() + 120_000;
  while (!holds()) {
    if (Date.now() > last) throw new Error(`It did not come to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

type Message = Readonly<Record<string, unknown>>;

/** What a page that shows this has been told so far. */
function follow(url: string, signal: AbortSignal): Message[] {
  const messages: Message[] = [];
  void (async () => {
    const response = await fetch(url, { signal });
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
        const event = text.slice(0, end);
        text = text.slice(end + 2);
        if (event.startsWith("data: ")) messages.push(JSON.parse(event.slice(6)) as Message);
      }
    }
  })().catch(() => undefined);
  return messages;
}

const has = (messages: readonly Message[], pattern: RegExp): boolean =>
  messages.some((message) => pattern.test(JSON.stringify(message)));

async function holds(promise: string, step: () => Promise<void>): Promise<void> {
  await step();
  process.stdout.write(`${promise}\n`);
}

const stop = new AbortController();
try {
  const worker = begin(["worker", "--tools", tools, "--json"]);
  await until("the worker is ready", () => worker.stdout().includes('"worker.ready"'));
  const code = "const { n } = await tools.double({ n: 21 });\nawait tools.deploy({});\nreturn n;";
  await nestbox("submit", "-e", "return 1", "--id", "first", "--wait");
  await nestbox("submit", "-e", code, "--id", "asks");
  const page = begin(["trace", "open", "--fleet", "--json"]);
  await until("the page is served", () => page.stdout().includes("\n"));
  const { url } = JSON.parse(page.stdout()) as { readonly url: string };
  const list = follow(`${url}events`, stop.signal);
  const run = follow(`${url}events?run=asks`, stop.signal);

  await holds("the page lists the runs, what they wait for, and the command that answers", async () => {
    await until("it is listed as parked", () => has(list, /"id":"asks","state":"parked".*"name":"deploy"/));
    assert.ok(has(list, /"id":"first","state":"succeeded"/));
    assert.ok(has(list, /"approveWith":\["nestbox","approve"/));
  });

  await holds(
    "a run's page has its calls with their times and lines, and the wait for a person",
    async () => {
      await until("the run waits", () => has(run, /"name":"deploy".*"status":"waiting"/));
      assert.ok(has(run, /"name":"double"[^}]*"status":"ok"/));
      assert.ok(has(run, /"line":1/) && has(run, /"line":2/));
      assert.ok(!has(run, /"untimed":true/));
    },
  );

  await holds("a server that is away is told, and found again without anybody's doing", async () => {
    await server.kill();
    await until(
      "the list tells it",
      () => list.at(-1)?.["kind"] === "fleet-patch" && has(list.slice(-1), /"trouble":/),
    );
    await until(
      "the run tells it",
      () => run.at(-1)?.["kind"] === "trouble" && run.at(-1)?.["message"] !== "",
    );
    assert.ok(!has([...list, ...run], new RegExp(PASSWORD)));
    await server.start();
    await until("the list is well again", () => !has(list.slice(-1), /"trouble":/));
    await until("the run is well again", () => has(run.slice(-1), /"kind":"(?:patch|runs)"|"message":""/));
  });

  await holds("an answer from elsewhere and the end of the run come to the page", async () => {
    await nestbox("approve", "asks", "--yes", "--reason", "looked at it");
    await until("it has ended", () => has(run, /"decision":"approved"/) && has(run, /"state":"succeeded"/));
    assert.ok(has(run, /"by":"[^"]+","comment":"looked at it"/));
    await until("the list has it", () => has(list, /"id":"asks","state":"succeeded"/));
  });

  await holds("a run is written into one file", async () => {
    const file = join(folder, "asks.html");
    await nestbox("trace", "export", "--run", "asks", "-o", file);
    assert.match(readFileSync(file, "utf8"), /"standing":\{"id":"asks","state":"succeeded"/);
  });

  await holds("the page's server ends when it is told to", async () => {
    stop.abort();
    page.child.kill("SIGINT");
    assert.equal(await page.end, 0, page.stderr());
    worker.child.kill("SIGTERM");
    assert.equal(await worker.end, 0, worker.stderr());
  });
} finally {
  for (const child of running) child.kill("SIGKILL");
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
