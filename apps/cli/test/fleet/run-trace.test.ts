import { createParking, readHistory, runDurable } from "@nestbox/codemode/durable";
import { openSqliteJournal } from "@nestbox/codemode/durable/sqlite";
import { createRunner } from "@nestbox/codemode/node";
import { readRun, type Run } from "@nestbox/inspector";
import { afterAll, describe, expect, it } from "vitest";

import type { FleetContents, FleetRun } from "../../src/fleet/engine.ts";
import { runTrace } from "../../src/fleet/run-trace.ts";
import { HOSTILE } from "../support/fake-fleet.ts";

const runner = createRunner({ maxProcesses: 1 });
afterAll(() => runner.close());

const START = Date.parse("2026-03-01T09:30:00Z");
const day = 86_400_000;
const approveWith = ["nestbox", "approve"];
const token = `ghp_${"a1B2".repeat(9)}`;
const parked: FleetRun = { runId: "release-42", state: "parked", createdAt: START, worker: "worker-a" };

function shown(run: FleetRun, contents: FleetContents, now: number): Run {
  const read = readRun(run.runId, JSON.parse(JSON.stringify(runTrace(run, contents, { approveWith, now }))));
  if (!read.ok) throw new Error(read.message);
  return read.run;
}

/** A journal of a real run whose `deploy` asks a person; every call takes a second of its clock. */
function ground() {
  let time = START;
  const journal = openSqliteJournal({ path: ":memory:", now: () => time });
  const parking = createParking();
  const tool = (name: string) => ({ name, label: name, description: name, parameters: { type: "object" } });
  const callerFor = (callId: string) => ({
    tools: [tool("work"), tool("deploy"), tool("fail")],
    async executeTool(name: string, args: unknown) {
      const toolCall = {
        type: "toolCall" as const,
        id: callId,
        name,
        arguments: args as Record<string, string>,
      };
      const say = (text: string, isError = false) => ({
        toolCall,
        result: { content: [{ type: "text" as const, text }], details: {} },
        isError,
        durationMs: 900,
      });
      time += 1_000;
      if (name === "work") return say(`worked with ${token}`);
      if (name === "fail") return say("it failed", true);
      const item = {
        callId: `${callId}/1`,
        toolName: name,
        lines: ["deploy", `token: ${token}`],
        chain: [],
        folder: "/project",
        reason: "It deploys",
        rule: "ask.deploy",
        layer: "user",
        fingerprint: "f1",
      };
      const answer = await parking.approver.ask({ item }, { signal: new AbortController().signal });
      return answer.kind === "approved" ? say("deployed") : say("Blocked: a person said no", true);
    },
  });
  return {
    at: (ms: number) => (time = ms),
    wake: (key: string, value: Record<string, string>) => journal.run("release-42").wake(key, value),
    carryOn: (code?: string) =>
      runDurable({
        runner,
        journal: journal.run("release-42"),
        callerFor,
        parking,
        clock: { now: () => time, after: () => () => undefined },
        ...(code === undefined ? {} : { script: { code, deadlineMs: 7 * day } }),
      }),
    contents: (): FleetContents => ({ ...journal.contents("release-42"), complete: true }),
  };
}

const code = [
  `const a = await tools.work({ token: "${token}" });`,
  `await ctx.executeTool("fail", {});`,
  `const b = await ctx.executeTool("deploy", { to: "production" });`,
  `text("out"); return b.isError;`,
].join("\n");

describe("the trace of a run of a fleet", () => {
  it("has its calls with their true times, lines, arguments and results, and the wait for a person as one", async () => {
    const on = ground();
    expect(await on.carryOn(code)).toMatchObject({ state: "parked" });
    const waiting = shown(parked, on.contents(), START + 2 * day);
    expect(waiting).toMatchObject({
      name: "release-42",
      startedAt: "2026-03-01T09:30:00.000Z",
      live: true,
      standing: {
        id: "release-42",
        state: "parked",
        worker: "worker-a",
        deadlineAt: "2026-03-08T09:30:00.000Z",
        approveWith,
      },
      script: { limits: expect.arrayContaining([expect.objectContaining({ name: "calls" })]) },
    });
    // Until now, in steps that are seldom news.
    expect(waiting.durationMs).toBeGreaterThan(2 * day - 60_001);
    expect(waiting.durationMs).toBeLessThanOrEqual(2 * day);
    expect(waiting.calls).toMatchObject([
      { id: "release-42:1", name: "work", line: 1, status: "ok", startMs: 0, durationMs: 1_000, runMs: 900 },
      { name: "fail", line: 2, status: "error", error: "it failed", startMs: 1_000, durationMs: 1_000 },
      {
        name: "deploy",
        line: 3,
        status: "waiting",
        startMs: 2_000,
        decision: { effect: "ask", rule: "ask.deploy", layer: "user" },
        waits: [{ key: "3", fromMs: 3_000, reason: "It deploys" }],
      },
    ]);
    on.at(START + 2 * day);
    await on.wake("3", { kind: "approved", fingerprint: "f1", by: "ada", comment: "looked at it" });
    expect(await on.carryOn()).toMatchObject({ state: "ended" });
    const run = shown({ ...parked, state: "ended", ok: true }, on.contents(), START + 9 * day);
    expect(run).toMatchObject({
      live: false,
      durationMs: 2 * day + 1_000,
      standing: { state: "succeeded" },
      script: { outcome: { ok: true, value: "false" }, output: [{ kind: "text", text: "out" }] },
    });
    expect(run.calls[2]).toMatchObject({
      status: "ok",
      durationMs: 2 * day - 1_000,
      runMs: 900,
      // What the rule said, whatever came of it.
      decision: { effect: "ask", rule: "ask.deploy", layer: "user" },
      waits: [{ fromMs: 3_000, toMs: 2 * day, decision: "approved", by: "ada", comment: "looked at it" }],
    });
  });

  it("has a halted run as one in which nothing runs, however long ago that was", async () => {
    const on = ground();
    await on.carryOn(code);
    on.at(START + 10_000);
    await on.wake("3", { kind: "approved", fingerprint: "f1", by: "ada" });
    const halted: FleetRun = { ...parked, state: "halted", message: "removed tool deploy" };
    const run = shown(halted, on.contents(), START + 3 * day);
    expect(run).toMatchObject({
      durationMs: 10_000,
      standing: { state: "halted", message: "removed tool deploy" },
    });
    expect(run.calls[2]).toMatchObject({
      name: "deploy",
      status: "halted",
      decision: { effect: "ask", rule: "ask.deploy" },
      waits: [{ decision: "approved", by: "ada" }],
    });
    expect(shown({ ...halted, state: "running" }, on.contents(), START + 12_000).calls[2]?.status).toBe(
      "running",
    );
  });

  it("takes secrets out, which the journal has as they were", async () => {
    const on = ground();
    await on.carryOn(code);
    expect(JSON.stringify(on.contents())).toContain(token);
    const trace = JSON.stringify(shown(parked, on.contents(), START));
    expect(trace).not.toContain(token);
    expect(trace).toContain("[redacted");
  });

  it("has a no as a denial with its comment, and what a run did not wait for when it was ended", async () => {
    const on = ground();
    await on.carryOn(code);
    await on.wake("3", { kind: "declined", comment: "not on a Friday" });
    await on.carryOn();
    const run = shown({ ...parked, state: "ended", ok: true }, on.contents(), START);
    expect(run.calls[2]).toMatchObject({
      status: "denied",
      waits: [{ decision: "declined", comment: "not on a Friday" }],
    });
    const other = ground();
    await other.carryOn(code);
    other.at(START + 11_000);
    await other.wake("cancel", { reason: "not today" });
    await other.carryOn();
    const cancelled = shown({ ...parked, state: "ended", ok: false }, other.contents(), START);
    expect(cancelled).toMatchObject({
      live: false,
      standing: { state: "aborted", cancel: "not today" },
      script: { outcome: { ok: false, error: { kind: "aborted", message: "not today" } } },
    });
    expect(cancelled.calls[2]).toMatchObject({
      name: "deploy",
      status: "cancelled",
      startMs: 2_000,
      // It waited until the run was over.
      durationMs: 9_000,
    });
  });
});

describe("what a journal does not have", () => {
  const step = (key: string, value: unknown) => ({ key, state: "done" as const, value: value as never });
  const call = (more: object) => ({
    call: { name: "work", hash: "h", args: '{"n":1}', line: 2 },
    at: START + 5_000,
    end: { kind: "value", value: { v: 7 } },
    ...more,
  });
  const contents = (...steps: FleetContents["steps"]): FleetContents => ({
    steps,
    waits: [],
    complete: true,
  });
  const running: FleetRun = { runId: "r", state: "running", createdAt: START };

  it("is not made up: a call without a beginning is placed at its end, one without a name has its number", () => {
    const run = shown(
      running,
      contents(
        step("1", call({})),
        { key: "2", state: "begun" },
        { key: "3", state: "interrupted" },
        step("3.at", START + 9_000),
      ),
      START + 10_000,
    );
    expect(run.calls).toMatchObject([
      { name: "work", status: "ok", untimed: true, startMs: 5_000, durationMs: 0, result: "7" },
      { name: "call 2", status: "running", untimed: true },
      {
        name: "call 3",
        status: "error",
        error: expect.stringContaining("whether it had its effect is not known"),
      },
    ]);
    expect(run.calls[1]?.durationMs).toBeUndefined();
    expect(run.durationMs).toBe(10_000);
  });

  it("is told of a value that is too large to be read", () => {
    const head = JSON.stringify(call({})).slice(0, 120);
    const run = shown(
      running,
      contents({ key: "1", state: "done", large: { bytes: 40_000_000, head } }),
      START + 6_000,
    );
    expect(run.calls).toMatchObject([
      { name: "work", status: "ok", startMs: 5_000, result: expect.stringContaining("40000000 bytes") },
    ]);
  });

  it("leaves a page of nothing, whatever stands there", () => {
    expect(shown({ runId: "r", state: "queued" }, contents(), START)).toMatchObject({
      live: true,
      standing: { state: "queued" },
      calls: [],
    });
    for (const value of [
      null,
      5,
      "x",
      [],
      {},
      { call: 1 },
      call({ at: Number.MAX_VALUE }),
      call({ at: -1e300 }),
    ])
      for (const key of ["start", "1", "end", "__proto__", "1.at"])
        expect(() =>
          shown(running, { ...contents(step(key, value)), waits: [{ key, value: value as never }] }, START),
        ).not.toThrow();
    expect(readHistory(contents(step("__proto__", {}))).calls).toEqual([]);
  });

  it("has hostile text as text", () => {
    const run = shown(
      { runId: "r", state: "halted", message: HOSTILE, worker: HOSTILE },
      contents(step("1", call({ call: { name: HOSTILE, hash: HOSTILE, args: HOSTILE } }))),
      START,
    );
    expect(run.calls[0]?.name).toBe(HOSTILE);
    expect(run.standing?.message).toBe(HOSTILE);
  });
});
