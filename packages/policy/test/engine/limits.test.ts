import { describe, expect, it } from "vitest";
import type { JsonObject } from "@nestbox/tool";

import type { CallHistory } from "../../src/index.ts";
import { fingerprint } from "../../src/gate/fingerprint.ts";
import { call, engineOf, layer } from "./support.ts";

type Past = CallHistory["calls"][number];

const done = (toolName: string, input: JsonObject, result: string, more: Partial<Past> = {}): Past => ({
  callId: `${toolName}-${JSON.stringify(input)}-${result}`,
  rootId: "root",
  toolName,
  inputHash: fingerprint(input),
  resultHash: result,
  state: "done",
  writes: [],
  ...more,
});
const tool = (name: string, input: JsonObject = {}, more: object = {}) =>
  call(name, input, { source: { kind: "extension" }, ...more });
const allowed = { id: "ok", effect: "allow", tool: "*" };
const engineWith = (...rules: readonly object[]) => engineOf([layer("user", { rules: [allowed, ...rules] })]);

describe("a budget applies from the call after the last one that is free", () => {
  const budget = { id: "budget", effect: "ask", tool: "t", limit: { calls: 2, per: "tool" } };
  const history = (count: number, toolName = "t") => ({
    calls: Array.from({ length: count }, (_, index) => done(toolName, { index }, "r")),
  });
  it("calls of one tool", () => {
    const engine = engineWith(budget);
    expect(engine.evaluate(tool("t"), history(1)).effect).toBe("allow");
    expect(engine.evaluate(tool("t"), history(2))).toMatchObject({ effect: "ask", rule: "budget" });
    expect(engine.evaluate(tool("t"), history(5, "other")).effect).toBe("allow");
    expect(engine.evaluate(tool("other"), history(5)).effect).toBe("allow");
  });
  it("denied calls cost nothing", () => {
    const calls = history(4).calls.map((one) => ({ ...one, state: "denied" as const }));
    expect(engineWith(budget).evaluate(tool("t"), { calls }).effect).toBe("allow");
  });
  it("calls that have the id of this one, where a provider begins anew in every answer", () => {
    const again = history(2).calls.map((one) => ({ ...one, callId: "call_0" }));
    const evaluate = (calls: readonly Past[], chain: readonly object[] = []) =>
      engineWith(budget).evaluate(tool("t", {}, { callId: "call_0", chain }), { calls }).rule;
    expect(evaluate(again)).toBe("budget");
    // What was denied under it was asked about all the same.
    const asked = engineWith({
      id: "asked",
      effect: "deny",
      tool: "t",
      limit: { prompts: 1, per: "session" },
    });
    const declined = done("t", {}, "", { callId: "call_0", state: "denied", prompted: true });
    expect(asked.evaluate(tool("t", {}, { callId: "call_0" }), { calls: [declined] }).rule).toBe("asked");
    // The call itself, and the one that makes it, are none of those that came before.
    const running = again.map((one) => ({ ...one, state: "approved" as const }));
    expect(evaluate(running)).toBe("ok");
    const outer = running.map((one) => ({ ...one, callId: "call_1" }));
    expect(evaluate(outer, [{ callId: "call_1", toolName: "t" }])).toBe("ok");
    expect(evaluate(outer)).toBe("budget");
  });
  it("calls below one root call", () => {
    const engine = engineWith({ id: "chain", effect: "deny", tool: "*", limit: { calls: 2, per: "chain" } });
    const chain = [{ callId: "root", toolName: "orchestrate" }];
    const calls = [done("a", {}, "r", { callId: "root/1" }), done("b", {}, "r", { callId: "root/2" })];
    expect(engine.evaluate(tool("c", {}, { callId: "root/3", chain }), { calls })).toMatchObject({
      effect: "deny",
      rule: "chain",
    });
    expect(
      engine.evaluate(tool("c", {}, { callId: "x/1", chain: [{ callId: "x", toolName: "orchestrate" }] }), {
        calls,
      }).effect,
    ).toBe("allow");
  });
  it("calls of one script, at any depth, though ids of a provider hold slashes", () => {
    const engine = engineWith({ id: "script", effect: "ask", tool: "*", limit: { calls: 2, per: "script" } });
    const chain = [{ callId: "p/1", toolName: "codemode" }];
    const calls = [
      done("a", {}, "r", { callId: "p/1/1" }),
      done("b", {}, "r", { callId: "p/1/1/1" }),
      done("z", {}, "r", { callId: "p/10/1" }),
    ];
    expect(engine.evaluate(tool("c", {}, { callId: "p/1/2", chain }), { calls })).toMatchObject({
      effect: "ask",
      rule: "script",
    });
    expect(
      engine.evaluate(
        tool("c", {}, { callId: "p/10/2", chain: [{ callId: "p/10", toolName: "codemode" }] }),
        { calls },
      ).effect,
    ).toBe("allow");
    expect(engine.evaluate(tool("c"), { calls }).effect).toBe("allow");
  });
  it("calls of the innermost script, where one runs another", () => {
    const engine = engineWith({ id: "script", effect: "ask", tool: "*", limit: { calls: 2, per: "script" } });
    const chain = [
      { callId: "s", toolName: "codemode" },
      { callId: "s/3", toolName: "codemode" },
    ];
    const outer = [done("a", {}, "1", { callId: "s/1" }), done("a", {}, "2", { callId: "s/2" })];
    const inner = [done("a", {}, "3", { callId: "s/3/1" }), done("a", {}, "4", { callId: "s/3/2" })];
    const request = tool("b", {}, { callId: "s/3/3", chain });
    expect(engine.evaluate(request, { calls: [...outer, ...inner.slice(1)] }).rule).toBe("ok");
    expect(engine.evaluate(request, { calls: [...outer, ...inner] }).rule).toBe("script");
  });
  it("prompts of one script", () => {
    const engine = engineWith({
      id: "prompts",
      effect: "deny",
      tool: "*",
      limit: { prompts: 1, per: "script" },
    });
    const chain = [{ callId: "s", toolName: "codemode" }];
    const calls = [done("a", {}, "r", { callId: "s/1", prompted: true })];
    expect(engine.evaluate(tool("b", {}, { callId: "s/2", chain }), { calls })).toMatchObject({
      effect: "deny",
      rule: "prompts",
    });
    expect(
      engine.evaluate(tool("b", {}, { callId: "s/2", chain }), {
        calls: calls.map((one) => ({ ...one, prompted: false })),
      }).effect,
    ).toBe("allow");
  });
});

describe("a loop is the same again with the same result", () => {
  const loops = [
    { id: "loop", effect: "ask", tool: "*", loop: { identical: 3 } },
    { id: "cycle", effect: "ask", tool: "*", loop: { cycles: 3 } },
  ];
  const run = (
    names: string,
    next: string,
    result: (name: string, index: number) => string = (name) => name,
  ) => {
    const calls = names.split("").map((name, index) => done("t", { name }, result(name, index)));
    return engineWith(...loops).evaluate(tool("t", { name: next }), { calls }).rule;
  };
  it.each([
    ["aa", "a", "loop"],
    ["a", "a", "ok"],
    ["aab", "a", "ok"],
    ["ababa", "b", "cycle"],
    ["abab", "a", "ok"],
    ["abcabcab", "c", "cycle"],
    ["abcdabcdabc", "d", "cycle"],
    ["abcdeabcdeabcd", "e", "cycle"],
    ["abcdefabcdefabcde", "f", "ok"],
    ["xababa", "b", "cycle"],
    ["ababx", "a", "ok"],
  ])("%s then %s: %s", (names, next, ruleId) => {
    expect(run(names, next)).toBe(ruleId);
  });
  it("a different result is progress", () => {
    expect(run("aa", "a", (_name, index) => `${index}`)).toBe("ok");
    expect(run("ababa", "b", (name, index) => (index === 0 ? "other" : name))).toBe("ok");
  });
  it("other arguments are another call, however the keys are ordered", () => {
    const calls = [done("t", { a: 1, b: 2 }, "r"), done("t", { b: 2, a: 1 }, "r")];
    expect(engineWith(...loops).evaluate(tool("t", { b: 2, a: 1 }), { calls }).rule).toBe("loop");
    expect(engineWith(...loops).evaluate(tool("t", { b: 2, a: 3 }), { calls }).rule).toBe("ok");
  });
  it("calls are alike whatever their ids are, also where a provider gives the same again", () => {
    const calls = ["a", "a"].map((name) => done("t", { name }, "r", { callId: "call_0" }));
    expect(
      engineWith(...loops).evaluate(tool("t", { name: "a" }, { callId: "call_0" }), { calls }).rule,
    ).toBe("loop");
  });
  it("a result that nobody told is no result that repeats", () => {
    const calls = ["a", "b", "a", "b", "a"].map((name) => {
      const { resultHash: _, ...call } = done("t", { name }, "r");
      return call;
    });
    const engine = engineWith(...loops);
    expect(engine.evaluate(tool("t", { name: "b" }), { calls }).rule).toBe("ok");
    expect(engine.evaluate(tool("t", { name: "a" }), { calls: [calls[0]!, calls[0]!] }).rule).toBe("ok");
  });
  it("the calls that lead to this one are no part of a loop", () => {
    const calls = [
      done("t", { name: "a" }, "r"),
      done("codemode", {}, "", { callId: "c", state: "approved" }),
      done("t", { name: "a" }, "r"),
    ];
    expect(
      engineWith(...loops).evaluate(
        tool("t", { name: "a" }, { callId: "c/2", chain: [{ callId: "c", toolName: "codemode" }] }),
        { calls },
      ).rule,
    ).toBe("loop");
  });
});

describe("a call of the same batch that is approved and has not finished", () => {
  const inside = { id: "in", effect: "allow", path: { outside: false } };
  const engine = engineOf([layer("user", { rules: [inside] })]);
  const link = (writes: readonly string[], state: Past["state"]) => ({
    calls: [done("bash", {}, "", { callId: "b", state, writes })],
  });
  it.each([
    ["the same file", ["/w/notes.txt"], "notes.txt", "ask"],
    ["a folder above it", ["/w/sub"], "sub/notes.txt", "ask"],
    ["something below it", ["/w/sub/x"], "sub", "ask"],
    ["the same file in other letters", ["/w/NOTES.txt"], "notes.txt", "ask"],
    ["another file", ["/w/other.txt"], "notes.txt", "allow"],
    ["a file whose name begins alike", ["/w/notes"], "notes.txt", "allow"],
  ] as const)("writing %s", (_title, writes, path, effect) => {
    expect(engine.evaluate(call("read", { path }), link(writes, "approved")).effect).toBe(effect);
  });
  it("that has finished, or was denied, changes nothing any more", () => {
    expect(engine.evaluate(call("read", { path: "a" }), link(["/w/a"], "done")).effect).toBe("allow");
    expect(engine.evaluate(call("read", { path: "a" }), link(["/w/a"], "denied")).effect).toBe("allow");
  });
  it("is not the caller itself", () => {
    const history = {
      calls: [done("orchestrate", {}, "", { callId: "o", state: "approved", writes: ["/w/a"] })],
    };
    expect(
      engine.evaluate(
        call("read", { path: "a" }, { callId: "o/1", chain: [{ callId: "o", toolName: "orchestrate" }] }),
        history,
      ).effect,
    ).toBe("allow");
  });
});
