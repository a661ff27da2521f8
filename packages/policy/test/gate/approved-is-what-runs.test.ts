import { describe, expect, it } from "vitest";

import type { Effect } from "../../src/decision.ts";
import { createAutoApprover } from "../../src/gate/auto-approver.ts";
import { factsWithoutFileSystem } from "../../src/gate/facts.ts";
import { createGate } from "../../src/gate/gate.ts";
import { deepFreeze } from "../../src/gate/freeze.ts";
import { guardTool, RecheckError } from "../../src/gate/guard-tool.ts";
import { call, fakeEngine } from "./fake-engine.ts";
import { manualTime } from "./manual-time.ts";
import { scriptedApprover } from "./scripted-approver.ts";

const allows = fakeEngine(() => ({ effect: "allow" }));

describe("a decision counts for one call with exactly its arguments", () => {
  it("shows and binds the arguments as they were when the call was made", async () => {
    // hostile 40, hostile 13
    const approver = scriptedApprover();
    const time = manualTime();
    const seen: unknown[] = [];
    const gate = createGate({
      engine: fakeEngine((request) => {
        seen.push(request.input["command"]);
        return { effect: "ask" };
      }),
      approver,
      clock: time.clock,
      timers: time.timers,
    });
    const input = { command: "ls" };
    const verdict = gate.decide(call("a", input));
    await time.advance(1);
    // The object is changed while the prompt is open.
    input.command = "rm -rf /";
    approver.answer({ kind: "approved" });
    expect((await verdict).effect).toBe("allow");
    expect(seen).toEqual(["ls", "ls"]);
    expect(approver.shown[0]?.item.lines).toEqual(["command: ls"]);
    // What would run now is not what was approved.
    expect(gate.recheck({ callId: "a", toolName: "bash", input, cwd: "/w" })).toMatchObject({ ok: false });
  });

  it("is used once, for its own id, tool and folder", async () => {
    // hostile 40
    const gate = createGate({ engine: allows });
    const request = { callId: "a", toolName: "bash", input: { command: "ls" }, cwd: "/w" };
    expect(gate.recheck(request).ok).toBe(false);
    await gate.decide(call("a", { command: "ls" }));
    expect(gate.recheck({ ...request, callId: "b" }).ok).toBe(false);
    expect(gate.recheck({ ...request, toolName: "write" }).ok).toBe(false);
    expect(gate.recheck({ ...request, cwd: "/other" }).ok).toBe(false);
    expect(gate.recheck({ ...request, input: { command: "ls -a" } }).ok).toBe(false);
    expect(gate.recheck(request).ok).toBe(true);
    expect(gate.recheck(request).ok).toBe(false);
  });

  it("is about a copy that nobody who is told of it can change", async () => {
    // hostile 40
    const told: unknown[] = [];
    const gate = createGate({
      engine: fakeEngine((request) => {
        told.push(request.input);
        return { effect: "ask" };
      }),
      approver: {
        ask: async ({ item }) => {
          told.push(item.request.input);
          return { kind: "approved" };
        },
      },
      onDecision: ({ request }) => void told.push(request.input),
    });
    await gate.decide(call("a", { list: [{ command: "ls" }] }));
    expect(told.length).toBeGreaterThan(2);
    for (const input of told) {
      expect(Object.isFrozen(input)).toBe(true);
      const { list } = input as { list: { command: string }[] };
      expect(() => void (list[0]!.command = "rm -rf /")).toThrow(TypeError);
    }
  });

  it("asks separately for two calls with the same arguments", async () => {
    // hostile 40
    const approver = scriptedApprover();
    const time = manualTime();
    const gate = createGate({
      engine: fakeEngine(() => ({ effect: "ask" })),
      approver,
      clock: time.clock,
      timers: time.timers,
    });
    const both = [gate.decide(call("a", { n: 1 })), gate.decide(call("b", { n: 1 }))];
    await time.advance(1);
    approver.answer({ kind: "approved" });
    await time.advance(1);
    expect(approver.open).toEqual(["b"]);
    approver.answer({ kind: "declined" });
    expect((await Promise.all(both)).map((verdict) => verdict.effect)).toEqual(["allow", "deny"]);
  });

  it("is refused next to the effect when the policy or the folder has changed since", async () => {
    // policy K06
    let effect: Effect = "ask";
    let target = "/real/a";
    const gate = createGate({
      engine: fakeEngine(() => ({ effect })),
      approver: { ask: async () => ({ kind: "approved" }) },
      facts: { ...factsWithoutFileSystem, realPath: () => target },
    });
    const request = { callId: "a", toolName: "bash", input: {}, cwd: "/w" };
    await gate.decide(call("a"));
    target = "/real/b";
    expect(gate.recheck(request)).toMatchObject({ ok: false, reason: expect.stringContaining("folder") });
    target = "/real/a";
    effect = "deny";
    expect(gate.recheck(request).ok).toBe(false);
    effect = "ask";
    expect(gate.recheck(request).ok).toBe(true);
  });

  it("is withdrawn when what was asked about changes while a person reads", async () => {
    // policy K06, hostile 40
    for (const change of ["folder", "policy"] as const) {
      const approver = scriptedApprover();
      const time = manualTime();
      let changed = false;
      const gate = createGate({
        engine: fakeEngine(() => ({ effect: changed && change === "policy" ? "deny" : "ask" })),
        approver,
        facts: {
          ...factsWithoutFileSystem,
          realPath: () => (changed && change === "folder" ? "/evil" : "/w"),
        },
        clock: time.clock,
        timers: time.timers,
      });
      const verdict = gate.decide(call("a"));
      await time.advance(1);
      changed = true;
      approver.answer({ kind: "approved" });
      expect((await verdict).effect).toBe("deny");
    }
  });

  it("sees a call that was allowed in the same breath, so that a link cannot be made under a check", async () => {
    // policy J11
    const gate = createGate({
      engine: fakeEngine((request, history) => {
        if (request.tool.name === "bash") {
          const resource = {
            action: "write",
            kind: "path",
            value: "notes.txt",
            base: "/w",
            origin: "ln",
          } as const;
          return { effect: "allow", resources: [resource] };
        }
        const stale = history?.calls.some(
          (item) => item.state === "approved" && item.writes.includes("/w/notes.txt"),
        );
        return { effect: stale === true ? "ask" : "allow" };
      }),
    });
    const read = (id: string) => call(id, { path: "notes.txt" }, { tool: { name: "read" } });
    const [, second] = await Promise.all([gate.decide(call("a")), gate.decide(read("b"))]);
    expect(second?.effect).toBe("deny");
    gate.settled({ callId: "a" }, { isError: false });
    expect((await gate.decide(read("c"))).effect).toBe("allow");
  });
});

describe("frozen arguments", () => {
  it("are frozen below a part that came frozen, and in a circle", () => {
    // hostile 40: a handler before ours hands over a frozen shell around what it keeps.
    const kept = { command: "ls" };
    const input: { job: object; self?: object } = { job: Object.freeze({ kept }) };
    input.self = input;
    expect(deepFreeze(input)).toBe(true);
    expect(() => (kept.command = "rm -rf /")).toThrow("read only");
  });

  it("are not called frozen where a getter stands", () => {
    let reads = 0;
    const input = { get command() { return (reads += 1) > 1 ? "rm -rf /" : "ls"; } }; // prettier-ignore
    expect(deepFreeze(input)).toBe(false);
    expect(reads).toBe(0);
  });

  it.each<[string, () => unknown]>([
    ["a getter", () => ({ get command() { return "ls"; } })], // prettier-ignore
    ["a map", () => ({ command: new Map([["x", 1]]) })],
    ["a date", () => ({ when: new Date(0) })],
    ["a function that JSON would call", () => ({ command: "ls", toJSON: () => ({ command: "rm -rf /" }) })],
    ["an inherited one", () => Object.create({ command: "ls" })],
    ["a circle", () => { const input: { self?: object } = {}; input.self = input; return input; }], // prettier-ignore
  ])("with %s never run", async (_title, make) => {
    const gate = createGate({ engine: allows });
    const request = Object.assign(call("a"), { input: make() });
    expect(await gate.decide(request)).toMatchObject({ effect: "deny", decision: { rule: "gate.input" } });
  });
});

describe("a guarded tool", () => {
  it("runs only what a gate has just allowed, once", async () => {
    // contract B7
    const gate = createGate({ engine: allows });
    const ran: unknown[] = [];
    const tool = guardTool(
      {
        name: "deploy",
        description: "Deploys",
        parameters: { type: "object" },
        execute: async (_id: string, params: object) => {
          ran.push(params);
          return { content: [], details: {} };
        },
      },
      gate,
      { cwd: "/w" },
    );
    await expect(tool.execute("a", { to: "prod" })).rejects.toBeInstanceOf(RecheckError);
    await gate.decide(call("a", { to: "staging" }, { tool: { name: "deploy" } }));
    await expect(tool.execute("a", { to: "prod" })).rejects.toThrow("not those that were allowed");
    await tool.execute("a", { to: "staging" });
    await expect(tool.execute("a", { to: "staging" })).rejects.toThrow("used already");
    expect(ran).toEqual([{ to: "staging" }]);
  });
});

describe("denied means denied", () => {
  it("does not ask again for the same tool and arguments in one script, and asks for others", async () => {
    // hostile 44
    let asked = 0;
    const gate = createGate({
      engine: fakeEngine(() => ({ effect: "ask" })),
      approver: {
        ask: async () => {
          asked += 1;
          return { kind: "declined" };
        },
      },
    });
    const chain = [{ callId: "s", toolName: "codemode" }];
    await gate.decide(call("s/1", { a: 1, b: 2 }, { chain }));
    const again = await gate.decide(call("s/2", { b: 2, a: 1 }, { chain }));
    expect(again.reason).toContain("declined");
    expect(asked).toBe(1);
    await gate.decide(call("s/3", { a: 1, b: 3 }, { chain }));
    await gate.decide(call("s/4", { a: 1, b: 2 }, { chain, tool: { name: "other" } }));
    expect(asked).toBe(3);
    // Another script is another matter.
    await gate.decide(call("t/1", { a: 1, b: 2 }, { chain: [{ callId: "t", toolName: "codemode" }] }));
    expect(asked).toBe(4);
  });
});

describe("a dry run", () => {
  it("lets everything pass, asks nobody, and records what would have been denied", async () => {
    const records: unknown[] = [];
    const gate = createGate({
      engine: fakeEngine((request) => ({ effect: request.callId === "a" ? "deny" : "ask" })),
      approver: {
        ask: () => {
          throw new Error("asked");
        },
      },
      mode: "dry-run",
      audit: { write: (record) => void records.push(record) },
    });
    expect((await gate.decide(call("a"))).effect).toBe("allow");
    expect((await gate.decide(call("b"))).effect).toBe("allow");
    expect(records).toMatchObject([
      { wouldBe: "deny", engine: "deny" },
      { wouldBe: "deny", engine: "ask" },
    ]);
  });

  it("still enforces what is always enforced, and what cannot be judged at all", async () => {
    const gate = createGate({
      engine: fakeEngine(() => ({ effect: "deny", rule: "leash.policy-files" })),
      mode: "dry-run",
    });
    expect((await gate.decide(call("a"))).effect).toBe("deny");
    const broken = createGate({
      engine: {
        evaluate() {
          throw new Error("no");
        },
      },
      mode: "dry-run",
    });
    expect((await broken.decide(call("a"))).effect).toBe("deny");
  });
});

describe("a program that answers for a person", () => {
  it("answers an ask, but never one that only a person may answer", async () => {
    const gate = createGate({
      engine: fakeEngine((request) => ({ effect: "ask", personOnly: request.callId === "b" })),
      approver: createAutoApprover(),
    });
    expect((await gate.decide(call("a"))).effect).toBe("allow");
    expect((await gate.decide(call("b"))).effect).toBe("deny");
  });
});
