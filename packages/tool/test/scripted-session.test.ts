import fs, { existsSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getAgentDir, type ExtensionAPI, type ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { obj, str } from "@earendil-works/pi-schema";
import { dataResult, defineTool, textResult } from "@nestbox/tool";
import { call, never, scriptedPiSession } from "@nestbox/tool/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const greet = defineTool({
  name: "greet",
  description: "Greets.",
  parameters: obj({ who: str() }),
  outputSchema: obj({ greeting: str() }),
  async execute(_id, { who }) {
    return dataResult({ greeting: `Hello ${who}` });
  },
});

const twice = defineTool({
  name: "twice",
  description: "Greets two.",
  parameters: obj({}),
  async execute(_id, _params, _signal, _onUpdate, ctx) {
    const outcomes = await Promise.all(["Ann", "Bo"].map(async (who) => ctx?.executeTool("greet", { who })));
    return textResult(outcomes.map((outcome) => JSON.stringify(outcome?.result.structuredContent)).join(" "));
  },
});

const register =
  (...tools: readonly unknown[]): ExtensionFactory =>
  (pi: ExtensionAPI) => {
    for (const tool of tools) pi.registerTool(tool as Parameters<ExtensionAPI["registerTool"]>[0]);
  };

describe("a scripted Pi session", () => {
  it("runs a tool in ten lines, and gives events, transcript and the record of nested calls", async () => {
    // contract B12, A15, A16, A17
    await using pi = await scriptedPiSession({ extensions: [register(greet, twice)] });
    await pi.prompt("Greet them", [call("twice"), "Done."]);

    expect(pi.resultText()).toBe('{"greeting":"Hello Ann"} {"greeting":"Hello Bo"}');
    expect(pi.nestedCalls().get("call-1")).toMatchObject({
      complete: true,
      calls: [
        { id: "call-1/1", name: "greet", arguments: { who: "Ann" }, status: "ok" },
        { id: "call-1/2", name: "greet", arguments: { who: "Bo" }, status: "ok" },
      ],
    });
    expect(
      pi
        .transcript()
        .map(({ role }) => role)
        .filter((role) => role !== "system"),
    ).toEqual(["user", "assistant", "toolResult", "assistant"]);
    const starts = pi.events.flatMap((event) => (event.type === "tool_execution_start" ? [event] : []));
    expect(starts.map(({ toolCallId, parentToolCallId }) => [toolCallId, parentToolCallId])).toEqual([
      ["call-1", undefined],
      ["call-1/1", "call-1"],
      ["call-1/2", "call-1"],
    ]);
    expect(pi.errors).toEqual([]);
  });

  it("takes custom tools, several calls in one turn, and replies that read the messages", async () => {
    await using pi = await scriptedPiSession({ customTools: [greet as never], noTools: "builtin" });
    await pi.prompt("Greet", [
      ["Both at once", call("greet", { who: "A" }), call("greet", { who: "B" }, "mine")],
      (messages) => `I read ${messages.filter((message) => message.role === "toolResult").length}`,
    ]);
    expect(pi.toolResults().map(({ toolCallId }) => toolCallId)).toEqual(["call-1", "mine"]);
    expect(pi.resultText("mine")).toContain("Hello B");
    expect(JSON.stringify(pi.transcript().at(-1))).toContain("I read 2");
    expect(pi.activeTools()).toEqual(["greet"]);
  });

  const asks =
    (seen: unknown[]): ExtensionFactory =>
    (pi) => {
      pi.on("tool_call", async (_event, ctx) => {
        const dialog = AbortSignal.timeout(50);
        const allowed = ctx.hasUI && (await ctx.ui.confirm("Run it?", "A greeting", { signal: dialog }));
        seen.push({ hasUI: ctx.hasUI, mode: ctx.mode, allowed, trusted: ctx.isProjectTrusted() });
        ctx.ui.notify("asked", "warning");
        return allowed ? undefined : { block: true, reason: "Not allowed" };
      });
    };

  it("without a UI says so to handlers", async () => {
    // contract A8
    const seen: unknown[] = [];
    await using pi = await scriptedPiSession({
      extensions: [register(greet), asks(seen)],
      projectTrusted: false,
    });
    await pi.prompt("Greet", [call("greet", { who: "A" }), "Ok"]);
    expect(seen).toEqual([{ hasUI: false, mode: "print", allowed: false, trusted: false }]);
    expect(pi.resultText()).toBe("Not allowed");
    expect(pi.toolResults()[0]?.isError).toBe(true);
  });

  it("with a scripted person answers dialogs from the script and records them", async () => {
    const seen: unknown[] = [];
    await using pi = await scriptedPiSession({
      extensions: [register(greet), asks(seen)],
      ui: { confirm: [true, false] },
    });
    const again = [
      call("greet", { who: "A" }),
      call("greet", { who: "B" }),
      call("greet", { who: "C" }),
      "Ok",
    ];
    await pi.prompt("Greet", again);
    expect(pi.toolResults().map(({ isError }) => isError)).toEqual([false, true, true]);
    expect(pi.ui?.dialogs.map(({ kind, title, message, answer }) => [kind, title, message, answer])).toEqual([
      ["confirm", "Run it?", "A greeting", true],
      ["confirm", "Run it?", "A greeting", false],
      ["confirm", "Run it?", "A greeting", false],
    ]);
    expect(pi.ui?.notifications).toHaveLength(3);
    expect(seen[0]).toMatchObject({ hasUI: true, mode: "tui" });
  });

  it("with a person who does not answer leaves the dialog open until its signal closes it", async () => {
    await using pi = await scriptedPiSession({
      extensions: [register(greet), asks([])],
      ui: { confirm: never },
    });
    await pi.prompt("Greet", [call("greet", { who: "A" }), "Ok"]);
    expect(pi.ui?.dialogs).toMatchObject([{ answer: undefined, dismissedBySignal: true }]);
    expect(pi.ui?.open()).toBe(0);
  });

  it("reports errors of extensions instead of hiding them", async () => {
    const broken: ExtensionFactory = (pi) => {
      pi.on("session_start", () => {
        throw new Error("broken start");
      });
    };
    const failing: ExtensionFactory = () => {
      throw new Error("broken load");
    };
    await using pi = await scriptedPiSession({ extensions: [broken, failing] });
    expect(pi.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining("broken load"),
      expect.stringContaining("broken start"),
    ]);
  });

  it("tells a script that is too short or too long", async () => {
    await using pi = await scriptedPiSession({ extensions: [register(greet)] });
    const short = pi.prompt("Greet", [call("greet", { who: "A" })]);
    await expect(short).rejects.toMatchObject({ code: "bad-script" });
    await expect(pi.prompt("Greet", ["Done", "Never said"])).rejects.toThrow("1 of 2 replies were not used");
  });

  it("ends with a shutdown event and leaves no folder behind", async () => {
    let shutdown = 0;
    const pi = await scriptedPiSession({
      extensions: [(api) => void api.on("session_shutdown", () => void (shutdown += 1))],
    });
    expect(existsSync(pi.cwd) && existsSync(pi.agentDir)).toBe(true);
    await pi.dispose();
    await pi.dispose();
    expect(shutdown).toBe(1);
    expect(existsSync(pi.cwd) || existsSync(pi.agentDir)).toBe(false);
  });

  describe("lends its own folder to whatever asks for Pi's", () => {
    const variable = "PI_CODING_AGENT_DIR";
    afterEach(() => vi.unstubAllEnvs());

    /** Notes which folder is found while loading, at the start, and in a call. */
    const noting =
      (found: string[]): ExtensionFactory =>
      async (pi) => {
        found.push(getAgentDir());
        await new Promise((resolve) => setTimeout(resolve, 5));
        pi.on("session_start", async () => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          found.push(getAgentDir());
        });
        pi.on("tool_call", () => void found.push(getAgentDir()));
      };

    it("for as long as it lives, and puts back what was there", async () => {
      for (const before of [undefined, join(tmpdir(), "somebody's")]) {
        vi.stubEnv(variable, before);
        const found: string[] = [];
        const pi = await scriptedPiSession({ extensions: [register(greet), noting(found)] });
        await pi.prompt("Greet", [call("greet", { who: "A" }), "Ok"]);
        await pi.dispose();
        expect(found).toEqual([pi.agentDir, pi.agentDir, pi.agentDir]);
        expect(process.env[variable]).toBe(before);
      }
    });

    it("to each of several that start at once, and never the user's, in whatever order they end", async () => {
      vi.stubEnv(variable, join(tmpdir(), "the-user's"));
      const found: [string[], string[], string[]] = [[], [], []];
      const [a, b, c] = await Promise.all([
        scriptedPiSession({ extensions: [register(greet), noting(found[0])] }),
        scriptedPiSession({ extensions: [register(greet), noting(found[1])] }),
        scriptedPiSession({ extensions: [register(greet), noting(found[2])] }),
      ]);
      const all = [a, b, c];
      expect(found).toEqual(all.map(({ agentDir }) => [agentDir, agentDir]));
      await a.prompt("Greet", [call("greet", { who: "A" }), "Ok"]);
      expect(found[0].at(-1)).toBe(a.agentDir);
      await a.dispose();
      expect([b.agentDir, c.agentDir]).toContain(getAgentDir());
      await c.dispose();
      expect(getAgentDir()).toBe(b.agentDir);
      await b.prompt("Greet", [call("greet", { who: "B" }), "Ok"]);
      expect(found[1].at(-1)).toBe(b.agentDir);
      await b.dispose();
      expect(process.env[variable]).toBe(join(tmpdir(), "the-user's"));
    });

    it("which may be one that the test has filled, and is then left where it is", async () => {
      const agentDir = fs.mkdtempSync(join(tmpdir(), "nestbox-agent-"));
      try {
        fs.writeFileSync(join(agentDir, "note"), "kept");
        const found: string[] = [];
        const pi = await scriptedPiSession({ agentDir, extensions: [noting(found)] });
        await pi.dispose();
        expect([pi.agentDir, ...found]).toEqual([agentDir, agentDir, agentDir]);
        expect(fs.readFileSync(join(agentDir, "note"), "utf8")).toBe("kept");
      } finally {
        fs.rmSync(agentDir, { recursive: true });
      }
    });

    it("and not after a start that failed", async () => {
      vi.stubEnv(variable, undefined);
      const failing = {
        get settings(): never {
          throw new Error("no settings");
        },
      };
      await expect(scriptedPiSession(failing)).rejects.toThrow("no settings");
      expect(process.env[variable]).toBeUndefined();
      await using pi = await scriptedPiSession({});
      expect(getAgentDir()).toBe(pi.agentDir);
    });
  });

  it("says through the UI that no keyboard feeds it", async () => {
    const told: unknown[] = [];
    await using pi = await scriptedPiSession({
      extensions: [
        (api) =>
          void api.on("session_start", (_event, ctx) => void told.push(Reflect.get(ctx.ui, "typeAheadMs"))),
      ],
      ui: {},
    });
    expect(told).toEqual([0]);
    expect(pi.errors).toEqual([]);
  });

  describe("on a user's own machine", () => {
    const connect = vi.spyOn(Socket.prototype, "connect");
    const fetched = vi.spyOn(globalThis, "fetch");
    beforeEach(() => {
      connect.mockClear();
      fetched.mockClear();
    });
    afterEach(() => vi.unstubAllEnvs());

    it("reaches no network, and reads nothing of the user's home", async () => {
      const { mkdtempSync, mkdirSync, writeFileSync, rmSync } = fs;
      const home = mkdtempSync(join(tmpdir(), "nestbox-home-"));
      const files = {
        ".pi/agent/extensions/evil.ts": "throw new Error('loaded from home')",
        ".pi/agent/AGENTS.md": "HOME-CONTEXT",
        ".pi/agent/settings.json": '{"defaultTools":["ls"]}',
        ".agents/skills/evil/SKILL.md": "---\nname: evil\ndescription: HOME-SKILL\n---\n",
      };
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(`${home}/${name}`), { recursive: true });
        writeFileSync(`${home}/${name}`, text);
      }
      vi.stubEnv("HOME", home);
      const opened: string[] = [];
      for (const method of ["readFileSync", "readdirSync", "openSync", "statSync", "existsSync"] as const) {
        const original = fs[method] as (...args: unknown[]) => unknown;
        vi.spyOn(fs, method).mockImplementation(((...args: unknown[]) => {
          if (String(args[0]).startsWith(home)) opened.push(`${method} ${String(args[0])}`);
          return original(...args);
        }) as never);
      }
      syncBuiltinESMExports();
      try {
        await using pi = await scriptedPiSession({ extensions: [register(greet)] });
        await pi.prompt("Greet", [call("greet", { who: "A" }), "Ok"]);
        expect(pi.errors).toEqual([]);
        expect(JSON.stringify(pi.transcript())).not.toContain("HOME-");
        expect(pi.activeTools()).toEqual(["read", "bash", "edit", "write", "greet"]);
        expect(opened).toEqual([]);
        expect(connect).not.toHaveBeenCalled();
        expect(fetched).not.toHaveBeenCalled();
      } finally {
        vi.restoreAllMocks();
        syncBuiltinESMExports();
        rmSync(home, { recursive: true });
      }
    });
  });
});
