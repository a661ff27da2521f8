import { stripVTControlCharacters } from "node:util";

import type { JsonValue } from "@nestbox/tool";
import { describe, expect, it } from "vitest";

import type { FleetContents, FleetStep } from "../../src/fleet/engine.ts";
import { oneLine } from "../../src/report/safe-text.ts";
import { away, command, ended, failed, fakeFleet, HOSTILE, NOW, OBEYED } from "../support/fake-fleet.ts";

const LIMITS = {
  cpuMs: 30_000,
  memoryMb: 256,
  maxSourceChars: 1_000_000,
  maxOutputChars: 1_000_000,
  maxOutputItems: 1_000,
  maxFrameBytes: 268_435_456,
  maxValueChars: 67_108_864,
  maxCalls: 100_000,
  maxCallsInFlight: 1_024,
  maxDepth: 512,
  maxLogLines: 100_000,
  maxTimers: 10_000,
};

const start = (deadlineMs?: number): FleetStep => ({
  key: "start",
  state: "done",
  value: {
    format: 1,
    code: "return 1",
    store: {},
    limits: LIMITS,
    environment: { now: NOW, seed: 1, timeZone: "UTC", locale: "en-US" },
    tools: {},
    globals: [],
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  },
});

const step = (key: string, name: string, seconds: number, end: JsonValue): FleetStep => ({
  key,
  state: "done",
  value: {
    call: { name, hash: "h", args: '{"n":1}', line: 3 },
    from: NOW + seconds * 1_000 - 250,
    at: NOW + seconds * 1_000,
    end,
  },
});

const outcome = (text: string, more: Record<string, JsonValue> = {}): JsonValue => ({
  kind: "outcome",
  outcome: {
    v: {
      toolCall: { type: "toolCall", id: "c", name: "t", arguments: {} },
      result: { content: [{ type: "text", text }], details: {} },
      isError: false,
      ...more,
    },
  },
});

const asked = (reason: string): JsonValue => ({
  kind: "asked",
  question: { toolName: "deploy", reason, fingerprint: "f" },
});

const contents: FleetContents = {
  complete: true,
  // As an engine may give them: in no order.
  steps: [
    step(
      "5",
      "remove",
      61,
      outcome("no", { isError: true, decision: { effect: "deny", rule: "keep", layer: "user" } }),
    ),
    step("2.2", "deploy", 3_600, outcome("deployed")),
    start(604_800_000),
    step("1", "read", 1, outcome("text")),
    step("2", "deploy", 2, asked("Others will see it")),
    step("3", "fetch", 62, { kind: "thrown", name: "TypeError", message: "no such host" }),
    step("4", "count", 63, outcome("it is broken", { isError: true })),
    { key: "6", state: "interrupted" },
    { key: "6.at", state: "done", value: NOW + 64_000 },
    {
      key: "7",
      state: "done",
      large: {
        bytes: 40_000_000,
        head: `{"call":{"name":"export","hash":"h","args":"{\\"},\\\\\\"at\\\\\\":1","line":9},"from":1,"at":${NOW + 65_000},"end":{"kind":"outcome"`,
      },
    },
    { key: "8", state: "begun" },
  ],
  waits: [
    {
      key: "2",
      askedAt: NOW + 2_000,
      question: {},
      value: { kind: "approved", by: "bob", comment: "go", at: NOW + 3_599_000 },
      wokenAt: NOW + 3_599_000,
    },
  ],
};

/** As engines keep them that are told what begins, and find who has died. */
const dying: FleetContents = {
  ...contents,
  steps: [
    ...contents.steps,
    {
      key: "9",
      state: "begun",
      value: { call: { name: "deploy", hash: "h", args: '{"n":9}', line: 4 }, from: NOW + 66_000 },
    },
    {
      key: "10",
      state: "interrupted",
      value: { call: { name: "remove", hash: "h", args: "{}" }, from: NOW + 66_500 },
    },
    { key: "10.at", state: "done", value: NOW + 68_000 },
  ],
  deaths: [{ worker: `worker-1${HOSTILE}`, at: NOW + 67_000, again: true }],
};

const HUMAN = [
  "2026-03-01 UTC",
  "12:00:00  begun, to end within 7 d",
  '12:00:01  #1 read {"n":1}  ok  250 ms',
  '12:00:02  #2 deploy {"n":1}  waits for an answer (key 2)',
  "            Others will see it",
  '12:01:01  #5 remove {"n":1}  denied  250 ms',
  "            keep (user)",
  '12:01:02  #3 fetch {"n":1}  error  250 ms',
  "            TypeError: no such host",
  '12:01:03  #4 count {"n":1}  error  250 ms',
  "            it is broken",
];

describe("nestbox logs", () => {
  it("tells each call with its time and what came of it, questions, answers and who gave them", async () => {
    const run = { runId: "x", state: "running", worker: "w" } as const;
    const fleet = fakeFleet([{ run, contents: dying }]);
    const { stdout, stderr, exitCode } = await command(fleet, ["logs", "x"]);
    expect(stdout.trimEnd().split("\n")).toEqual([
      ...HUMAN,
      "12:01:04  #6 a call  interrupted",
      "            its worker died inside it; it was not made again",
      '12:01:05  #7 export {"},\\"at\\":1  large',
      "            a result of 40000000 bytes",
      "          #8 a call  running",
      '12:01:06  #9 deploy {"n":9}  running',
      `12:01:07  its worker ${oneLine(`worker-1${HOSTILE}`)} died; another one goes on`,
      "12:01:08  #10 remove {}  interrupted",
      "            its worker died inside it; it was not made again",
      "12:59:59  #2 deploy  approved by bob",
      "            go",
      '13:00:00  #2 deploy {"n":1}  ok',
    ]);
    expect(stderr).toBe("nestbox: x is running: on w\n");
    expect(exitCode).toBe(0);
  });

  it("lets what was approved run from the answer on, and not before somebody has taken it up", async () => {
    const question = step("2", "deploy", 2, asked("Others will see it"));
    const log = async (...steps: readonly FleetStep[]): Promise<readonly string[]> => {
      const fleet = fakeFleet([
        { run: { runId: "x", state: "halted" }, contents: { ...contents, steps: [start(), ...steps] } },
      ]);
      const { stdout } = await command(fleet, ["logs", "x"]);
      return stdout.trimEnd().split("\n").slice(-3);
    };
    const answered = ["12:59:59  #2 deploy  approved by bob", "            go"];
    expect((await log(question)).slice(1)).toEqual(answered);
    expect(await log(question, { key: "2.2", state: "begun" })).toEqual([
      ...answered,
      '12:59:59  #2 deploy {"n":1}  running',
    ]);
  });

  it("prints a JSON object a line, the last one about the run", async () => {
    const fleet = fakeFleet([
      {
        run: { runId: "x", state: "ended", ok: true },
        contents: { ...contents, steps: [start()] },
        outcome: ended(7),
      },
    ]);
    const { json } = await command(fleet, ["logs", "x", "--json"]);
    expect(json[0]).toEqual({ type: "start", runId: "x", at: "2026-03-01T12:00:00.000Z" });
    expect(json.at(-1)).toMatchObject({
      type: "run",
      runId: "x",
      succeeded: true,
      outcome: { ok: true, value: 7 },
    });
    const all = await command(fakeFleet([{ run: { runId: "x", state: "running" }, contents }]), [
      "logs",
      "x",
      "--json",
    ]);
    expect(all.json.map(({ type }) => type)).toEqual([
      "start",
      "call",
      "asked",
      "call",
      "call",
      "call",
      "call",
      "call",
      "call",
      "answered",
      "call",
      "run",
    ]);
    expect(all.json[9]).toEqual({
      type: "answered",
      key: "2",
      call: 2,
      name: "deploy",
      arguments: '{"n":1}',
      line: 3,
      answer: "approved",
      by: "bob",
      comment: "go",
      runId: "x",
      at: "2026-03-01T12:59:59.000Z",
    });
  });

  it("follows a run to its end, each event once, through an absence of the server", async () => {
    const fleet = fakeFleet([
      { run: { runId: "x", state: "running" }, contents: { ...contents, waits: [], steps: [start()] } },
    ]);
    let pauses = 0;
    fleet.onLook = (look) => {
      if (look > 4 && look < 8) throw away();
    };
    fleet.onPause = () => {
      pauses++;
      const steps = [start(), ...contents.steps.filter(({ key }) => key === "1")];
      if (pauses === 1)
        fleet.runs.set("x", {
          run: { runId: "x", state: "running" },
          contents: { ...contents, waits: [], steps },
        });
      if (pauses === 9)
        fleet.runs.set("x", {
          run: { runId: "x", state: "ended" },
          contents: {
            complete: true,
            steps: [
              ...steps,
              { key: "end", state: "done", value: JSON.parse(JSON.stringify(ended("bye"))) as JsonValue },
            ],
            waits: [{ key: "end", value: true, wokenAt: NOW + 5_000 }],
          },
          outcome: ended("bye"),
        });
    };
    const { stdout, stderr, exitCode } = await command(fleet, ["logs", "x", "--follow"]);
    expect(stdout).toBe(
      [
        "2026-03-01 UTC",
        "12:00:00  begun",
        '12:00:01  #1 read {"n":1}  ok  250 ms',
        "12:00:05  ended",
        "bye",
        "",
      ].join("\n"),
    );
    expect(stderr).toBe(
      "nestbox: The database does not answer; trying until it does\nnestbox: the server answers again\n",
    );
    expect(exitCode).toBe(0);
  });

  it("stops following what has been removed", async () => {
    const fleet = fakeFleet([{ run: { runId: "x", state: "parked", waitingFor: 1 }, contents }]);
    let pauses = 0;
    fleet.onPause = () => {
      if (++pauses === 2) fleet.runs.delete("x");
      if (pauses > 20) throw new Error("It looks on and on");
    };
    const { stderr, exitCode } = await command(fleet, ["logs", "x", "--follow"]);
    expect(stderr).toContain("There is no run x in this fleet");
    expect(exitCode).toBe(2);
  });

  it("goes on with a run that a server which has come back does not have again at once", async () => {
    const run = { runId: "x", state: "parked", waitingFor: 1 } as const;
    const fleet = fakeFleet([{ run, contents }]);
    let pauses = 0;
    fleet.onPause = () => {
      if (++pauses === 1) fleet.runs.delete("x");
      if (pauses === 4)
        fleet.runs.set("x", {
          run: { runId: "x", state: "ended", ok: true },
          contents,
          outcome: ended("bye"),
        });
    };
    const { stdout, stderr, exitCode } = await command(fleet, ["logs", "x", "--follow"]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/bye\n$/);
  });

  it("stops following what is halted, and when it is interrupted", async () => {
    const halted = fakeFleet([{ run: { runId: "x", state: "halted", message: "changed" }, contents }]);
    expect(await command(halted, ["logs", "x", "-f"])).toMatchObject({
      exitCode: 0,
      stderr: "nestbox: x is halted: changed\n",
    });
    const controller = new AbortController();
    const running = fakeFleet([{ run: { runId: "x", state: "parked", waitingFor: 1 }, contents }]);
    running.onPause = () => controller.abort();
    const told = await command(running, ["logs", "x", "-f"], { signal: controller.signal });
    expect(told).toMatchObject({ exitCode: 130, stderr: "nestbox: x is parked: waits for 1 answer\n" });
  });

  it("fails where the server is away from the beginning", async () => {
    const fleet = fakeFleet();
    fleet.onLook = () => {
      throw away();
    };
    const told = await command(fleet, ["logs", "x", "-f", "--json"]);
    expect(told.exitCode).toBe(7);
    expect(told.json).toMatchObject([
      { ok: false, error: { kind: "fleet", message: "The database does not answer" } },
    ]);
  });

  it("tells of a failed run what its error was", async () => {
    const fleet = fakeFleet([
      {
        run: { runId: "x", state: "ended", ok: false },
        contents: { ...contents, waits: [], steps: [start()] },
        outcome: failed("it broke"),
      },
    ]);
    const { stderr, exitCode } = await command(fleet, ["logs", "x"]);
    expect(stderr).toContain("Error: it broke");
    expect(exitCode).toBe(0);
  });

  it.each([40, 80, 140])("breaks its lines at the %i columns of a terminal", async (columns) => {
    const fleet = fakeFleet([{ run: { runId: "x", state: "running" }, contents }]);
    const { stdout } = await command(fleet, ["logs", "x"], { columns });
    for (const line of stripVTControlCharacters(stdout).split("\n"))
      expect(line.length).toBeLessThanOrEqual(columns);
  });

  it("shows nothing to a terminal that it would obey, whoever wrote it", async () => {
    const hostile: FleetContents = {
      complete: true,
      steps: [
        start(),
        {
          key: "1",
          state: "done",
          value: {
            call: { name: HOSTILE, hash: "h", args: HOSTILE },
            at: NOW,
            end: { kind: "asked", question: { reason: HOSTILE } },
          },
        },
        step("2", HOSTILE, 1, { kind: "thrown", name: HOSTILE, message: HOSTILE }),
        step("3", HOSTILE, 1, outcome(HOSTILE, { isError: true })),
        { key: "4", state: "done", large: { bytes: 1, head: HOSTILE } },
      ],
      waits: [
        { key: "1", value: { kind: "approved", by: HOSTILE, comment: HOSTILE } },
        { key: "cancel", value: { reason: HOSTILE } },
      ],
    };
    const fleet = fakeFleet([
      { run: { runId: "x", state: "ended", ok: false }, contents: hostile, outcome: failed(HOSTILE) },
    ]);
    const { stdout, stderr } = await command(fleet, ["logs", "x"]);
    expect(stdout).toContain("to be cancelled");
    expect(stdout + stderr).not.toMatch(OBEYED);
    // In a terminal there are colours, which are ours.
    const shown = await command(fleet, ["logs", "x"], { columns: 80 });
    expect(shown.stdout.replaceAll(/\u001b\[\d+m/g, "")).not.toMatch(OBEYED);
  });

  it("reads what has any shape without an exception", async () => {
    const odd: readonly JsonValue[] = [
      null,
      0,
      "x",
      [],
      {},
      { call: null },
      { call: { name: 1 } },
      { end: {} },
    ];
    const steps = odd.flatMap((value, index) => [
      { key: String(index + 1), state: "done" as const, value },
      {
        key: ["start", "end", "engine", "t1", "__proto__", "1.2", "0", "9.at"][index] ?? "",
        state: "done" as const,
        value,
      },
    ]);
    const waits = odd.map((value, index) => ({ key: String(index), value }));
    const fleet = fakeFleet([
      { run: { runId: "x", state: "running" }, contents: { steps, waits, complete: false } },
    ]);
    expect((await command(fleet, ["logs", "x"])).exitCode).toBe(0);
  });
});
