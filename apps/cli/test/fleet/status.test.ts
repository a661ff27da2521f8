import { stripVTControlCharacters } from "node:util";

import { describe, expect, it } from "vitest";

import { command, ended, failed, fakeFleet, HOSTILE, NOW, OBEYED } from "../support/fake-fleet.ts";

const MINUTE = 60_000;
const question = {
  runId: "release-42",
  key: "3",
  name: "deploy",
  arguments: '{"where":"production"}',
  askedAt: NOW - MINUTE,
  fingerprint: "f",
  reason: "Others will see it",
  rule: "others-see-it",
  layer: "user",
  lines: ["deploy production"],
  folder: "/srv/app",
};

function someRuns() {
  return fakeFleet([
    {
      run: {
        runId: "release-42",
        state: "parked",
        createdAt: NOW - 5 * MINUTE,
        waitingFor: 1,
        wakeAt: NOW + 6 * 86_400_000,
      },
      questions: [question],
    },
    {
      run: { runId: "busy", state: "running", createdAt: NOW - 12_000, worker: "worker-1", waitingFor: 0 },
    },
    {
      run: {
        runId: "gone",
        state: "halted",
        createdAt: NOW - 3 * 86_400_000,
        message: "tool deploy was changed",
      },
    },
    {
      run: {
        runId: "good",
        state: "ended",
        ok: true,
        createdAt: NOW - 86_400_000,
        endedAt: NOW - 86_390_000,
      },
      outcome: ended(["a", "b"]),
    },
    { run: { runId: "bad", state: "ended", ok: false, createdAt: NOW - 86_400_000 }, outcome: failed("no") },
  ]);
}

describe("nestbox status", () => {
  it("lists runs with their state, age and what they wait for", async () => {
    const { stdout, exitCode } = await command(someRuns(), ["status"]);
    expect(stdout.split("\n")).toEqual([
      "state       age  id",
      "parked    5 min  release-42  waits for 1 answer, or goes on in 6 d",
      "running    12 s  busy        on worker-1",
      "halted      3 d  gone        tool deploy was changed",
      "succeeded  24 h  good",
      "failed     24 h  bad",
      "",
    ]);
    expect(exitCode).toBe(0);
  });

  it.each([40, 80, 140])("has no line that is wider than a terminal of %i columns", async (columns) => {
    const fleet = someRuns();
    const id = `a-${"long-".repeat(30)}id`;
    fleet.runs.set(id, { run: { runId: id, state: "halted", message: "w ".repeat(300), createdAt: NOW } });
    const { stdout } = await command(fleet, ["status"], { columns });
    // Colours are for terminals, and take no columns.
    const lines = stripVTControlCharacters(stdout).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(stdout).toContain("release-42");
    const one = await command(fleet, ["status", "release-42"], { columns });
    for (const line of stripVTControlCharacters(one.stdout).split("\n"))
      expect(line.length).toBeLessThanOrEqual(Math.max(columns, line.trim().includes(" ") ? 0 : 1_000));
  });

  it("says all about one run: what it asks, and how to answer", async () => {
    const { stdout, stderr } = await command(someRuns(), ["status", "release-42"]);
    expect(stdout).toBe(
      [
        "parked  release-42",
        "  begun       2026-03-01 11:55:00 UTC, 5 min ago",
        "  waits for   1 answer",
        "  goes on     2026-03-07 12:00:00 UTC, in 6 d",
        "  deploy wants to run (key 3):",
        "    deploy production",
        "    in /srv/app",
        "    asked by others-see-it (user): Others will see it",
        "",
      ].join("\n"),
    );
    expect(stderr).toBe("nestbox: to answer: nestbox approve release-42, with --deny to say no\n");
  });

  it("tells how a run ended, with what it printed and returned", async () => {
    const good = await command(someRuns(), ["status", "good"]);
    expect(good.stdout).toContain("succeeded  good\n");
    expect(good.stdout).toContain('[\n  "a",\n  "b"\n]\n');
    expect(good.exitCode).toBe(0);
    const bad = await command(someRuns(), ["status", "bad"]);
    expect(bad.stdout).toContain("failed  bad\n");
    expect(bad.stderr).toContain("Error: no");
    // What was asked for was its status.
    expect(bad.exitCode).toBe(0);
  });

  it("tells one that was cancelled apart from one that failed", async () => {
    const fleet = someRuns();
    const outcome = failed("Cancelled by ada");
    if (outcome.ok) throw new Error("it has failed");
    fleet.runs.set("stopped", {
      run: { runId: "stopped", state: "ended", ok: false, createdAt: NOW },
      outcome: { ...outcome, error: { ...outcome.error, kind: "aborted" } },
    });
    const { stdout, stderr } = await command(fleet, ["status", "stopped"]);
    expect(stdout).toContain("aborted  stopped\n");
    expect(stderr).toContain("Cancelled by ada");
    // And a list says the same, and why.
    const error = { kind: "aborted", name: "AbortError", message: `Cancelled by ada${HOSTILE}` };
    fleet.runs.set("stopped", {
      run: { runId: "stopped", state: "ended", ok: false, error, createdAt: NOW },
    });
    const list = (await command(fleet, ["status"])).stdout;
    expect(list).toMatch(/^aborted +\S+ s {2}stopped {5}AbortError: Cancelled by ada/m);
    expect(list).not.toMatch(OBEYED);
    const cancelled = await command(fleet, ["cancel", "stopped"]);
    expect(cancelled.stderr).toBe("nestbox: stopped has ended already: aborted\n");
  });

  it("says of a run that ended within a second how long it took", async () => {
    const run = { runId: "quick", state: "ended", ok: true, createdAt: NOW - 60, endedAt: NOW - 20 } as const;
    const fleet = fakeFleet([{ run, outcome: ended(null) }]);
    expect((await command(fleet, ["status", "quick"])).stdout).toContain("UTC, after 40 ms\n");
  });

  it("says of a run that no worker has taken that it waits for one", async () => {
    const fleet = fakeFleet([{ run: { runId: "new", state: "queued", createdAt: NOW - 1_000 } }]);
    expect((await command(fleet, ["status"])).stdout).toContain("new  waits for a worker\n");
    expect((await command(fleet, ["status", "new"])).stdout).toContain(
      "  waits for   a worker that takes it: nestbox worker\n",
    );
  });

  it("repeats the config in what is to be done next, so that it can be pasted", async () => {
    const config = ["--config", "my fleet.jsonc"];
    const next = async (...words: readonly string[]) =>
      (await command(someRuns(), [...words, ...config])).stderr;
    expect(await next("status", "release-42")).toContain(
      ": nestbox approve release-42 --config 'my fleet.jsonc', with --deny",
    );
    const halted = await next("status", "gone");
    expect(halted).toContain(": nestbox resume gone --config 'my fleet.jsonc',");
    expect(halted).toContain(": nestbox cancel gone --config 'my fleet.jsonc'\n");
    expect(await next("resume", "gone")).toContain(": nestbox status gone --config 'my fleet.jsonc'\n");
  });

  it("says why a run is halted and what to do", async () => {
    const { stdout, stderr } = await command(someRuns(), ["status", "gone"]);
    expect(stdout).toContain("  why         tool deploy was changed\n");
    expect(stderr).toBe(
      "nestbox: to let it try again, once what halts it is mended (of other tools: once a worker has the former ones): nestbox resume gone, to end it: nestbox cancel gone\n",
    );
  });

  it("prints one JSON object", async () => {
    const list = await command(someRuns(), ["status", "--json", "--limit", "1"]);
    expect(list.json).toEqual([
      {
        ok: true,
        runs: [
          {
            runId: "release-42",
            state: "parked",
            succeeded: null,
            error: null,
            message: null,
            createdAt: "2026-03-01T11:55:00.000Z",
            endedAt: null,
            wakeAt: "2026-03-07T12:00:00.000Z",
            worker: null,
            deployment: null,
            waitingFor: 1,
          },
        ],
      },
    ]);
    const one = await command(someRuns(), ["status", "release-42", "--json"]);
    expect(one.json).toMatchObject([
      {
        ok: true,
        run: { runId: "release-42", state: "parked" },
        questions: [
          { key: "3", name: "deploy", lines: ["deploy production"], askedAt: "2026-03-01T11:59:00.000Z" },
        ],
        outcome: null,
      },
    ]);
    const bad = await command(someRuns(), ["status", "bad", "--json"]);
    expect(bad.json).toMatchObject([
      { ok: true, run: { succeeded: false }, outcome: { ok: false, error: { message: "no" } } },
    ]);
  });

  it("shows nothing to a terminal that it would obey, whoever wrote it", async () => {
    const fleet = fakeFleet([
      {
        run: {
          runId: "x",
          state: "parked",
          message: HOSTILE,
          worker: HOSTILE,
          deployment: HOSTILE,
          waitingFor: 1,
        },
        questions: [
          {
            ...question,
            runId: "x",
            key: HOSTILE,
            name: HOSTILE,
            arguments: HOSTILE,
            reason: HOSTILE,
            rule: HOSTILE,
            layer: HOSTILE,
            lines: [HOSTILE],
            folder: HOSTILE,
          },
        ],
      },
      { run: { runId: HOSTILE, state: "halted", message: HOSTILE } },
    ]);
    for (const words of [
      ["status"],
      ["status", "x"],
      ["status", HOSTILE],
      ["status", `no${HOSTILE}`],
      ["approve", "x"],
    ]) {
      const { stdout, stderr } = await command(fleet, words);
      expect([words, stdout + stderr]).toEqual([words, expect.not.stringMatching(OBEYED)]);
    }
  });

  it("knows no run that is not there", async () => {
    for (const words of [
      ["status", "no"],
      ["approve", "no"],
      ["cancel", "no"],
      ["logs", "no"],
      ["resume", "no"],
    ]) {
      const { stderr, exitCode } = await command(someRuns(), words);
      expect(stderr).toContain("There is no run no in this fleet");
      expect(exitCode).toBe(2);
    }
  });

  it("says where there are no runs, and that a list is not all", async () => {
    expect((await command(fakeFleet(), ["status"])).stderr).toContain("there are no runs");
    expect((await command(someRuns(), ["status", "--limit", "2"])).stderr).toContain("the newest 2");
  });
});

describe("nestbox cancel", () => {
  it("wishes the end of a run that is parked, halted or running, with a reason", async () => {
    for (const runId of ["release-42", "gone", "busy"]) {
      const fleet = someRuns();
      const { stderr, exitCode } = await command(fleet, ["cancel", runId]);
      expect(stderr).toContain(`${runId} will end as aborted`);
      expect(exitCode).toBe(0);
      expect(fleet.woken).toEqual([{ runId, key: "cancel", value: { reason: "Cancelled by ada" } }]);
    }
    const fleet = someRuns();
    await command(fleet, ["cancel", "busy", "--reason", "not today"]);
    expect(fleet.woken[0]?.value).toEqual({ reason: "not today" });
  });

  it("leaves one alone that has ended, and its exit code says so", async () => {
    const fleet = someRuns();
    const { exitCode, json, stderr } = await command(fleet, ["cancel", "good", "--json"]);
    expect(exitCode).toBe(1);
    expect(json).toEqual([{ ok: false, runId: "good", state: "ended" }]);
    expect(stderr).toBe("");
    expect((await command(fleet, ["cancel", "bad"])).stderr).toBe("nestbox: bad has ended already: failed\n");
    expect(fleet.woken).toEqual([]);
  });
});

describe("nestbox resume", () => {
  it("lets a halted run try again, and no other", async () => {
    const fleet = someRuns();
    expect((await command(fleet, ["resume", "gone"])).exitCode).toBe(0);
    expect((await command(fleet, ["resume", "busy"])).exitCode).toBe(1);
    expect(fleet.resumed).toEqual(["gone"]);
  });
});

describe("completion", () => {
  it("knows the commands of a fleet and their options, and asks no fleet", async () => {
    const fleet = someRuns();
    Object.assign(fleet.world, { open: () => Promise.reject(new Error("asked")) });
    const next = async (...words: readonly string[]): Promise<readonly string[]> =>
      (await command(fleet, ["__complete", ...words])).stdout
        .split("\n")
        .flatMap((line) => line.split("\t")[0] || []);
    expect(await next("s")).toEqual(["search", "submit", "status"]);
    expect(await next("submit", "--d")).toEqual(["--deadline", "--data"]);
    expect(await next("logs", "x", "--f")).toEqual(["--follow"]);
    expect(await next("approve", "")).toEqual([]);
  });
});
