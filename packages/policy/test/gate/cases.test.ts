import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { call as modelCall, scriptedPiSession } from "@nestbox/tool/testing";
import { Type } from "typebox";
import { describe, expect, it } from "vitest";

import type { ApprovalAnswer, ApprovalPrompt } from "../../src/gate/approver.ts";
import { createGate } from "../../src/gate/gate.ts";
import type { GateOptions, PolicyGate } from "../../src/gate/gate-types.ts";
import { guardTool } from "../../src/gate/guard-tool.ts";
import { createMemoryGrants } from "../../src/gate/grants.ts";
import { openPolicy } from "../../src/node/open-policy.ts";
import { createPolicyExtension } from "../../src/pi/index.ts";
import { gateCases } from "../cases/gate-cases.ts";
import { readCases, type PolicyCase } from "../cases/case-file.ts";
import { tempFolders } from "../node/temp-folder.ts";
import { manualTime } from "./manual-time.ts";
import { scriptedApprover } from "./scripted-approver.ts";

const folder = tempFolders();

/** What a case's decision is at the gate: an ask that reached a person is an ask. */
type Outcome = "allow" | "ask" | "deny";

interface World {
  readonly one: PolicyCase;
  readonly cwd: string;
  readonly prompts: ApprovalPrompt[];
  readonly gate: PolicyGate;
  /** Decides a command of the case's tool; says whether a person was asked. */
  readonly decide: (command: string, cwd?: string) => Promise<Outcome>;
}

/** A real policy file, the real engine and the real file system; a person who says what `answer` says. */
function world(
  one: PolicyCase,
  policy: object,
  options: Partial<GateOptions> = {},
  answer: (prompt: ApprovalPrompt, nth: number) => ApprovalAnswer = () => ({ kind: "declined" }),
): World {
  const cwd = join(folder(), "w");
  mkdirSync(cwd);
  const path = join(folder(), "policy.jsonc");
  writeFileSync(path, JSON.stringify({ version: 1, ...policy }));
  const opened = openPolicy({
    files: [{ path, layer: "user", required: true }],
    home: "/home/u",
    cwd,
    env: {},
  });
  expect(opened.status()).toMatchObject([{ state: "loaded" }]);
  const prompts: ApprovalPrompt[] = [];
  const gate = createGate({
    engine: opened.engine,
    facts: opened.facts,
    approver: {
      ask: async (prompt) => {
        prompts.push(prompt);
        return answer(prompt, prompts.length);
      },
    },
    ...options,
  });
  let calls = 0;
  return {
    one,
    cwd,
    prompts,
    gate,
    decide: async (command, folderOf = cwd) => {
      const before = prompts.length;
      const verdict = await gate.decide({
        callId: `call-${(calls += 1)}`,
        chain: [],
        tool: { name: one.tool, source: { kind: "builtin" } },
        input: { command },
        cwd: folderOf,
      });
      return prompts.length > before ? "ask" : verdict.effect;
    },
  };
}

const byId = new Map(readCases().map((one) => [one.id, one]));
const commandOf = (one: PolicyCase): string => String(one.input["command"]);

/** A world whose person has the exact call remembered the first time, and declines after. */
function remembering(one: PolicyCase, kind: "always" | "hour", clock?: () => number): World {
  return world(one, {}, clock === undefined ? {} : { clock }, ({ item }, nth) => {
    if (nth > 1) return { kind: "declined" };
    const pattern = item.offers[0]?.pattern ?? "";
    return {
      kind: "approved",
      remember: kind === "always" ? { kind, pattern } : { kind: "time", pattern, forMs: 3_600_000 },
    };
  });
}

const runs: Readonly<Record<string, (one: PolicyCase) => Promise<Outcome>>> = {
  A03: async (one) => {
    const { gate, cwd } = world(
      one,
      { rules: [{ id: "ls", effect: "allow", command: { program: "ls" } }] },
      { approver: { available: () => false, ask: async () => ({ kind: "approved" }) } },
    );
    const verdict = await gate.decide({
      callId: "a",
      chain: [],
      tool: { name: "bash", source: { kind: "builtin" } },
      input: one.input,
      cwd,
    });
    expect(verdict.reason).toContain("no UI");
    return verdict.effect;
  },

  K02: async (one) => {
    const ran: unknown[] = [];
    const path = join(folder(), "policy.jsonc");
    const rules = [
      { id: "push", effect: "allow", command: { prefix: "git push" } },
      { id: "no-force", effect: "deny", ref: { force: true } },
    ];
    writeFileSync(path, JSON.stringify({ version: 1, rules }));
    await using session = await scriptedPiSession({
      customTools: [
        {
          name: "bash",
          label: "bash",
          description: "Notes what it would run",
          parameters: Type.Object({ command: Type.String() }),
          execute: async (_id, params) => {
            ran.push(params);
            return { content: [{ type: "text", text: "ran" }], details: {} };
          },
        },
      ],
      extensions: [
        (pi) =>
          void pi.on(
            "tool_call",
            (event) => void Object.assign(event.input, { command: "git push --force" }),
          ),
        createPolicyExtension({
          files: [{ path, layer: "user" }],
          grants: createMemoryGrants(),
          audit: false,
        }),
      ],
      ui: { select: "Allow once" },
    });
    await session.prompt("go", [modelCall("bash", { command: commandOf(one) }), "done"]);
    expect(ran).toEqual([]);
    expect(session.ui?.dialogs).toEqual([]);
    expect(session.resultText()).toContain("no-force");
    return "deny";
  },

  K04: async (one) => {
    const { cwd, decide, gate } = remembering(one, "always");
    writeFileSync(join(cwd, "ok.js"), "1");
    expect(await decide(commandOf(one))).toBe("ask");
    expect(gate.grants.list()[0]?.files).toHaveLength(1);
    expect(await decide(commandOf(one))).toBe("allow");
    writeFileSync(join(cwd, "ok.js"), "2");
    return decide(commandOf(one));
  },

  K06: async (one) => {
    const { gate } = world(one, {}, { approver: { ask: async () => ({ kind: "approved" }) } });
    const root = folder();
    for (const name of ["good", "evil"]) {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, "run.sh"), name);
    }
    const cwd = join(root, "link");
    symlinkSync("good", cwd);
    const ran: string[] = [];
    const tool = guardTool(
      {
        name: "bash",
        description: "Notes that it ran",
        parameters: { type: "object" },
        execute: async (id: string, _params: object) => {
          ran.push(id);
          return { content: [], details: {} };
        },
      },
      gate,
      { cwd },
    );
    const decide = (callId: string) =>
      gate.decide({
        callId,
        chain: [],
        tool: { name: "bash", source: { kind: "builtin" } },
        input: one.input,
        cwd,
      });
    expect((await decide("same")).effect).toBe("allow");
    await tool.execute("same", one.input);
    expect((await decide("moved")).effect).toBe("allow");
    rmSync(cwd);
    symlinkSync("evil", cwd);
    await expect(tool.execute("moved", one.input)).rejects.toThrow("Blocked right before it ran");
    rmSync(cwd);
    symlinkSync("good", cwd);
    expect((await decide("rewritten")).effect).toBe("allow");
    writeFileSync(join(root, "good", "run.sh"), "something else");
    await expect(tool.execute("rewritten", one.input)).rejects.toThrow("changed");
    expect(ran).toEqual(["same"]);
    return "deny";
  },

  L10: async (one) => {
    const approver = scriptedApprover();
    const time = manualTime();
    const { gate, cwd } = world(one, {}, { approver, clock: time.clock, timers: time.timers });
    const decide = (callId: string) =>
      gate.decide({
        callId,
        chain: [],
        tool: { name: "bash", source: { kind: "builtin" } },
        input: one.input,
        cwd,
      });
    const [first, second] = [decide("first"), decide("second")];
    await time.advance(1);
    expect(approver.open).toEqual(["first"]);
    approver.answer({ kind: "approved" });
    expect((await first).effect).toBe("allow");
    await time.advance(1);
    expect(approver.open).toEqual(["second"]);
    approver.answer({ kind: "declined" });
    expect((await second).effect).toBe("deny");
    return "ask";
  },

  M02: async (one) => {
    const { decide, prompts } = remembering(one, "always");
    expect(await decide("git status")).toBe("ask");
    expect(prompts[0]?.item.offers.map((offer) => offer.pattern)).toContain("git status");
    expect(await decide("git status")).toBe("allow");
    return decide(commandOf(one));
  },

  M04: async (one) => {
    const { cwd, decide } = remembering(one, "always");
    for (const name of ["a", "b"]) mkdirSync(join(cwd, name, ".git"), { recursive: true });
    const [a, b] = [join(cwd, "a"), join(cwd, "b")];
    expect(await decide(commandOf(one), a)).toBe("ask");
    expect(await decide(commandOf(one), a)).toBe("allow");
    return decide(commandOf(one), b);
  },

  M06: async (one) => {
    let now = Date.UTC(2030, 0, 1);
    const { decide } = remembering(one, "hour", () => now);
    expect(await decide(commandOf(one))).toBe("ask");
    now += 59 * 60_000;
    expect(await decide(commandOf(one))).toBe("allow");
    now += 2 * 60_000;
    return decide(commandOf(one));
  },
};

describe("every case that needs the gate, with a real policy file and the real engine", () => {
  it.each(gateCases.map((id) => [id, byId.get(id)?.why ?? ""] as const))("%s: %s", async (id) => {
    const one = byId.get(id);
    const run = runs[id];
    if (one === undefined || run === undefined) throw new Error(`no run for ${id}`);
    expect(await run(one)).toBe(one.decision);
  });
});
