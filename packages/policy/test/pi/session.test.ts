import { call, never, scriptedPiSession, type ScriptedPiSessionOptions } from "@nestbox/tool/testing";
import { Type } from "typebox";
import { describe, expect, it } from "vitest";

import type { PolicyEngine } from "../../src/decision.ts";
import type { AuditRecord } from "../../src/gate/audit.ts";
import { CHOICES, createPolicyExtension, type PolicyExtensionOptions } from "../../src/pi/index.ts";
import { guardTool } from "../../src/gate/guard-tool.ts";
import { createMemoryGrants } from "../../src/gate/grants.ts";
import { command, fakeEngine } from "../gate/fake-engine.ts";
import { notingTools, scriptTool, textOf, type Ran } from "./tools.ts";

/** Asks about `shell`, denies a forced push, lets everything else pass. */
const engine = fakeEngine((request) => {
  if (request.actor === "person") return { effect: "allow", rule: "default.person" };
  const command = request.input["command"];
  if (typeof command === "string" && command.includes("--force"))
    return { effect: "deny", rule: "git.force-push" };
  return request.tool.name === "shell" ? { effect: "ask", rule: "shell.ask" } : { effect: "allow" };
});

interface Setup {
  readonly policy?: PolicyExtensionOptions;
  readonly before?: ScriptedPiSessionOptions["extensions"];
  readonly after?: ScriptedPiSessionOptions["extensions"];
  readonly ui?: ScriptedPiSessionOptions["ui"];
}

async function start({ policy = {}, before = [], after = [], ui }: Setup) {
  const ran: Ran[] = [];
  const records: AuditRecord[] = [];
  const errors: string[] = [];
  const extension = createPolicyExtension({
    engine,
    grants: createMemoryGrants(),
    audit: { write: (record) => void records.push(record) },
    typeAheadMs: 0,
    onError: (error, where) => errors.push(`${where}: ${String(error)}`),
    ...policy,
  });
  const session = await scriptedPiSession({
    extensions: [notingTools(ran), ...before, extension, ...after],
    noTools: "builtin",
    ...(ui === undefined ? {} : { ui }),
  });
  return { session, ran, records, errors, extension };
}

/** Nothing outside the test: no record, grants in memory. */
const quiet = () => ({ engine, grants: createMemoryGrants(), audit: false }) as const;

describe("in a Pi session", () => {
  it("runs a call that a person approved, once", async () => {
    // contract A8
    const { session, ran } = await start({ ui: { select: CHOICES.once } });
    await using _ = session;
    await session.prompt("go", [call("shell", { command: "ls" }), call("shell", { command: "ls" }), "done"]);
    expect(ran.map((item) => item.id)).toEqual(["call-1", "call-2"]);
    expect(session.ui?.dialogs).toHaveLength(2);
  });

  it("blocks what needs approval when there is no UI, and says so", async () => {
    // contract A8, B5
    const { session, ran } = await start({});
    await using _ = session;
    await session.prompt("go", [call("shell", { command: "ls" }), "done"]);
    expect(ran).toEqual([]);
    expect(session.toolResults()[0]).toMatchObject({ isError: true });
    expect(session.resultText()).toContain("no UI");
  });

  it("blocks what a person declined, and says so", async () => {
    // contract A8
    for (const answer of [CHOICES.deny, undefined]) {
      const { session, ran } = await start({ ui: { select: () => answer } });
      await using _ = session;
      await session.prompt("go", [call("shell", { command: "ls" }), "done"]);
      expect(ran).toEqual([]);
      expect(session.resultText()).toContain("declined");
    }
  });

  it("hands on what a person said when they declined", async () => {
    const { session } = await start({ ui: { select: CHOICES.explain, input: "not on Fridays" } });
    await using _ = session;
    await session.prompt("go", [call("shell", { command: "ls" }), "done"]);
    expect(session.resultText()).toContain("not on Fridays");
  });

  it("closes the dialog when the run is cancelled, and runs nothing", async () => {
    const { session, ran } = await start({ ui: { select: never } });
    await using _ = session;
    const run = session.prompt("go", [call("shell", { command: "ls" }), "done"]);
    await until(() => session.ui?.open() === 1);
    await session.session.abort();
    await run;
    expect(ran).toEqual([]);
    expect(session.ui?.open()).toBe(0);
    expect(session.ui?.dialogs).toMatchObject([{ dismissedBySignal: true }]);
  });

  it("blocks a forced push, whether the model or a script asks for it", async () => {
    // contract A23, A15, policy J01
    const outcomes: string[] = [];
    const { session, ran, extension } = await start({
      ui: { select: CHOICES.once },
      before: [
        scriptTool("script", async (ctx) => {
          const outcome = await ctx.executeTool("look", { command: "git push --force" });
          outcomes.push(`${outcome.isError} ${textOf(outcome)}`);
          return "script over";
        }),
      ],
    });
    await using _ = session;
    await session.prompt("go", [call("look", { command: "git push --force" }), call("script"), "done"]);
    expect(ran).toEqual([]);
    expect(session.resultText("call-1")).toContain("git.force-push");
    expect(outcomes[0]).toContain("true Blocked");
    expect(session.ui?.dialogs).toHaveLength(0);
    expect(extension.decisionOf("call-2/1")).toEqual({
      effect: "deny",
      rule: "git.force-push",
      layer: "user",
    });
    expect(extension.decisionOf("call-2")?.effect).toBe("allow");
  });

  it("shows the whole chain of a call that was made two deep", async () => {
    // contract A15, A16
    const { session, ran, records } = await start({
      ui: { select: CHOICES.once },
      before: [
        scriptTool("inner", async (ctx) => textOf(await ctx.executeTool("shell", { command: "ls" }))),
        scriptTool("outer", async (ctx) => textOf(await ctx.executeTool("inner", {}))),
      ],
    });
    await using _ = session;
    await session.prompt("go", [call("outer", {}, "id/with/slashes"), "done"]);
    expect(ran.map((item) => item.id)).toEqual(["id/with/slashes/1/1"]);
    expect(session.ui?.dialogs[0]?.title).toContain("outer › inner › shell");
    const decided = records
      .filter((record) => record.type === "decision")
      .find((record) => record.tool === "shell");
    expect(decided?.chain).toEqual([
      { callId: "id/with/slashes", toolName: "outer" },
      { callId: "id/with/slashes/1", toolName: "inner" },
    ]);
  });

  it("blocks a nested call without a UI and lets the script go on", async () => {
    // contract A8, A19
    const { session, ran } = await start({
      before: [
        scriptTool("script", async (ctx) => textOf(await ctx.executeTool("shell", { command: "ls" }))),
      ],
    });
    await using _ = session;
    await session.prompt("go", [call("script"), "done"]);
    expect(ran).toEqual([]);
    expect(session.resultText()).toContain("no UI");
  });

  it("never shows two dialogs at once, and answers waiting calls of one script as a batch", async () => {
    let shown = 0;
    const { session, ran } = await start({
      ui: {
        select: (question) => {
          shown += 1;
          return question.options?.find((option) => option.startsWith("Allow all")) ?? CHOICES.once;
        },
      },
      before: [
        scriptTool("script", async (ctx) => {
          const commands = ["a", "b", "c", "d"];
          const outcomes = await Promise.all(
            commands.map((command) => ctx.executeTool("shell", { command })),
          );
          return outcomes.map(textOf).join(",");
        }),
      ],
    });
    await using _ = session;
    await session.prompt("go", [call("script"), "done"]);
    expect(ran).toHaveLength(4);
    expect(shown).toBeLessThan(4);
    expect(session.ui?.dialogs[0]?.title).toContain("\nAlso waiting in this call of script:\n  script › ");
  });

  it("closes the dialog of a call whose script has given up, though the run goes on", async () => {
    const { session, ran } = await start({
      ui: { select: never },
      before: [
        scriptTool("script", async (ctx) => {
          // Not awaited: the script is over before anybody answers.
          void ctx.executeTool("shell", { command: "ls" });
          await until(() => session.ui?.open() === 1);
          return "gave up";
        }),
        scriptTool("later", async () => {
          await until(() => session.ui?.open() === 0);
          return "no dialog is open";
        }),
      ],
    });
    await using _ = session;
    await session.prompt("go", [call("script"), call("later"), "done"]);
    expect(session.resultText()).toBe("no dialog is open");
    expect(ran).toEqual([]);
    expect(session.ui?.dialogs).toMatchObject([{ dismissedBySignal: true }]);
  });

  it("does not ask again in one run for what was declined", async () => {
    // hostile 44
    const { session, ran } = await start({
      ui: { select: CHOICES.deny },
      before: [
        scriptTool("script", async (ctx) => {
          for (let i = 0; i < 3; i += 1) await ctx.executeTool("shell", { command: "rm" });
          return "over";
        }),
      ],
    });
    await using _ = session;
    await session.prompt("go", [call("script"), call("shell", { command: "rm" }), "done"]);
    expect(session.ui?.dialogs).toHaveLength(1);
    await session.prompt("please", [call("shell", { command: "rm" }), "done"]);
    expect(session.ui?.dialogs).toHaveLength(2);
    expect(ran).toEqual([]);
  });

  it("stops the run when a person says so", async () => {
    const { session, ran } = await start({ ui: { select: CHOICES.stop } });
    await using _ = session;
    await session.prompt("go", [call("shell", { command: "ls" }), "never read"]);
    expect(ran).toEqual([]);
    expect(session.transcript().at(-1)).not.toMatchObject({ content: [{ text: "never read" }] });
    expect(session.resultText()).toContain("declined and the run was stopped");
  });

  it("stops the run when nobody answers, runs nothing more of it, and keeps the reason", async () => {
    const { session, ran, records } = await start({
      ui: { select: never },
      policy: { timeout: { afterMs: 20, outcome: "stop" } },
    });
    await using _ = session;
    await session.prompt("go", [
      [call("shell", { command: "ls" }), call("look", { command: "pwd" })],
      "never read",
    ]);
    expect(ran).toEqual([]);
    expect(session.resultText("call-1")).toContain("nobody answered within 20 ms");
    expect(session.session.messages.at(-1)).not.toMatchObject({ content: [{ text: "never read" }] });
    expect(records.find((record) => record.type === "decision" && record.callId === "call-1")).toMatchObject({
      answer: "timeout",
      decision: { effect: "deny", rule: "shell.ask" },
    });
  });

  it("takes the answer of a scripted person at once, and holds keys typed ahead against a terminal", async () => {
    for (const [mode, said, typeAheadMs, count] of [
      ["tui", "its own", undefined, 1],
      ["tui", "its own", 20, 0],
      ["tui", "none", undefined, 0],
      ["rpc", "none", undefined, 1],
    ] as const) {
      const ran: Ran[] = [];
      await using session = await scriptedPiSession({
        extensions: [
          notingTools(ran),
          (pi) =>
            void pi.on("session_start", (_event, { ui }) => {
              // A scripted person says 0; a terminal says nothing.
              if (said === "none") Reflect.deleteProperty(ui, "typeAheadMs");
            }),
          createPolicyExtension({
            ...quiet(),
            ...(typeAheadMs === undefined ? {} : { typeAheadMs }),
            // It stands still, so that every answer comes at once, however busy the machine is.
            gate: { clock: () => 0 },
          }),
        ],
        mode,
        noTools: "builtin",
        ui: { select: CHOICES.once },
      });
      await session.prompt("go", [call("shell", { command: "ls" }), "done"]);
      expect(ran).toHaveLength(count);
    }
  });

  it("lets a remote approver answer without any UI", async () => {
    const { session, ran } = await start({
      policy: { approver: { ask: async () => ({ kind: "approved" }) } },
    });
    await using _ = session;
    await session.prompt("go", [call("shell", { command: "ls" }), "done"]);
    expect(ran).toHaveLength(1);
  });

  it("asks nobody and blocks nothing in a dry run, and shows what enforcing would deny", async () => {
    const { session, ran, extension, records } = await start({ policy: { mode: "dry-run" }, ui: {} });
    await using _ = session;
    await session.prompt("go", [
      call("shell", { command: "ls" }),
      call("look", { command: "git push --force" }),
      "done",
    ]);
    expect(ran).toHaveLength(2);
    expect(session.ui?.dialogs).toEqual([]);
    expect(extension.state()?.decisions.map((item) => item.wouldBe)).toEqual(["deny", "deny"]);
    expect(records.filter((record) => record.type === "decision")).toMatchObject([
      { wouldBe: "deny" },
      { wouldBe: "deny" },
    ]);
  });

  it("blocks every call when the engine throws", async () => {
    // policy L04
    const broken: PolicyEngine = {
      evaluate() {
        throw new Error("/home/u/secret is broken");
      },
    };
    const { session, ran, errors } = await start({
      policy: { engine: broken },
      ui: { select: CHOICES.once },
    });
    await using _ = session;
    await session.prompt("go", [call("look", {}), "done"]);
    expect(ran).toEqual([]);
    expect(errors).toEqual(["engine: Error: /home/u/secret is broken"]);
    // contract B10
    expect(session.resultText()).not.toContain("secret");
    expect(session.resultText()).toContain("Blocked");
  });

  it("blocks a call when the UI goes away while it is asked about", async () => {
    const { session, ran } = await start({
      ui: {
        select: () => {
          throw new Error("the terminal is gone");
        },
      },
    });
    await using _ = session;
    await session.prompt("go", [call("shell", { command: "ls" }), "done"]);
    expect(ran).toEqual([]);
    expect(session.resultText()).toContain("asking failed");
  });

  it("blocks every call when the audit cannot be written, unless told otherwise", async () => {
    const audit = {
      write() {
        throw new Error("disk full");
      },
    };
    const strict = await start({ policy: { audit } });
    await using _ = strict.session;
    await strict.session.prompt("go", [call("look", {}), "done"]);
    expect(strict.ran).toEqual([]);
    expect(strict.session.resultText()).toContain("on record");

    const lenient = await start({ policy: { audit, onAuditFailure: "allow" } });
    await using __ = lenient.session;
    await lenient.session.prompt("go", [call("look", {}), "done"]);
    expect(lenient.ran).toHaveLength(1);
  });
});

describe("what was approved is what runs, in a Pi session", () => {
  it("judges what an earlier handler made of the arguments", async () => {
    // policy K02
    const { session, ran } = await start({
      before: [
        (pi) =>
          void pi.on("tool_call", (event) => {
            Object.assign(event.input, { command: "git push --force" });
          }),
      ],
    });
    await using _ = session;
    await session.prompt("go", [call("look", { command: "git push" }), "done"]);
    expect(ran).toEqual([]);
    expect(session.resultText()).toContain("git.force-push");
  });

  it("blocks a call whose arguments a later handler tries to change", async () => {
    const { session, ran } = await start({
      after: [
        (pi) =>
          void pi.on("tool_call", (event) => {
            Object.assign(event.input, { command: "git push --force" });
          }),
      ],
    });
    await using _ = session;
    await session.prompt("go", [call("look", { command: "git push" }), "done"]);
    expect(ran).toEqual([]);
    expect(session.toolResults()[0]).toMatchObject({ isError: true });
  });

  it("blocks arguments that an earlier handler made unfit for the schema", async () => {
    // policy K08, contract B7
    const { session, ran } = await start({
      before: [
        (pi) =>
          void pi.on("tool_call", (event) => void Object.assign(event.input, { command: { toString: "x" } })),
      ],
    });
    await using _ = session;
    await session.prompt("go", [call("look", { command: "ls" }), "done"]);
    expect(ran).toEqual([]);
    expect(session.resultText()).toContain("no longer fit its schema");
  });

  it("notices when a handler had the policy judge other arguments than those that run", async () => {
    // An earlier handler replaces the event's arguments instead of changing them: Pi runs the ones it had.
    const decoy: ScriptedPiSessionOptions["extensions"] = [
      (pi) =>
        void pi.on("tool_call", (event) => void Object.assign(event, { input: { command: "git status" } })),
    ];
    const { session, records } = await start({ before: decoy });
    await using _ = session;
    await session.prompt("go", [call("look", { command: "git push --force" }), "done"]);
    expect(session.resultText()).toContain("other arguments than those that were allowed");
    expect(records.at(-1)).toMatchObject({
      type: "end",
      changed: true,
      input: { command: "git push --force" },
    });
  });

  it("lets a guarded tool refuse arguments that were not judged, before its effect", async () => {
    // contract B7
    const ran: unknown[] = [];
    const policy = createPolicyExtension({ engine, grants: createMemoryGrants(), audit: false });
    const guarded = guardTool(
      {
        name: "guarded",
        label: "guarded",
        description: "Notes that it ran",
        parameters: Type.Object({ command: Type.String() }),
        execute: async (_id: string, params: { command: string }) => {
          ran.push(params.command);
          return { content: [{ type: "text" as const, text: "ran" }], details: {} };
        },
      },
      policy,
      { cwd: "/" },
    );
    let swap = false;
    await using session = await scriptedPiSession({
      noTools: "builtin",
      customTools: [guarded],
      extensions: [
        (pi) =>
          void pi.on("tool_call", (event) => {
            if (swap) Object.assign(event, { input: { command: "git status" } });
          }),
        policy,
      ],
    });
    await session.prompt("go", [call("guarded", { command: "ls" }), "done"]);
    swap = true;
    await session.prompt("go", [call("guarded", { command: "git push --force" }), "done"]);
    expect(ran).toEqual(["ls"]);
    expect(session.resultText()).toContain("not those that were allowed");
  });

  it("notices, tells and records a change of a tool that is not frozen", async () => {
    const { session, ran, records } = await start({
      policy: { mutableInput: ["look"] },
      ui: {},
      after: [
        (pi) =>
          void pi.on(
            "tool_call",
            (event) => void Object.assign(event.input, { command: "git push --force" }),
          ),
      ],
    });
    await using _ = session;
    await session.prompt("go", [call("look", { command: "git push" }), "done"]);
    expect(ran).toHaveLength(1);
    expect(session.toolResults()[0]).toMatchObject({ isError: true });
    expect(session.resultText()).toContain("other arguments than those that were allowed");
    expect(session.ui?.notifications).toMatchObject([{ type: "warning" }]);
    expect(records.filter((record) => record.type === "end")).toMatchObject([
      { changed: true, input: { command: "git push --force" } },
    ]);
  });

  it("lets a tool that changes its own arguments run when it is excepted, and ends it as an error when it is not", async () => {
    const excepted = await start({ policy: { mutableInput: ["nudging"] } });
    await using _ = excepted.session;
    await excepted.session.prompt("go", [call("nudging", { command: "a" }), "done"]);
    expect(excepted.ran).toHaveLength(1);

    const frozen = await start({});
    await using __ = frozen.session;
    await frozen.session.prompt("go", [call("nudging", { command: "a" }), "done"]);
    expect(frozen.ran).toEqual([]);
    expect(frozen.session.toolResults()[0]).toMatchObject({ isError: true });
  });

  it("records what ran, with how it was decided and how it ended", async () => {
    const { session, records } = await start({ ui: { select: CHOICES.once } });
    await using _ = session;
    await session.prompt("go", [call("shell", { command: "echo TOKEN=hunter2hunter2" }), "done"]);
    expect(records).toMatchObject([
      {
        type: "decision",
        callId: "call-1",
        tool: "shell",
        answer: "approved",
        engine: "ask",
        decision: { effect: "allow" },
      },
      { type: "end", callId: "call-1", changed: false, isError: false },
    ]);
    expect(JSON.stringify(records)).not.toContain("hunter2");
  });
});

describe("a policy extension holds nothing beyond its session", () => {
  it("goes on after a reload with a fresh session", async () => {
    // contract A26
    const { session, ran, extension } = await start({ ui: { select: CHOICES.once } });
    await using _ = session;
    await session.prompt("go", [call("shell", { command: "ls" }), "done"]);
    expect(extension.state()?.decisions).toHaveLength(1);
    await session.session.reload();
    expect(extension.state()?.decisions).toHaveLength(0);
    await session.prompt("again", [call("shell", { command: "ls" }), "done"]);
    expect(ran).toHaveLength(2);
    expect(session.errors).toEqual([]);
  });

  it("shows its state and revokes grants with /policy", async () => {
    const grants = createMemoryGrants();
    const { session } = await start({
      policy: { grants },
      ui: {
        select: (question) =>
          question.options?.find((option) => /remember|session|Exactly|exact/.test(option)),
      },
    });
    await using _ = session;
    await session.prompt("go", [call("shell", { command: "ls" }), call("shell", { command: "ls" }), "done"]);
    expect(session.ui?.dialogs).toHaveLength(3);
    expect(grants.list()).toHaveLength(1);
    await session.prompt("/policy", []);
    const text = session.ui?.notifications.at(-1)?.message;
    expect(text).toContain("shell.ask");
    expect(text).toContain(grants.list()[0]?.id);
    await session.prompt("/policy revoke", []);
    expect(grants.list()).toHaveLength(0);
  });

  it("saves the pattern that a person saw and edited, and nothing when they leave on the way", async () => {
    // policy M02
    const shell = fakeEngine((request) => {
      const source = String(request.input["command"]);
      const part = { effect: "ask", rule: "r", layer: "user", matched: source, reason: "" } as const;
      return { effect: "ask", rule: "r", commands: [command(source)], parts: [part] };
    });
    const pick = (wanted: RegExp) => (question: { readonly options?: readonly string[] }) =>
      question.options?.find((option) => wanted.test(option));
    const grants = createMemoryGrants();
    const { session, ran } = await start({
      policy: { engine: shell, grants },
      ui: { select: pick(/remember|Always|^Command|Edit/), editor: " npm run * " },
    });
    await using _ = session;
    await session.prompt("go", [
      call("shell", { command: "npm run a" }),
      call("shell", { command: "npm run b" }),
      "done",
    ]);
    expect(grants.list()).toMatchObject([{ scope: "always", kind: "command", match: "npm run *" }]);
    expect(session.ui?.dialogs.map((dialog) => dialog.kind)).toEqual([
      "select",
      "select",
      "select",
      "select",
      "editor",
    ]);
    expect(session.ui?.dialogs.at(-1)?.message).toBe("npm run a");
    expect(ran).toHaveLength(2);

    for (const wanted of [/remember/, /remember|Always/, /remember|Always|^Command/]) {
      const left = createMemoryGrants();
      const other = await start({ policy: { engine: shell, grants: left }, ui: { select: pick(wanted) } });
      await using __ = other.session;
      await other.session.prompt("go", [call("shell", { command: "npm run a" }), "done"]);
      expect(left.list()).toEqual([]);
      expect(other.ran).toEqual([]);
    }
  });

  it("judges a person's own command only when told to", async () => {
    // policy L16
    const event = {
      type: "user_bash" as const,
      command: "git push --force",
      excludeFromContext: false,
      cwd: "/",
    };
    const free = await start({});
    await using _ = free.session;
    expect(await free.session.session.extensionRunner.emitUserBash(event)).toBeUndefined();
    expect(free.records).toEqual([]);
    const bound = await start({ policy: { userBash: true } });
    await using __ = bound.session;
    expect(await bound.session.session.extensionRunner.emitUserBash(event)).toMatchObject({
      result: { exitCode: 126 },
    });
    expect(bound.records).toMatchObject([{ type: "note", kind: "user-bash-denied" }]);
    // What would only be asked about was answered by typing it.
    const asked = { ...event, command: "rm x" };
    const asking = await start({ policy: { userBash: true, engine: fakeEngine(() => ({ effect: "ask" })) } });
    await using ___ = asking.session;
    expect(await asking.session.session.extensionRunner.emitUserBash(asked)).toBeUndefined();
  });

  it("holds a person to the rules that name persons, whatever it is told about the agent's", async () => {
    // policy L16
    const persons = fakeEngine((request) =>
      request.actor === "person" ? { effect: "deny", rule: "not-here" } : { effect: "allow" },
    );
    for (const userBash of [true, false, undefined]) {
      const { session, records } = await start({
        policy: { engine: persons, ...(userBash === undefined ? {} : { userBash }) },
      });
      await using _ = session;
      const result = await session.session.extensionRunner.emitUserBash({
        type: "user_bash",
        command: "deploy --token ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        excludeFromContext: false,
        cwd: "/",
      });
      expect(result).toMatchObject({
        result: { exitCode: 126, output: expect.stringContaining("not-here") },
      });
      expect(records).toMatchObject([{ type: "note", message: expect.stringContaining("not-here") }]);
    }
  });

  it("closes its questions with the session", async () => {
    const { session, ran } = await start({ ui: { select: never } });
    await using _ = session;
    const run = session.prompt("go", [call("shell", { command: "ls" }), "done"]);
    await until(() => session.ui?.open() === 1);
    await session.session.extensionRunner.emit({ type: "session_shutdown", reason: "quit" });
    await until(() => session.ui?.open() === 0);
    await run;
    expect(ran).toEqual([]);
    expect(session.resultText()).toContain("cancelled before anybody answered");
    expect(session.ui?.dialogs).toMatchObject([{ dismissedBySignal: true }]);
  });
});

/** Waits for something that another part of the session does. */
async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 2_000; i += 1) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("it never happened");
}
