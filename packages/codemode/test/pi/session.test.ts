import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createCodemodeExtension as createBuiltin,
  type ExtensionFactory,
  initTheme,
  SessionManager,
  ToolExecutionComponent,
} from "@earendil-works/pi-coding-agent";
import type { CallDecision } from "@nestbox/tool";
import { call, scriptedPiSession, type ScriptedPiSessionOptions } from "@nestbox/tool/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRunner } from "../../src/node/index.ts";
import { type CodemodeExtensionOptions, createCodemodeExtension } from "../../src/pi/index.ts";
import type { ScriptRunner } from "../../src/types.ts";
import { activateCodemode, parityTools } from "./parity/tools.ts";

let runner: ScriptRunner;

beforeAll(() => {
  runner = createRunner();
});

afterAll(() => runner.close());

/** A session with our codemode in it, and the tools of the parity suite. */
function session(options: CodemodeExtensionOptions = {}, rest: ScriptedPiSessionOptions = {}) {
  const { extensions = [], ...others } = rest;
  return scriptedPiSession({
    extensions: [createCodemodeExtension({ runner, active: true, ...options }), parityTools, ...extensions],
    noTools: "builtin",
    ...others,
  });
}

const script = (code: string) => [call("codemode", { code }), "done"];

describe("the tool in a session", () => {
  test("is registered and not active, as the built-in one, unless asked for", async () => {
    await using quiet = await session({ active: false });
    expect(quiet.activeTools()).not.toContain("codemode");
    await using active = await session();
    expect(active.activeTools()).toContain("codemode");
  });

  test("stands in the place of the built-in one: an SDK user loads this one instead", async () => {
    await using pi = await scriptedPiSession({
      extensions: [createCodemodeExtension({ runner }), activateCodemode],
      noTools: "builtin",
    });
    await pi.prompt("go", script("const x: number = 1; return x"));
    expect(pi.resultText()).toMatch(/\n1$/);
    expect(pi.errors).toEqual([]);
  });

  test("the tool itself asks for nothing: what it calls is judged call by call", async () => {
    // R13, contract A7
    await using pi = await session();
    const info = pi.session.getAllTools().find(({ name }) => name === "codemode");
    const { readOnlyHint, destructiveHint } = info?.annotations ?? {};
    expect([readOnlyHint, destructiveHint]).toEqual([true, false]);
  });

  test("what was put out is not lost when values cannot be stored", async () => {
    const broken: ExtensionFactory = (api) =>
      createCodemodeExtension({ runner, active: true })({
        ...api,
        appendEntry: () => {
          throw new Error("stale context");
        },
      });
    await using pi = await scriptedPiSession({ extensions: [broken, parityTools], noTools: "builtin" });
    await pi.prompt("go", script("store('k', 1); return 'kept'"));
    expect(pi.resultText()).toContain("kept\nNote: what the script stored could not be kept: stale context");
  });

  test("a script starts no script", async () => {
    await using pi = await session();
    await pi.prompt(
      "go",
      script("return [(await ctx.executeTool('codemode', { code: '1' })).isError, 'codemode' in tools]"),
    );
    expect(pi.resultText()).toContain("[true,false]");
  });

  test("every call goes through the handlers of the session, and is on record", async () => {
    // contract A15, A16, A17; R16: handlers see both levels, what the model calls and what a script calls
    const seen: unknown[] = [];
    const spy: ExtensionFactory = (pi) => {
      pi.on(
        "tool_call",
        (event) => void seen.push([event.toolName, event.toolCallId, event.parentToolCallId]),
      );
    };
    await using pi = await session({}, { extensions: [spy] });
    await pi.prompt("go", [
      call("codemode", { code: "await tools.echo({ a: 1 }); return await tools.data({ i: 2 })" }, "c"),
      "done",
    ]);
    expect(seen).toEqual([
      ["codemode", "c", undefined],
      ["echo", "c/1", "c"],
      ["data", "c/2", "c"],
    ]);
    expect(
      pi
        .nestedCalls()
        .get("c")
        ?.calls.map(({ name, status }) => [name, status]),
    ).toEqual([
      ["echo", "ok"],
      ["data", "ok"],
    ]);
  });

  test("the clock stands still while a person decides", async () => {
    // D9: in the built-in tool the limit is a hard deadline
    const guard: ExtensionFactory = (pi) => {
      pi.on("tool_call", async (event, ctx) => {
        if (event.toolName !== "echo") return undefined;
        const yes = await ctx.ui.confirm("Sure?", "echo");
        return yes ? undefined : { block: true, reason: "no" };
      });
    };
    const slowly = () => new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 4_500));
    const code = '// @options: {"timeout_ms": 3000}\nreturn await tools.echo({ a: 1 })';
    await using ours = await session({}, { extensions: [guard], ui: { confirm: slowly } });
    await ours.prompt("go", script(code));
    expect(ours.resultText()).toContain('{"a":1}');
    await using builtin = await scriptedPiSession({
      extensions: [createBuiltin(), parityTools, activateCodemode, guard],
      noTools: "builtin",
      ui: { confirm: slowly },
    });
    await builtin.prompt("go", script(code));
    expect(builtin.resultText()).toMatch(/Execution timed out after \d+ ms/);
  });

  test("a decision stands in the details, and a refusal is told as one", async () => {
    const decision: CallDecision = { effect: "deny", rule: "test.guarded", layer: "user" };
    await using pi = await session({ decisionOf: (id) => (id.endsWith("/1") ? decision : undefined) });
    await pi.prompt("go", script("await tools.guarded({})"));
    const result = pi.toolResults().at(-1);
    expect(pi.resultText()).toContain("guarded (denied)");
    expect(result?.details).toMatchObject({ calls: [{ name: "guarded", status: "error", decision }] });
    expect(pi.resultText()).toContain("PolicyError: The guard says no");
  });

  test("a refusal that nobody explains is an error like any other, as in the built-in codemode", async () => {
    // D24
    const code = "return await tools.guarded({}).catch((e) => [e.name, e.message])";
    await using plain = await session();
    await plain.prompt("go", script(code));
    expect(plain.resultText()).toContain('["Error","The guard says no"]');
    const decision: CallDecision = { effect: "deny", rule: "test.guarded", layer: "user" };
    await using told = await session({ decisionOf: () => decision });
    await told.prompt("go", script(code));
    expect(told.resultText()).toContain(
      '["PolicyError","The guard says no [denied by rule test.guarded (user)]"]',
    );
  });

  test("what a script is told stands in the details: warnings, statistics, calls", async () => {
    await using pi = await session();
    await pi.prompt("go", script("Promise.reject(new Error('lost')); await tools.echo({}); return 1"));
    expect(pi.toolResults().at(-1)?.details).toMatchObject({
      calls: [{ id: expect.stringMatching(/\/1$/), name: "echo", args: "{}", status: "ok" }],
      warnings: [{ kind: "unhandled-rejection" }],
      stats: { calls: 1 },
    });
  });

  test("a script that was aborted says so", async () => {
    await using pi = await session();
    const aborter = new Promise<void>((resolve) => {
      pi.session.subscribe((event) => {
        if (event.type === "tool_execution_start" && event.toolName === "wait") resolve(pi.session.abort());
      });
    });
    await pi.prompt("go", [call("codemode", { code: "await tools.wait({})" })]);
    await aborter;
    expect(pi.resultText()).toContain("Script aborted: ");
    expect(pi.toolResults().at(-1)?.details).toMatchObject({
      calls: [{ name: "wait", status: "cancelled" }],
    });
  });

  test("a store value outlives the script and not its branch", async () => {
    await using pi = await session();
    await pi.prompt("go", script("store('k', 1)"));
    await pi.prompt("go", script("return load('k')"));
    expect(pi.resultText()).toMatch(/\n1$/);
  });
});

describe("checking before running", () => {
  test("refuse: a script with mistakes makes no call", async () => {
    await using pi = await session({ check: "refuse" });
    await pi.prompt("go", script("await tools.echo({});\nawait tools.data({ i: 'x' })"));
    expect(pi.resultText()).toContain(
      "The script was not run: checking it against the tools' declarations found a mistake.",
    );
    expect(pi.resultText()).toContain("codemode.js:2:20: Type 'string' is not assignable to type 'number'.");
    expect(pi.toolResults().at(-1)).toMatchObject({ isError: true });
    expect(pi.nestedCalls().size).toBe(0);
    await pi.prompt("go", script("return (await tools.data({ i: 1 })).i"));
    expect(pi.resultText()).toMatch(/\n1$/);
  });

  test("note: it runs, and the findings stand in the details", async () => {
    await using pi = await session({ check: "note" });
    await pi.prompt("go", script("return (await tools.data({ i: '3' })).i"));
    expect(pi.resultText()).toMatch(/\n3$/);
    expect(pi.toolResults().at(-1)?.details).toMatchObject({
      check: { kind: "faulty", diagnostics: [{ line: 1 }] },
    });
  });
});

describe("the setting codemode.check", () => {
  const wrong = script("return (await tools.data({ i: '3' })).i");
  const withCheck = (check: unknown, options: CodemodeExtensionOptions = {}) =>
    // The key is this package's own; Pi hands on what a settings file holds.
    session(options, { settings: { codemode: { check } } as ScriptedPiSessionOptions["settings"] & object });

  test("`refuse` runs no script with mistakes", async () => {
    await using pi = await withCheck("refuse");
    await pi.prompt("go", wrong);
    expect(pi.resultText()).toContain("The script was not run: ");
    expect(pi.nestedCalls().size).toBe(0);
  });

  test("`note` runs it and keeps what was found", async () => {
    await using pi = await withCheck("note");
    await pi.prompt("go", wrong);
    expect(pi.resultText()).toMatch(/\n3$/);
    expect(pi.toolResults().at(-1)?.details).toMatchObject({ check: { kind: "faulty" } });
  });

  test.each(["off", "on", true, null])("%j checks nothing", async (check) => {
    await using pi = await withCheck(check);
    await pi.prompt("go", wrong);
    expect(pi.resultText()).toMatch(/\n3$/);
    expect(pi.toolResults().at(-1)?.details).not.toHaveProperty("check");
  });

  test("an option of the code's overrides it", async () => {
    await using pi = await withCheck("refuse", { check: "off" });
    await pi.prompt("go", wrong);
    expect(pi.resultText()).toMatch(/\n3$/);
  });
});

describe("settings", () => {
  const tool: ExtensionFactory = (pi) =>
    pi.registerTool({
      name: "direct",
      label: "direct",
      description: "A direct tool.",
      parameters: { type: "object", properties: {} },
      execute: async () => ({ content: [{ type: "text", text: "direct" }], details: {} }),
    });

  test("codemode.mode `on` keeps direct tools declared, with a word on scripts", async () => {
    await using pi = await session({}, { extensions: [tool] });
    const described = pi.session.agent.state.tools.find(({ name }) => name === "direct")?.description;
    expect(described).toBe("A direct tool.\n\nIn codemode: `await tools.direct(args)` gives a string.");
  });

  test("codemode.mode `only` lists them in codemode instead", async () => {
    await using pi = await session({}, { extensions: [tool], settings: { codemode: { mode: "only" } } });
    const codemode = pi.session.agent.state.tools.find(({ name }) => name === "codemode")?.description;
    expect(codemode).toContain("### `direct`\nA direct tool.");
    await pi.prompt("go", script("return await tools.direct({})"));
    expect(pi.resultText()).toContain("direct");
  });

  test("codemode.inlineBudget bounds the list", async () => {
    await using pi = await session({}, { settings: { codemode: { inlineBudget: 0 } } });
    const codemode = pi.session.agent.state.tools.find(({ name }) => name === "codemode")?.description;
    expect(codemode).not.toContain("### `echo`");
    await using roomy = await session({});
    expect(roomy.session.agent.state.tools.find(({ name }) => name === "codemode")?.description).toContain(
      "### `echo`",
    );
  });
});

describe("drawing", () => {
  test("a result is drawn as Pi draws its own, in the terminal", async () => {
    // contract A22
    initTheme("dark");
    await using pi = await session();
    await pi.prompt("go", script("await tools.echo({ a: 1 }); return 'shown'"));
    const definition = pi.session.extensionRunner.getToolDefinition("codemode");
    expect(definition).toMatchObject({
      renderCall: expect.any(Function),
      renderResult: expect.any(Function),
    });
    const result = pi.toolResults().at(-1);
    if (result === undefined) throw new Error("no result");
    // Of the terminal only the request to draw is used.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const ui = { requestRender: () => undefined } as never;
    const row = new ToolExecutionComponent(
      "codemode",
      "c",
      { code: "return 'shown'" },
      {},
      definition,
      ui,
      pi.cwd,
    );
    row.updateResult({ ...result, isError: false });
    const drawn = row.render(100).join("\n");
    expect(drawn).toContain("✓");
    expect(drawn).toContain("echo");
    expect(drawn).toContain("shown");
    expect(drawn).not.toContain("Wall time");
  });

  test("and in the HTML export", async () => {
    const folder = await mkdtemp(join(tmpdir(), "export-"));
    try {
      initTheme("dark");
      await using pi = await session({}, { sessionManager: SessionManager.create(folder, folder) });
      await pi.prompt("go", script("await tools.echo({}); return 'in the ' + 'export'"));
      const html = await readFile(await pi.session.exportToHtml(join(folder, "out.html")), "utf8");
      const data = /<script id="session-data"[^>]*>([^<]*)</.exec(html)?.[1] ?? "";
      const { renderedTools } = JSON.parse(Buffer.from(data, "base64").toString("utf8"));
      const drawn = JSON.stringify(renderedTools);
      expect(drawn).toContain("callHtml");
      expect(drawn).toContain("in the export");
      expect(drawn).not.toContain("Wall time");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe("lifetime", () => {
  // contract A26
  test("a runner that the extension made is made for the first script and closed with the session", async () => {
    let made = 0;
    let closed = 0;
    const counted = (): ScriptRunner => {
      made++;
      return {
        run: (request) => runner.run(request),
        warm: () => runner.warm(),
        close: async () => void closed++,
      };
    };
    const pi = await session({ runner: counted });
    expect(made).toBe(0);
    await pi.prompt("go", script("return 1"));
    await pi.prompt("go", script("return 2"));
    expect([made, closed]).toEqual([1, 0]);
    await pi.dispose();
    expect([made, closed]).toEqual([1, 1]);
  });

  test("after a reload scripts run again, with a runner of the new load", async () => {
    let made = 0;
    const counted = (): ScriptRunner => {
      made++;
      return {
        run: (request) => runner.run(request),
        warm: () => runner.warm(),
        close: async () => undefined,
      };
    };
    await using pi = await session({ runner: counted });
    await pi.prompt("go", script("store('k', 1); return 1"));
    await pi.session.reload();
    await pi.prompt("go", script("return [load('k'), (await tools.echo({ a: 2 }))]"));
    expect(pi.resultText()).toContain('[1,"{\\"a\\":2}"]');
    expect(made).toBe(2);
    expect(pi.errors).toEqual([]);
  });
});
