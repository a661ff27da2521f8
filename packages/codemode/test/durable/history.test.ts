import type { ToolCaller } from "@nestbox/tool";
import { afterAll, describe, expect, test } from "vitest";
import {
  cancelDurable,
  createParking,
  type DurableScript,
  type JournalContents,
  readHistory,
  runDurable,
  type RunHistory,
} from "../../src/durable/index.ts";
import { openSqliteJournal } from "../../src/durable/sqlite/index.ts";
import { createRunner } from "../../src/node/index.ts";
import { durableTools } from "./harness.ts";

const runner = createRunner({ maxProcesses: 2 });
afterAll(() => runner.close());

const deploy = {
  name: "deploy",
  label: "Deploy",
  description: "Deploys",
  parameters: { type: "object" },
  exposure: "direct" as const,
};

/** A run whose `deploy` asks a person; the clock moves by a second with every call. */
function ground() {
  let time = 1_000_000;
  const journal = openSqliteJournal({ path: ":memory:", now: () => time });
  const parking = createParking();
  const clock = { now: () => time, after: (ms: number, run: () => void) => hold(ms, run) };
  const tools = durableTools(() => 0, [deploy]);
  const callerFor = (callId: string): ToolCaller => ({
    tools: tools.tools,
    async executeTool(name, args, options) {
      time += 1_000;
      if (name !== "deploy") return await tools.executeTool(name, args, options);
      const answer = await parking.approver.ask(
        {
          item: {
            callId: `${callId}/1`,
            toolName: name,
            lines: ["to: production"],
            chain: ["script", "deploy"],
            folder: "/project",
            reason: "It deploys",
            rule: "ask.deploy",
            layer: "user",
            fingerprint: "f1",
          },
        },
        { signal: new AbortController().signal },
      );
      const toolCall = { type: "toolCall" as const, id: callId, name, arguments: {} };
      const isError = answer.kind !== "approved";
      return { toolCall, result: { content: [{ type: "text", text: answer.kind }], details: {} }, isError };
    },
  });
  return {
    journal,
    at: (ms: number) => (time = ms),
    run: (runId: string, script?: DurableScript) =>
      runDurable({
        runner,
        journal: journal.run(runId),
        callerFor,
        parking,
        clock,
        ...(script === undefined ? {} : { script }),
      }),
    history: (runId: string) => readHistory(journal.contents(runId)),
  };
}

function hold(_ms: number, _run: () => void): () => void {
  return () => undefined;
}

const code = `await tools.work({ n: 1 });\nawait tools.deploy({ to: "production" });\nreturn "done";`;

describe("what a run has done", () => {
  test("is read from its journal: calls with their times and lines, the question, who decided, the end", async () => {
    const on = ground();
    expect(await on.run("a", { code })).toMatchObject({ state: "parked" });
    expect(on.history("a")).toMatchObject({
      start: { code, environment: { now: 1_000_000 } },
      calls: [
        {
          number: 1,
          call: { name: "work", line: 1 },
          state: "ended",
          begunAt: 1_000_000,
          endedAt: 1_001_000,
          questions: [],
        },
        {
          number: 2,
          call: { name: "deploy", line: 2, args: '{"to":"production"}' },
          state: "waiting",
          begunAt: 1_001_000,
          questions: [
            { key: "2", askedAt: 1_002_000, question: { rule: "ask.deploy", lines: ["to: production"] } },
          ],
        },
      ],
      lastAt: 1_002_000,
    });
    on.at(90_000_000);
    await on.journal.run("a").wake("2", { kind: "approved", fingerprint: "f1", by: "ada" });
    // The decision is there, and nobody has gone on yet.
    expect(on.history("a").calls[1]).toMatchObject({
      state: "begun",
      questions: [{ decision: { kind: "approved", by: "ada", at: 90_000_000 } }],
    });
    expect(await on.run("a")).toMatchObject({ state: "ended", outcome: { ok: true } });
    const history = on.history("a");
    expect(history.calls[1]).toMatchObject({
      state: "ended",
      begunAt: 1_001_000,
      endedAt: 90_001_000,
      end: { kind: "outcome", outcome: { isError: false } },
    });
    expect(history.end).toMatchObject({ outcome: { ok: true, value: "done" }, at: 90_001_000 });
    expect(history.lastAt).toBe(90_001_000);
  });

  test("has the name of a call while it is under way, and of one whose process died in it", async () => {
    const on = ground();
    const seen = Promise.withResolvers<RunHistory>();
    const { tools } = durableTools(() => 0, [deploy]);
    const dying = runDurable({
      runner,
      journal: on.journal.run("a"),
      script: { code: "return await tools.work({ n: 1 })" },
      clock: { now: () => 1_000_000, after: hold },
      callerFor: () => ({
        tools,
        executeTool() {
          seen.resolve(on.history("a"));
          // As of a process that is not heard of any more.
          return new Promise(() => undefined);
        },
      }),
    });
    const known = { number: 1, call: { name: "work", args: '{"n":1}', line: 1 }, begunAt: 1_000_000 };
    expect((await seen.promise).calls).toMatchObject([{ ...known, state: "begun" }]);
    on.at(2_000_000);
    const elsewhere = await on.run("a");
    expect(elsewhere).toMatchObject({ outcome: { ok: false, error: { name: "InterruptedError" } } });
    expect(on.history("a").calls).toMatchObject([{ ...known, state: "interrupted", endedAt: 2_000_000 }]);
    void dying;
  });

  test("is not changed by reading it, and takes the run from nobody", async () => {
    const on = ground();
    const holder = on.journal.run("a");
    await holder.step("1", () => Promise.resolve(1));
    on.history("a");
    expect(await holder.step("2", () => Promise.resolve(2))).toMatchObject({ kind: "done" });
    expect(on.history("none")).toEqual({ calls: [] });
  });

  test("has a decline with its comment, and a cancel with its reason", async () => {
    const on = ground();
    await on.run("a", { code });
    await on.journal.run("a").wake("2", { kind: "declined", comment: "not today" });
    await on.run("a");
    expect(on.history("a").calls[1]).toMatchObject({
      questions: [{ decision: { kind: "declined", comment: "not today" } }],
    });
    await on.run("b", { code });
    await cancelDurable(on.journal.run("b"), "over");
    expect(on.history("b").cancel).toMatchObject({ reason: "over" });
    await on.run("b");
    expect(on.history("b")).toMatchObject({
      calls: [{ state: "ended" }, { state: "waiting" }],
      end: { outcome: { ok: false, error: { kind: "aborted" } } },
    });
  });
});

describe("a journal that is odd", () => {
  const done = (key: string, value: unknown) => ({ key, state: "done" as const, value: value as never });
  const record = (more: object) => ({
    call: { name: "work", hash: "h", args: "{}" },
    at: 5,
    end: { kind: "value", value: { v: 1 } },
    ...more,
  });

  test("of an older version has no times of beginning, and is read", () => {
    const { calls } = readHistory({ steps: [done("1", record({}))], waits: [] });
    expect(calls).toEqual([
      {
        number: 1,
        call: { name: "work", hash: "h", args: "{}" },
        state: "ended",
        endedAt: 5,
        questions: [],
        end: { kind: "value", value: 1 },
      },
    ]);
  });

  test("has calls that were begun or interrupted without their name, in the order of their numbers", () => {
    const contents: JournalContents = {
      steps: [
        { key: "10", state: "begun" },
        { key: "2", state: "interrupted" },
        done("2.at", 70),
        done("3.at", 90),
      ],
      waits: [],
    };
    expect(readHistory(contents).calls).toEqual([
      { number: 2, state: "interrupted", endedAt: 70, questions: [] },
      { number: 3, state: "begun", questions: [] },
      { number: 10, state: "begun", questions: [] },
    ]);
  });

  test("whatever stands in it is no error, and no name of an object's own members is a key", () => {
    for (const value of [
      null,
      1,
      "x",
      [],
      {},
      { call: 1, at: 2, end: 3 },
      record({ end: { kind: "odd" } }),
    ]) {
      const begun = { key: "1", state: "begun" as const, value: value as never };
      expect(readHistory({ steps: [begun], waits: [] }).calls).toMatchObject([{ number: 1, state: "begun" }]);
      for (const key of ["1", "start", "end", "__proto__", "constructor", "t1", "01", "1.1e5", "-1"])
        expect(() =>
          readHistory({ steps: [done(key, value)], waits: [{ key, value: value as never }] }),
        ).not.toThrow();
    }
    expect(readHistory({ steps: [done("__proto__", {}), done("01", {})], waits: [] }).calls).toEqual([]);
  });
});
