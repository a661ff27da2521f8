import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";

import { afterAll, describe, expect, it } from "vitest";

import { type FleetEngine, FleetError, type FleetQuestion } from "../../src/fleet/engine.ts";
import type { FleetWorld } from "../../src/fleet/fleet-world.ts";
import { createFleetSource, LATE_MS } from "../../src/fleet/trace-source.ts";
import { main } from "../../src/program.ts";
import { UsageError } from "../../src/usage-error.ts";
import {
  away,
  command,
  fakeFleet,
  type FakeFleet,
  type FakeRun,
  HOSTILE,
  NOW,
} from "../support/fake-fleet.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-trace-fleet-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SECRET = `sk-${"a1B2".repeat(10)}`;
const question: FleetQuestion = {
  runId: "release-42",
  key: "4",
  name: "deploy",
  arguments: '{"to":"production"}',
  reason: "It deploys",
  askedAt: NOW - 1_000,
  lines: [],
};
const runs = () =>
  fakeFleet([
    { run: { runId: "old", state: "ended", ok: false, createdAt: NOW - 60_000, endedAt: NOW - 50_000 } },
    {
      run: { runId: "release-42", state: "parked", createdAt: NOW - 5_000, waitingFor: 2, worker: HOSTILE },
      questions: [question],
    },
  ]);

/** Pauses last until the test says so. */
function paused() {
  let go: () => void = () => undefined;
  let late: () => void = () => undefined;
  const asked: number[] = [];
  return {
    asked,
    next: () => go(),
    late: () => late(),
    world: {
      now: () => NOW,
      pause: (ms: number, signal: AbortSignal) =>
        new Promise<void>((resolve) => {
          if (ms === LATE_MS) late = resolve;
          else {
            asked.push(ms);
            go = resolve;
          }
          signal.addEventListener("abort", () => resolve(), { once: true });
        }),
    },
  };
}

async function sourceOf(fleet: FakeFleet, pauses = paused()) {
  const engine = await fleet.world.open({});
  let opened: () => Promise<FleetEngine> = () => Promise.resolve(engine);
  const over = new AbortController();
  const source = createFleetSource({
    world: pauses.world,
    open: () => opened(),
    approveWith: ["nestbox", "approve"],
    signal: over.signal,
  });
  return { source, pauses, over, setOpen: (next: () => Promise<FleetEngine>) => (opened = next) };
}

const told = (source: {
  subscribe(listener: () => void): () => void;
}): { next(): Promise<void>; stop(): void } => {
  let tell: () => void = () => undefined;
  const waiting: Promise<void>[] = [];
  const arm = (): void => void waiting.push(new Promise((resolve) => (tell = resolve)));
  arm();
  const stop = source.subscribe(() => {
    tell();
    arm();
  });
  return { next: () => waiting.shift() ?? Promise.resolve(), stop };
};

describe("the runs of a fleet, for the page", () => {
  it("are listed the newest first, with what they wait for, and asked for only while somebody looks", async () => {
    const fleet = runs();
    const { source, pauses } = await sourceOf(fleet);
    expect(source.list()).toMatchObject({ loaded: false, runs: [] });
    const news = told(source);
    await news.next();
    expect(source.list()).toMatchObject({
      name: "dbos",
      loaded: true,
      more: false,
      runs: [
        { id: "release-42", state: "parked", waitingFor: 2, questions: [{ key: "4", name: "deploy" }] },
        { id: "old", state: "failed", waitingFor: 0, questions: [], endedAt: NOW - 50_000 },
      ],
    });
    expect(source.list()).not.toHaveProperty("trouble");
    fleet.runs.delete("old");
    pauses.next();
    await news.next();
    expect(source.list().runs).toHaveLength(1);
    news.stop();
    pauses.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(pauses.asked).toHaveLength(2);
  });

  it("are said not to answer after three seconds, and not when they have", async () => {
    const { source, pauses, setOpen } = await sourceOf(runs());
    expect(LATE_MS).toBe(3_000);
    const engine = await runs().world.open({});
    const slow = Promise.withResolvers<FleetEngine>();
    setOpen(() => slow.promise);
    const news = told(source);
    pauses.late();
    await news.next();
    expect(source.list()).toMatchObject({
      loaded: false,
      trouble: expect.stringContaining("3 seconds") as string,
    });
    slow.resolve(engine);
    await news.next();
    expect(source.list()).toMatchObject({ loaded: true, runs: { length: 2 } });
    expect(source.list()).not.toHaveProperty("trouble");
    // That look is over: its three seconds have nothing to say any more.
    pauses.late();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(source.list()).not.toHaveProperty("trouble");
    // What an engine says of itself says more, and stays.
    setOpen(() => Promise.reject(new FleetError("unreachable", "It does not answer")));
    pauses.next();
    await news.next();
    const never = Promise.withResolvers<FleetEngine>();
    setOpen(() => never.promise);
    pauses.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    pauses.late();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(source.list().trouble).toContain("It does not answer");
    news.stop();
  });

  it("say of one that somebody ended, and of one that failed, which it was and why", async () => {
    const end = (runId: string, kind: string, message: string): FakeRun => ({
      run: { runId, state: "ended", ok: false, createdAt: NOW, error: { kind, name: "Error", message } },
    });
    const { source } = await sourceOf(
      fakeFleet([end("a", "aborted", "Cancelled by ada"), end("b", "script", `Bearer ${SECRET} is wrong`)]),
    );
    const news = told(source);
    await news.next();
    news.stop();
    expect(source.list().runs).toMatchObject([
      { id: "a", state: "aborted", message: "Error: Cancelled by ada" },
      { id: "b", state: "failed", message: expect.stringContaining("is wrong") as string },
    ]);
    expect(JSON.stringify(source.list())).not.toContain(SECRET);
  });

  it("stay as they were while the server is away, which is told without a password, and heal by themselves", async () => {
    const { source, pauses, setOpen } = await sourceOf(runs());
    const news = told(source);
    await news.next();
    const good = await runs().world.open({});
    setOpen(() =>
      Promise.reject(new FleetError("unreachable", "postgresql://me:secret@db/x does not answer")),
    );
    pauses.next();
    await news.next();
    expect(source.list()).toMatchObject({ loaded: true, runs: { length: 2 } });
    expect(source.list().trouble).toContain("does not answer. The page asks again until it does.");
    expect(source.list().trouble).not.toContain("secret");
    setOpen(() => Promise.resolve(good));
    pauses.next();
    await news.next();
    expect(source.list()).not.toHaveProperty("trouble");
    news.stop();
  });

  it("are opened by their id alone, followed until they have ended, and told when there is none", async () => {
    const fleet = runs();
    const { source, pauses } = await sourceOf(fleet);
    for (const id of ["", "../x", "a b", HOSTILE, "-x", "x".repeat(201)])
      expect(source.open(id)).toBeUndefined();
    const old = source.open("old");
    const news = told(old ?? source);
    await news.next();
    expect(old?.runs()).toMatchObject([{ name: "old", live: false, standing: { state: "failed" } }]);
    expect(pauses.asked).toEqual([]);
    news.stop();
    const none = source.open("nothing");
    const nothing = told(none ?? source);
    await nothing.next();
    expect([none?.runs(), none?.trouble?.()]).toEqual([[], "There is no run nothing in this fleet."]);
    nothing.stop();
  });
});

async function opened(
  fleet: FakeFleet,
  words: readonly string[],
  look: (url: string) => Promise<void>,
  world: FleetWorld = fleet.world,
): Promise<{ readonly exitCode: number; readonly stderr: string }> {
  const stop = new AbortController();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  let said = "";
  stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const looking = new Promise<void>((resolve, reject) => {
    stdout.setEncoding("utf8").once("data", (text: string) => {
      look((JSON.parse(text) as { url: string }).url)
        .then(resolve, reject)
        .finally(() => stop.abort());
    });
  });
  const stdin = new PassThrough().end();
  const code = main(
    ["trace", "open", "--json", ...words],
    { stdin, stdout, stderr },
    stop.signal,
    undefined,
    world,
  );
  await looking;
  return { exitCode: await code, stderr: said };
}

async function firstEvent(url: string): Promise<unknown> {
  const response = await fetch(url);
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString("utf8");
    const event = /^data: (.*)\n\n/m.exec(text)?.[1];
    if (event !== undefined) return JSON.parse(event);
  }
  return undefined;
}

describe("nestbox trace open --fleet", () => {
  const slow = (fleet: FakeFleet): FleetWorld => ({
    ...fleet.world,
    pause: (_ms, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
  });

  it("serves the list and each run, with the command that answers, until it is interrupted", async () => {
    const fleet = runs();
    const { exitCode } = await opened(
      fleet,
      ["--fleet", "--config", "my fleet.jsonc"],
      async (url) => {
        expect(await (await fetch(url)).text()).toContain("<title>Fleet: ");
        expect(await firstEvent(`${url}events?run=release-42`)).toMatchObject({
          kind: "runs",
          runs: [
            {
              standing: {
                state: "parked",
                approveWith: ["nestbox", "approve", "--config", "my fleet.jsonc"],
              },
            },
          ],
        });
        expect((await fetch(`${url}events?run=${encodeURIComponent("../etc/passwd")}`)).status).toBe(404);
      },
      slow(fleet),
    );
    expect([exitCode, fleet.closed]).toEqual([0, 1]);
  });

  it("begins also while the server is away, and says so", async () => {
    const fleet = runs();
    const world = { ...slow(fleet), open: () => Promise.reject(away()) };
    const { exitCode, stderr } = await opened(fleet, ["--fleet"], () => Promise.resolve(), world);
    expect(exitCode).toBe(0);
    expect(stderr).toContain("does not answer; trying until it does");
  });

  it("says what is wrong with its words, and begins nothing", async () => {
    const fleet = runs();
    const say = async (...words: readonly string[]): Promise<string> => {
      const { exitCode, stderr } = await command(fleet, ["trace", ...words]);
      expect([words, exitCode]).toEqual([words, 2]);
      return stderr;
    };
    expect(await say("open")).toContain("or --fleet");
    expect(await say("open", "a.json", "--fleet")).toContain("not both");
    expect(await say("open", "a.json", "--config", "x")).toContain("belongs to --fleet");
    expect(await say("export", "-o", "x.html")).toContain("or --run");
    expect(await say("export", "a.json", "-o", "x.html", "--config", "x")).toContain("belongs to --run");
    const none = {
      ...fleet,
      world: { ...fleet.world, open: () => Promise.reject(new UsageError("No fleet is named.")) },
    };
    expect((await command(none, ["trace", "open", "--fleet"])).stderr).toContain("No fleet is named.");
  });
});

describe("nestbox trace export --run", () => {
  it("writes runs of the fleet into one page, for its owner alone", async () => {
    const fleet = runs();
    const page = join(folder, "runs.html");
    const words = ["trace", "export", "--run", "release-42", "--run", "old", "-o", page, "--json"];
    const { exitCode, json } = await command(fleet, words);
    expect([exitCode, json[0], fleet.closed]).toEqual([
      0,
      expect.objectContaining({ ok: true, file: page }),
      1,
    ]);
    const html = readFileSync(page, "utf8");
    const data = /<script type="application\/json" id="trace-data">(.*)<\/script>/.exec(html)?.[1] ?? "{}";
    expect(JSON.parse(data)).toMatchObject({ runs: [{ name: "release-42" }, { name: "old" }] });
    expect(statSync(page).mode & 0o077).toBe(0);
  });

  it("says when there is no such run, and writes nothing", async () => {
    const page = join(folder, "none.html");
    const { exitCode, stderr } = await command(runs(), ["trace", "export", "--run", "gone", "-o", page]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("There is no run gone in this fleet");
    expect(existsSync(page)).toBe(false);
  });
});
