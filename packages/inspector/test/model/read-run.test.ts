import { describe, expect, it } from "vitest";

import { MAX_CALLS, readRun } from "../../src/model/read-run.ts";
import { buildTree } from "../../src/model/tree.ts";
import { call, exampleTrace, hostileTrace } from "../support/traces.ts";
import { parkedTrace } from "../support/fleet.ts";
import { runOf } from "../support/read.ts";

const header = { schema: "nestbox.call-trace", version: 1, durationMs: 5, omitted: 2 };

describe("a trace that is read", () => {
  it("has every call with its parent, its script with output and limits, and its head", () => {
    const run = runOf(exampleTrace(), "review.json");
    expect(run).toMatchObject({ name: "review.json", durationMs: 1_460, omitted: 0, live: false });
    expect(run.calls).toHaveLength(14);
    expect(run.calls.map(({ parent }) => parent ?? "")).toEqual([
      "",
      "",
      "",
      "",
      "run/4",
      "run/4",
      "",
      "run/5",
      "run/5",
      "",
      "run/6",
      "run/6",
      "",
      "",
    ]);
    expect(run.calls[12]).toMatchObject({
      name: "publish",
      line: 14,
      status: "denied",
      decision: { effect: "deny", rule: "no-publishing", layer: "managed" },
    });
    expect(run.calls[12]).not.toHaveProperty("result");
    expect(run.script?.limits).toHaveLength(6);
    expect(run.script?.outcome).toMatchObject({ ok: true });
  });

  it("is live while its script runs, or without a script while a call runs", () => {
    const trace = exampleTrace();
    expect(runOf({ ...trace, script: { ...trace.script, state: "running" } }).live).toBe(true);
    const running = { ...header, calls: [call("a", "a", { status: "running" })] };
    expect(runOf(running).live).toBe(true);
    expect(runOf({ ...running, script: { text: "", state: "ended" } }).live).toBe(false);
  });

  it("is refused with what to do when it is none", () => {
    for (const value of [undefined, null, 1, "text", [], {}, { schema: "other", version: 1, calls: [] }])
      expect(readRun("a", value)).toMatchObject({ ok: false, message: expect.stringContaining("no trace") });
    expect(readRun("a", { ...header, version: 2, calls: [] })).toMatchObject({
      ok: false,
      message: expect.stringContaining("another version"),
    });
    expect(readRun("a", header)).toMatchObject({ ok: false, message: expect.stringContaining("list") });
  });

  it("keeps nothing of a wrong type, and calls what is unknown an error", () => {
    const run = runOf({
      ...header,
      durationMs: -1,
      omitted: "many",
      startedAt: 5,
      script: {
        text: 7,
        output: [1, { kind: "text" }, { kind: "odd", text: "kept" }],
        limits: [{ name: 1 }, null],
      },
      calls: [
        null,
        5,
        {
          id: 1,
          name: {},
          startMs: "0",
          durationMs: -4,
          status: "fine",
          decision: { effect: "maybe" },
          line: "3",
        },
      ],
    });
    expect(run).toEqual({
      name: "a.json",
      durationMs: 0,
      omitted: 0,
      live: false,
      script: {
        text: "",
        output: [{ kind: "text", text: "kept" }],
        outputOmitted: 0,
        limits: [],
      },
      calls: [{ key: "", id: "", name: "", startMs: 0, status: "error", updates: 0 }],
    });
  });

  it("may be as deep and as long as a file can be: depth costs no stack, and what is too much is counted", () => {
    const depth = 50_000;
    const deep = `${'{"id":"a","name":"a","startMs":0,"status":"ok","updates":0,"children":['.repeat(depth)}${"]}".repeat(depth)}`;
    const read = readRun("deep", {
      ...header,
      calls: [JSON.parse(deep)],
    });
    const run = read.ok ? read.run : undefined;
    expect(run?.calls).toHaveLength(depth);
    expect(buildTree(run ?? { calls: [], durationMs: 0 }).nodes.at(-1)?.level).toBe(depth);
    const many = readRun("many", {
      ...header,
      calls: Array.from({ length: MAX_CALLS + 10 }, (_, n) => ({ id: `${n}`, name: "n", startMs: 0 })),
    });
    expect(many.ok && many.run.calls.length).toBe(MAX_CALLS);
    expect(many.ok && many.run.omitted).toBe(12);
  });

  it("keeps calls apart whose ids are the same or names of an object's own members", () => {
    const run = runOf(hostileTrace());
    expect(new Set(run.calls.map(({ key }) => key)).size).toBe(4);
    const { roots, byKey } = buildTree(run);
    expect(roots).toHaveLength(1);
    expect(roots[0]?.children.map(({ call: { id } }) => id)).toEqual([
      "__proto__",
      "constructor",
      "__proto__",
    ]);
    expect(byKey.get("toString")).toBeUndefined();
  });

  it("has a run of a fleet with how it stands, and each wait for a person", () => {
    const run = runOf(parkedTrace());
    expect(run).toMatchObject({
      live: true,
      standing: {
        id: "release-42",
        state: "parked",
        approveWith: ["nestbox", "approve", "--config", "fleet.jsonc"],
      },
    });
    expect(run.calls.map(({ status }) => status)).toEqual(["ok", "ok", "ok", "ok", "ok", "waiting"]);
    expect(run.calls[3]?.waits).toMatchObject([
      { decision: "approved", by: "ada", comment: "after the freeze" },
    ]);
    // Nothing runs in a run that is halted; what waits for a person still does.
    const halted = runOf({
      ...parkedTrace({ run: { id: "release-42", state: "halted", resumeWith: ["nestbox", "resume"] } }),
      calls: [call("a", "a", { status: "running" }), ...(parkedTrace()["calls"] as object[]).slice(-1)],
    });
    expect(halted.calls.map(({ status }) => status)).toEqual(["halted", "waiting"]);
    expect(halted.standing?.resumeWith).toEqual(["nestbox", "resume"]);
    expect(
      runOf({
        ...header,
        run: { id: 1, state: "gone", approveWith: "rm" },
        calls: [
          call("a", "a", {
            waits: [5, { fromMs: "x" }, { fromMs: 1, decision: "maybe", lines: [1, "kept"] }],
          }),
        ],
      }),
    ).toMatchObject({
      standing: { id: "", state: "ended", approveWith: [] },
      calls: [{ status: "ok", waits: [{ key: "", fromMs: 1, lines: ["kept"] }] }],
    });
  });
});
