import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readTrace } from "@nestbox/calls";
import { describe, expect, it } from "vitest";

import { HOSTILE, OBEYED } from "./support/fake-fleet.ts";
import { fixtureTools, nestbox, nestboxProcess, runScript } from "./support/nestbox.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-cli-"));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const policy = (name: string, rules: readonly object[]): string =>
  file(`${name}.jsonc`, JSON.stringify({ version: 1, rules }));

describe("a script on the command line", () => {
  // contract A9, C3, C5
  it("calls tools, reads their structured content, and its value is in the report", async () => {
    const { exitCode, report } = await runScript(
      `const a = await tools.double({ n: 4 });
       const b = await ctx.executeTool("double", { n: a.n });
       console.log("seen", a.n);
       text("one");
       return { a, b: b.result.structuredContent, isError: b.isError, id: b.toolCall.id };`,
    );
    expect(report).toMatchObject({
      ok: true,
      value: { a: { n: 8 }, b: { n: 16 }, isError: false },
      error: null,
      output: [{ type: "text", text: "one" }],
      console: ["seen 8"],
    });
    expect(report.calls).toMatchObject([
      {
        name: "double",
        status: "ok",
        decision: { effect: "allow", rule: "default.annotations", layer: "built-in" },
      },
      { name: "double", status: "ok" },
    ]);
    expect(report.calls[0]?.durationMs).toBeTypeOf("number");
    expect(exitCode).toBe(0);
  });

  // contract A4
  it("reads the exit code of a command as data", async () => {
    const { report } = await runScript(`return (await tools.exits({})).exitCode`);
    expect(report).toMatchObject({ ok: true, value: 3 });
  });

  // contract A1, A2
  it("reaches a tool by its exposure", async () => {
    const { report } = await runScript(
      `const reach = async (name) => (await ctx.executeTool(name, {})).result.content[0].text;
       return [await reach("later"), await reach("secret_tool"), await reach("only_the_model"), ALL_TOOLS.map((t) => t.name)];`,
    );
    expect(report.value).toEqual([
      "late",
      "Tool secret_tool not found",
      "Tool only_the_model not found",
      expect.arrayContaining(["double", "later"]),
    ]);
    expect(JSON.stringify(report.value)).not.toContain('"secret_tool"');
  });

  // contract A21
  it("reads the instructions of a namespace", async () => {
    const { report } = await runScript(`return describeNamespace("misc")`);
    expect(report.value).toEqual({
      name: "misc",
      description: "This and that",
      instructions: "Ask first.",
      tools: ["later"],
    });
  });

  // contract A19
  it("gets an outcome, not a rejection, for an unknown tool and for wrong arguments", async () => {
    const { report } = await runScript(
      `const a = await ctx.executeTool("nope", {});
       const b = await ctx.executeTool("double", { n: "many" });
       return [a.isError, a.result.content[0].text, b.isError, b.result.content[0].text];`,
    );
    expect(report.value).toEqual([true, "Tool nope not found", true, expect.stringContaining("n")]);
  });

  it("is read from standard input, and may be TypeScript", async () => {
    const { report } = await runScript(`interface A { n: number }\nconst a: A = { n: 2 };\nreturn a.n`);
    expect(report).toMatchObject({ ok: true, value: 2 });
  });

  it("finds files that it is given from where the command was started, whatever --cwd says", async () => {
    const script = file("here.js", "return 1");
    const { report } = await nestbox(["run", script, "--tools", fixtureTools, "--cwd", tmpdir(), "--json"]);
    expect(report).toMatchObject({ ok: true, value: 1 });
  });

  it("may stand on the command line itself", async () => {
    const { exitCode, report } = await nestbox([
      "run",
      "--eval",
      "return (await tools.double({ n: 21 })).n",
      "--tools",
      fixtureTools,
      "--json",
    ]);
    expect(report).toMatchObject({ ok: true, value: 42 });
    expect(exitCode).toBe(0);
  });

  it("reads in ALL_TOOLS what searching and describing give too", async () => {
    const { report } = await runScript(
      `return ALL_TOOLS.find((tool) => tool.name === "double").description === await describeTool("double")`,
    );
    expect(report.value).toBe(true);
  });

  it("leaves a trace of its calls, with redacted arguments, that only its owner can read", async () => {
    const trace = join(folder, "trace.json");
    await runScript(
      `await tools.double({ n: 1 }); await ctx.executeTool("deploy", { token: "ghp_${"a1B2".repeat(9)}" }); throw new Error("x")`,
      "--trace",
      trace,
    );
    const text = readFileSync(trace, "utf8");
    expect(text).not.toContain("ghp_");
    expect(readTrace(text)).toMatchObject({
      ok: true,
      trace: {
        calls: [
          { id: "run/1", name: "double", status: "ok", decision: { effect: "allow" }, arguments: '{"n":1}' },
          { id: "run/2", name: "deploy", status: "denied" },
        ],
      },
    });
    expect(statSync(trace).mode & 0o077).toBe(0);
  });

  it("prints for a person what it returned, and how each call was decided", async () => {
    const script = file("person.js", "await tools.double({ n: 1 }); return { done: true }");
    const { exitCode, stdout, stderr } = await nestbox(["run", script, "--tools", fixtureTools]);
    expect(stdout).toBe('{\n  "done": true\n}\n');
    expect(stderr).toContain("allow double  default.annotations (built-in)");
    expect(stderr).toMatch(/└─ double +ok/);
    expect(exitCode).toBe(0);
  });
});

describe("a call that the policy does not allow", () => {
  it("rejects with the name of the rule, and the script can go on", async () => {
    const rules = policy("deny", [
      { id: "no-deploys", effect: "deny", tool: "deploy", reason: "Not on a Friday." },
    ]);
    const { exitCode, report } = await runScript(
      `try { await tools.deploy({}) } catch (error) { return [error.name, error.message] }`,
      "--policy",
      rules,
    );
    expect(report.value).toEqual([expect.any(String), expect.stringContaining("no-deploys")]);
    expect(report.calls).toMatchObject([
      { name: "deploy", status: "denied", decision: { effect: "deny", rule: "no-deploys", layer: "user" } },
    ]);
    expect(exitCode).toBe(0);
  });

  it("ends the script as a policy error when it is not caught", async () => {
    const rules = policy("uncaught", [{ id: "no-deploys", effect: "deny", tool: "deploy" }]);
    const { exitCode, report } = await runScript(`await tools.deploy({})`, "--policy", rules);
    expect(report.error).toMatchObject({ kind: "policy", message: expect.stringContaining("no-deploys") });
    expect(exitCode).toBe(3);
  });

  // contract A6, A7, A8
  it("is denied when nobody can be asked, and says so", async () => {
    const { report } = await runScript(
      `const o = await ctx.executeTool("deploy", {}); return [o.isError, o.result.content[0].text]`,
    );
    expect(report.value).toEqual([true, expect.stringMatching(/approval.*no UI/)]);
    expect(report.calls).toMatchObject([{ status: "denied", decision: { effect: "deny" } }]);
  });
});

describe("a script that fails", () => {
  it("tells the line of what it threw", async () => {
    const { exitCode, report } = await runScript(`const a = 1;\nconst b = 2;\nthrow new RangeError("boom")`);
    expect(report.error).toMatchObject({ kind: "script", name: "RangeError", message: "boom", line: 3 });
    expect(exitCode).toBe(1);
  });

  it("tells the line of a syntax error, for a person with the line itself", async () => {
    const script = file("syntax.js", "const a = 1;\nconst b = ;\n");
    const { exitCode, stderr, stdout } = await nestbox(["run", script, "--tools", fixtureTools]);
    expect(stderr).toMatch(/SyntaxError/);
    expect(stderr).toContain("syntax.js:2");
    expect(stderr).toContain("const b = ;");
    expect(stdout).toBe("");
    expect(exitCode).toBe(1);
    const json = await runScript("const a = 1;\nconst b = ;\n");
    expect(json.report.error).toMatchObject({ kind: "script", name: "SyntaxError", line: 2 });
  });

  it("ends at its time limit, and the call that hung is cancelled", async () => {
    const { exitCode, report } = await runScript(`await tools.hang({})`, "--timeout-ms", "10000");
    expect(report.error).toMatchObject({ kind: "timeout" });
    expect(report.calls).toMatchObject([
      { id: "run/1", name: "hang", status: "cancelled", decision: { effect: "allow", layer: "built-in" } },
    ]);
    expect(exitCode).toBe(4);
  });

  it("tells programs the id and the decision of calls that were cancelled", async () => {
    const { report } = await runScript(
      "const calls = [tools.hang({}), tools.double({ n: 1 }), tools.hang({})]; await calls[1]; return 1",
    );
    const decision = { effect: "allow", layer: "built-in" };
    expect(report.calls).toMatchObject([
      { id: "run/1", name: "hang", status: "cancelled", decision },
      { id: "run/2", name: "double", status: "ok", decision },
      { id: "run/3", name: "hang", status: "cancelled", decision },
    ]);
  });

  it("shows a person which call was cancelled", async () => {
    // What still runs when a script ends is cancelled.
    const script = file("hang.js", "tools.hang({}); await tools.double({ n: 1 })");
    const { stderr } = await nestbox(["run", script, "--tools", fixtureTools]);
    expect(stderr).toMatch(/├─ hang +cancelled/);
  });

  it("ends at its memory limit", async () => {
    const { exitCode, report } = await runScript(
      `const a = []; while (true) a.push(new Array(1e5).fill(1.5))`,
      "--memory-mb",
      "64",
    );
    expect(report.error).toMatchObject({ kind: "memory" });
    expect(exitCode).toBe(4);
  });

  it("keeps the lines of its message for a person, and no other control character", async () => {
    const script = file("lines.js", 'throw new Error("first\\nsecond \\u001b[31mred")');
    const { stderr } = await nestbox(["run", script, "--tools", fixtureTools]);
    expect(stderr).toMatch(/Error: first\n +second \\x1b\[31mred\n/);
  });

  it("keeps what it printed before", async () => {
    const { report } = await runScript(`text("kept"); console.log("too"); throw new Error("late")`);
    expect(report).toMatchObject({ ok: false, output: [{ type: "text", text: "kept" }], console: ["too"] });
  });
});

describe("as a process of its own", () => {
  it("ends with the exit code, and says nothing else", async () => {
    const { exitCode, report, stderr } = await nestboxProcess(
      ["run", "-", "--tools", fixtureTools, "--json"],
      `await tools.deploy({})`,
    );
    expect(report.error?.kind).toBe("policy");
    expect(stderr).toBe("");
    expect(exitCode).toBe(3);
  });

  it("answers an unknown flag without a stack", async () => {
    const { exitCode, stderr } = await nestboxProcess(["run", "-", "--nope"]);
    expect(stderr).toMatch(/^nestbox: unknown option '--nope'/);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(exitCode).toBe(2);
  });
});

describe("wrong words", () => {
  it.each([
    ["submit", "-e", "return 1", "--data", HOSTILE],
    [HOSTILE],
    ["run", `--${HOSTILE}`],
    ["run", "-", "--policy", HOSTILE.replaceAll("\0", "")],
    ["run", "-", "--timeout-ms", HOSTILE],
  ])("are repeated with nothing in them that a terminal would obey: %j", async (...args) => {
    const { exitCode, stdout, stderr } = await nestbox(args);
    expect(stderr).toMatch(/owned/);
    expect(stderr).not.toMatch(OBEYED);
    expect([stdout, exitCode]).toEqual(["", 2]);
  });

  const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
    ["an unknown flag", ["run", "x.js", "--tool", "y"], /unknown option '--tool'.*--tools/s],
    ["a missing script", ["run"], /missing required argument 'script'/],
    ["two scripts", ["run", "x.js", "--eval", "return 1"], /x\.js.*--eval.*one script/],
    ["a script that is not there", ["run", "nowhere.js"], /nowhere\.js.*no such file/],
    [
      "a tools module that is not there",
      ["run", "-", "--tools", "./nowhere.mjs"],
      /nowhere\.mjs.*no such file/,
    ],
    [
      "a policy file that is not there",
      ["run", "-", "--policy", "nowhere.jsonc"],
      /nowhere\.jsonc.*no such file/,
    ],
    ["a working folder that is not there", ["run", "-", "--cwd", "/nowhere"], /\/nowhere.*no such folder/],
    ["a limit that is no number", ["run", "-", "--timeout-ms", "soon"], /timeout-ms.*whole number/],
    ["an unknown command", ["rnu"], /unknown command 'rnu'/],
  ];
  for (const [title, args, message] of cases) {
    it(`${title}: one message, exit code 2, and JSON for programs`, async () => {
      const { exitCode, stdout, stderr } = await nestbox(args);
      expect(stderr).toMatch(message);
      expect(stderr).not.toMatch(/\n\s+at /);
      expect(stdout).toBe("");
      expect(exitCode).toBe(2);
      const json = await nestbox([...args, "--json"]);
      expect(json.report).toMatchObject({
        ok: false,
        error: { kind: "usage", message: expect.stringMatching(message) },
      });
      expect(json.exitCode).toBe(2);
    });
  }

  it("a policy with a mistake is refused as a whole, with the place", async () => {
    const broken = file(
      "broken.jsonc",
      '{\n  "version": 1,\n  "rules": [{ "id": "a", "effect": "perhaps" }]\n}\n',
    );
    const { exitCode, stderr } = await nestbox(
      ["run", "-", "--tools", fixtureTools, "--policy", broken],
      "return 1",
    );
    expect(stderr).toMatch(/broken\.jsonc:3:\d+: /);
    expect(exitCode).toBe(2);
  });

  it("a tools module that exports something else says what is wrong", async () => {
    const wrong = file("wrong.mjs", "export default [{ name: 'a' }]");
    const { stderr, exitCode } = await nestbox(["run", "-", "--tools", wrong], "return 1");
    expect(stderr).toMatch(/wrong\.mjs.*item 0 \("a"\) has no description/);
    expect(exitCode).toBe(2);
  });
});
