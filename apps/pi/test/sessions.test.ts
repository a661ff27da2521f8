import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SessionManager, type ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { DecisionRecord } from "@nestbox/policy";
import { createNestbox } from "@nestbox/pi";
import { call, scriptedPiSession, type ScriptedPiSession } from "@nestbox/tool/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { quietPolicy } from "./support/quiet.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nestbox-sessions-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

function script(code: string, id = "C") {
  return [call("codemode", { code }, id), "done"] as const;
}

function byHand(pi: ScriptedPiSession): string {
  const message = pi.session.messages.findLast(({ role }) => role === "custom");
  return JSON.stringify(message ?? null);
}

function late(name: string, when: "load" | "session_start") {
  return (pi: ExtensionAPI): void => {
    const register = (): void =>
      pi.registerTool({
        name,
        label: name,
        description: `The tool ${name} of somebody else's.`,
        parameters: {},
        annotations: { readOnlyHint: true, openWorldHint: false },
        execute: async () => ({ content: [{ type: "text", text: `${name} ran` }], details: {} }),
      });
    if (when === "load") register();
    else pi.on("session_start", register);
  };
}

/** A dialog of Pi's does not say that no keyboard feeds it, as the scripted one does. */
function dialogsOfPi(pi: ExtensionAPI): void {
  pi.on("session_start", (_event, { ui }) => void Reflect.deleteProperty(ui, "typeAheadMs"));
}

describe("in every mode", () => {
  for (const mode of ["print", "json", "rpc"] as const) {
    it(`runs scripts of the model and by hand in ${mode} mode, and asks only where somebody can answer`, async () => {
      const said = vi.spyOn(console, "error").mockImplementation(() => {});
      const printed = vi.spyOn(console, "log").mockImplementation(() => {});
      await using pi = await scriptedPiSession({
        mode,
        ...(mode === "rpc" ? { ui: { select: () => "Allow once" } } : {}),
        extensions: [dialogsOfPi, createNestbox({ policy: quietPolicy() })],
      });
      const code =
        "return await tools.write({ path: 'a.txt', content: 'a' }).then(() => 'wrote', () => 'was not allowed')";
      await pi.prompt("write", script(code));
      expect(pi.resultText("C")).toContain(mode === "rpc" ? "wrote" : "was not allowed");
      await pi.prompt("/codemode return 6 * 7", []);
      expect(byHand(pi)).toContain("42");
      // JSON and RPC have the message itself; print mode alone would not show it.
      expect(/^42$/m.test(said.mock.calls.flat().join("\n"))).toBe(mode === "print");
      await pi.prompt("/trace", []);
      const told = mode === "rpc" ? pi.ui?.notifications.at(-1)?.message : said.mock.calls.at(-1)?.[0];
      expect(told).toMatch(/^Last run: \d+ ms\n└ ✓ codemode/);
      // Standard output is the answer, or a protocol.
      expect(printed).not.toHaveBeenCalled();
      expect(pi.errors).toEqual([]);
      // A program may answer at once: only in the terminal can keys run ahead of a question.
      expect(pi.ui?.dialogs.length ?? 0).toBe(mode === "rpc" ? 1 : 0);
    });
  }
});

describe("in a session that goes on", () => {
  const open = (sessionManager: SessionManager): Promise<ScriptedPiSession> =>
    scriptedPiSession({
      cwd: folder,
      ui: {},
      sessionManager,
      extensions: [createNestbox({ policy: quietPolicy() })],
    });

  it("finds what scripts stored when it is resumed, and keeps a fork's own apart", async () => {
    const first = SessionManager.create(folder, folder);
    {
      await using pi = await open(first);
      await pi.prompt("store", script("store('n', 1); return 'ok'"));
    }
    const path = first.getSessionFile() ?? "";
    {
      await using pi = await open(SessionManager.forkFrom(path, folder, folder));
      await pi.prompt("add", script("store('n', load('n') + 10); return load('n')", "F"));
      expect(pi.resultText("F")).toContain("11");
      await pi.prompt("/codemode return ['fork', load('n')]", []);
      expect(byHand(pi)).toContain(String.raw`[\"fork\",11]`);
    }
    {
      await using pi = await open(SessionManager.open(path, folder));
      await pi.prompt("load", script("return ['resumed', load('n')]", "R"));
      expect(pi.resultText("R")).toContain('["resumed",1]');
      expect(pi.errors).toEqual([]);
    }
  });
});

describe("after a reload", () => {
  // contract A26
  it("uses nothing that was captured while the extension loaded before", async () => {
    const decisions: DecisionRecord[] = [];
    await using pi = await scriptedPiSession({
      ui: { select: () => "Allow once" },
      extensions: [
        createNestbox({
          policy: quietPolicy({ typeAheadMs: 0, onDecision: (record) => void decisions.push(record) }),
        }),
      ],
    });
    const write = (name: string) =>
      `await tools.write({ path: '${name}', content: 'x' }); return 'wrote ${name}'`;
    await pi.prompt("before", script(write("a"), "A"));
    await pi.session.reload();
    await pi.prompt("after", script(write("b"), "B"));
    await pi.prompt(`/codemode ${write("c")}`, []);
    expect(pi.resultText("B")).toContain("wrote b");
    expect(byHand(pi)).toContain("wrote c");
    // Each was decided once, by one policy, and asked about once, with its own line.
    const written = decisions.filter(({ request }) => request.tool.name === "write");
    expect(written.map(({ request }) => request.input["path"])).toEqual(["a", "b", "c"]);
    expect(pi.ui?.dialogs.map(({ title }) => /script line 1: await tools.write/.test(title))).toEqual([
      true,
      true,
      true,
    ]);
    await pi.prompt("/trace", []);
    expect(pi.ui?.notifications.at(-1)?.message).toMatch(/✓ codemode[^]*✓ write/);
    expect(pi.errors).toEqual([]);
  });

  it("has ended the run by hand that was going on, and says nothing into the new session", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      extensions: [createNestbox({ policy: quietPolicy() })],
    });
    const endless = pi.session.prompt("/codemode await new Promise((done) => setTimeout(done, 600_000))");
    await pi.prompt("/codemode return 1", []);
    expect(pi.ui?.notifications.at(-1)?.message).toContain("A run goes on");
    await pi.session.reload();
    await endless;
    expect(pi.session.messages.filter(({ role }) => role === "custom")).toEqual([]);
    await pi.prompt("/codemode return 6 * 7", []);
    expect(byHand(pi)).toContain("42");
    expect(pi.errors).toEqual([]);
  });
});

describe("next to other extensions", () => {
  for (const order of ["before", "after"] as const) {
    it(`reaches a tool that an extension loaded ${order} it registers when the session starts`, async () => {
      const decisions: DecisionRecord[] = [];
      const ours = createNestbox({
        policy: quietPolicy({ onDecision: (record) => void decisions.push(record) }),
      });
      const theirs = { name: "late-one", factory: late("their_look", "session_start") };
      await using pi = await scriptedPiSession({
        extensions: order === "before" ? [theirs, ours] : [ours, theirs],
      });
      await pi.prompt("look", script("return await tools.their_look({})"));
      expect(pi.resultText("C")).toContain("their_look ran");
      const { request } = decisions.find(({ request: { tool } }) => tool.name === "their_look") ?? {};
      expect(request?.tool.source).toMatchObject({
        kind: "extension",
        id: expect.stringContaining("late-one"),
      });
      expect(request?.chain).toEqual([{ callId: "C", toolName: "codemode" }]);
      expect(pi.errors).toEqual([]);
    });

    it(`leaves one tool of each name when one loaded ${order} it takes a name of ours late`, async () => {
      const theirs = { name: "late-one", factory: late("run_checks", "session_start") };
      const ours = { name: "nestbox", factory: createNestbox({ policy: quietPolicy() }) };
      await using pi = await scriptedPiSession({
        ui: {},
        extensions: order === "before" ? [theirs, ours] : [ours, theirs],
      });
      const owners = pi.session.getAllTools().filter(({ name }) => name === "run_checks");
      expect(owners.map(({ sourceInfo }) => /late-one|nestbox/.exec(sourceInfo.path)?.[0])).toEqual([
        order === "before" ? "late-one" : "nestbox",
      ]);
      await pi.prompt("run", script("return 6 * 7"));
      expect(pi.resultText("C")).toContain("42");
      const said = (pi.ui?.notifications ?? []).filter(({ message }) => message.includes("late-one"));
      expect(said).toHaveLength(order === "before" ? 1 : 0);
    });
  }
});

/** Registers tools the way Pi's MCP support does. */
function standInServer(pi: ExtensionAPI): void {
  for (const [name, hints] of [
    ["mcp__notes__find", { readOnlyHint: true, openWorldHint: false }],
    ["mcp__notes__drop", {}],
  ] as const) {
    pi.registerTool({
      name,
      label: name,
      description: `${name} of the notes server.`,
      parameters: { type: "object", properties: { words: { type: "string" } } },
      exposure: "deferred",
      namespace: { name: "mcp__notes", aliases: ["notes"], description: "Notes" },
      annotations: hints,
      outputSchema: { type: "object" },
      execute: async () => ({
        content: [{ type: "text", text: `${name} ran` }],
        structuredContent: { ran: name },
        details: {},
      }),
    });
  }
}

describe("with MCP servers", () => {
  it("finds and reaches a server's tools from a script, and decides about them as the server's", async () => {
    const decisions: DecisionRecord[] = [];
    const policy = join(folder, "policy.jsonc");
    writeFileSync(
      policy,
      JSON.stringify({
        version: 1,
        rules: [{ id: "find-notes", effect: "allow", tool: { server: "notes", name: "mcp__notes__find" } }],
      }),
    );
    await using pi = await scriptedPiSession({
      extensions: [
        standInServer,
        createNestbox({
          policy: quietPolicy({
            files: [{ path: policy, layer: "user" }],
            onDecision: (record) => void decisions.push(record),
          }),
        }),
      ],
    });
    // contract A1, A2: deferred is registered, not active, and found by search.
    expect(pi.activeTools()).not.toContain("mcp__notes__find");
    await pi.prompt(
      "find",
      script(
        `const found = (await searchTools("notes")).map(({ name }) => name).sort();
         const { ran } = await tools.mcp__notes__find({ words: "x" });
         const dropped = await tools.mcp__notes__drop({}).catch(() => "was not allowed");
         return [found, ran, dropped];`,
      ),
    );
    expect(pi.resultText("C")).toContain(
      '[["mcp__notes__drop","mcp__notes__find"],"mcp__notes__find","was not allowed"]',
    );
    const judged = decisions.filter(({ request }) => request.tool.name.startsWith("mcp__"));
    expect(judged.map(({ request, verdict }) => [request.tool.source, verdict.effect])).toEqual([
      [{ kind: "mcp", server: "notes" }, "allow"],
      [{ kind: "mcp", server: "notes" }, "deny"],
    ]);
    expect(judged[0]?.verdict.decision.rule).toBe("find-notes");
  });
});

describe("with lists of tools", () => {
  // contract B13
  for (const [what, lists, missing] of [
    [
      "an allow-list",
      { tools: ["read", "codemode", "run_checks"] },
      "failing_tests, collect_diff, dangerous_commands, review_diff",
    ],
    ["a deny-list", { excludeTools: ["codemode", "failing_tests"] }, "codemode, failing_tests"],
  ] as const) {
    it(`lives with ${what}, and says once what is missing`, async () => {
      await using pi = await scriptedPiSession({
        ...lists,
        ui: {},
        extensions: [createNestbox({ policy: quietPolicy() })],
      });
      expect(pi.errors).toEqual([]);
      const [message, ...more] = pi.ui?.notifications ?? [];
      expect(more).toEqual([]);
      expect(message?.type).toBe("info");
      const named = /^Nestbox: (.*) are left out/.exec(message?.message ?? "")?.[1]?.split(", ") ?? [];
      expect(named.sort()).toEqual(missing.split(", ").sort());
      await pi.prompt("read", [call("read", { path: "none.txt" }, "R"), "done"]);
      expect(pi.resultText("R")).not.toContain("Blocked");
    });
  }
});
