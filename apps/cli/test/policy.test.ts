import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { PassThrough } from "node:stream";

import { createGate } from "@nestbox/policy";
import { openAuditLog, openPolicy } from "@nestbox/policy/node";
import { describe, expect, it } from "vitest";

import { main } from "../src/program.ts";
import { fixtureTools, nestbox } from "./support/nestbox.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "nestbox-policy-")));
const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};
const rules = file("rules.jsonc", {
  version: 1,
  rules: [
    {
      id: "no-recursive-rm",
      effect: "deny",
      command: { program: "rm", flags: { any: "-r" } },
      reason: "It deletes a tree.",
      match: "rm -rf build",
      notMatch: "rm notes.txt",
    },
    { id: "status", effect: "allow", command: { prefix: "git status" } },
  ],
});

interface Answer {
  readonly decision: string;
  readonly rule: string;
  readonly layer: string;
}
const last = (text: string): unknown => JSON.parse(text.trimEnd().split("\n").at(-1) ?? "");

describe("nestbox policy", () => {
  it("gives no reason for a rule that has none", async () => {
    const explain = (command: string) => nestbox(["policy", "explain", command, "--policy", rules]);
    expect((await explain("git status")).stdout).toMatch(/^allow {2}status \(user\)\n {2}matched: /);
    expect((await explain("rm -rf build")).stdout).toContain("\n  It deletes a tree.\n  matched: ");
  });

  it("says of an allow in a project's file that it fits and does not count", async () => {
    const project = file("project.jsonc", {
      version: 1,
      rules: [{ id: "make", effect: "allow", command: { prefix: "make" } }],
    });
    const explain = async (...more: readonly string[]) =>
      nestbox(["policy", "explain", "make all", "--policy", rules, "--project", project, ...more]);
    const note =
      "the project's rule make fits make all, but an allow of a project counts only where the user's";
    expect((await explain()).stdout).toContain(`\nnote  ${note}`);
    expect((await explain("--json")).json).toMatchObject({ notes: [expect.stringContaining(note)] });
  });

  it("says how a file is named that was given without its layer", async () => {
    const lint = await nestbox(["policy", "lint", rules]);
    expect(lint.stderr).toContain(`nestbox policy lint --policy ${rules} (or --managed, --project)`);
    expect(lint.exitCode).toBe(2);
    const test = await nestbox(["policy", "test", rules]);
    expect(test.stderr).toContain(`${rules} is a policy, not a file of cases.`);
    expect(test.stderr).toContain(`nestbox policy test --policy ${rules} (or --managed, --project)`);
    expect(test.exitCode).toBe(2);
    expect(test.stdout).toBe("");
  });

  it("breaks an explanation between words where a terminal ends", async () => {
    const stdout = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns: 60 });
    const streams = { stdin: new PassThrough(), stdout, stderr: new PassThrough() };
    const args = ["policy", "explain", "rm -rf build && git push --force origin main", "--policy", rules];
    await main(args, streams, new AbortController().signal);
    const text = String(stdout.read());
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
    expect(text).toMatch(/\nthe model is told: .*\n {19}\S/);
  });

  it("explains a command line without running it", async () => {
    const { stdout, exitCode } = await nestbox([
      "policy",
      "explain",
      "git status && sudo rm -rf build",
      "--policy",
      rules,
      "--cwd",
      folder,
    ]);
    expect(stdout).toMatch(/^deny {2}no-recursive-rm \(user\)/);
    expect(stdout).toContain("allow git status  status (user)");
    expect(stdout).toContain("delete path");
    expect(exitCode).toBe(0);
  });

  it("decides one call given as JSON", async () => {
    const check = async (call: unknown): Promise<Answer> => {
      const { stdout } = await nestbox(
        ["policy", "check", "--call", "-", "--policy", rules, "--cwd", folder, "--json"],
        JSON.stringify(call),
      );
      return last(stdout) as Answer;
    };
    expect(await check({ tool: "bash", input: { command: "/bin/rm -rf build" } })).toMatchObject({
      decision: "deny",
      rule: "no-recursive-rm",
      layer: "user",
    });
    expect(await check({ tool: "bash", input: { command: "git status" } })).toMatchObject({
      decision: "allow",
    });
    expect(await check({ tool: "bash", input: { command: "git push --force" } })).toMatchObject({
      decision: "deny",
      rule: "git.force-push",
      layer: "built-in",
    });
    expect(await check({ tool: "deploy", source: "extension", input: {} })).toMatchObject({
      decision: "ask",
    });
  });

  // contract A7
  it("takes what a call does not say of its tool from the tool that has its name", async () => {
    const check = async (call: unknown, ...more: readonly string[]): Promise<Answer> => {
      const { stdout } = await nestbox(
        ["policy", "check", "--call", "-", "--policy", rules, "--json", ...more],
        JSON.stringify(call),
      );
      return last(stdout) as Answer;
    };
    const call = { tool: "double", input: { n: 1 } };
    expect(await check(call)).toMatchObject({ decision: "ask" });
    expect(await check(call, "--tools", fixtureTools)).toMatchObject({ decision: "allow" });
    // What it does say counts.
    const hints = { ...call, annotations: { readOnlyHint: false } };
    expect(await check(hints, "--tools", fixtureTools)).toMatchObject({ decision: "ask" });
    expect(await check({ tool: "collect_diff" })).toMatchObject({ decision: "allow" });
    expect(await check({ tool: "run_checks" })).toMatchObject({ decision: "ask" });
  });

  it("names the folder in which no audit was found, and who keeps one", async () => {
    const dir = join(folder, "no-audit");
    const { stdout, exitCode } = await nestbox(["policy", "log", "--dir", dir, "--policy", rules]);
    expect(stdout).toContain(`There is no audit in ${dir}.`);
    expect(stdout).toContain("nestbox run --trace <file>");
    expect(exitCode).toBe(0);
    expect((await nestbox(["policy", "log", "--dir", dir, "--json"])).json).toMatchObject({ dir });
  });

  it("says in words what is wrong with JSON, once, and counts as people do", async () => {
    const { stdout } = await nestbox([
      "policy",
      "test",
      "--policy",
      file("unclosed.jsonc", '{ "version": 1,\n  "rules": [ {] }'),
    ]);
    expect(stdout).toMatch(/unclosed\.jsonc:2:\d+: a name in double quotes has to stand here/);
    expect(stdout.match(/unclosed\.jsonc:\d/g)).toHaveLength(1);
    const one = file("one.jsonc", {
      version: 1,
      rules: [{ id: "one", effect: "allow", command: { exact: "npm test" }, match: "npm test" }],
    });
    expect((await nestbox(["policy", "test", "--policy", one])).stdout).toBe(
      `ok  ${one}  1 rule, 1 example\n`,
    );
    expect((await nestbox(["policy", "lint", "--policy", one])).stdout).toBe("No findings.\n");
  });

  it("tests the files with their examples, and cases", async () => {
    const cases = file(
      "cases.jsonl",
      [
        { id: "a", tool: "bash", input: { command: "rm -r x" }, decision: "deny" },
        { id: "b", tool: "bash", input: { command: "git status" }, decision: "deny" },
      ]
        .map((one) => JSON.stringify(one))
        .join("\n"),
    );
    const { stdout, exitCode } = await nestbox(["policy", "test", cases, "--policy", rules, "--cwd", folder]);
    expect(stdout).toContain("2 rules, 2 examples");
    expect(stdout).toContain("not ok  b: expected deny, got allow");
    expect(exitCode).toBe(1);
    const good = await nestbox(["policy", "test", "--policy", rules, "--cwd", folder]);
    expect(good.exitCode).toBe(0);
  });

  it("tells files that are not there, and lines that are no cases, from those that are as they should be", async () => {
    const empty = mkdtempSync(join(tmpdir(), "nestbox-no-policy-"));
    const usual = await nestbox(["policy", "test", "--cwd", empty]);
    expect(usual.stdout).toContain(`missing  ${join(realpathSync(empty), ".pi")}`);
    expect(usual.stdout).not.toMatch(/^ok .*0 rules/m);
    const nowhere = await nestbox(["policy", "test", "--policy", rules, "nocases.jsonl"]);
    expect(nowhere).toMatchObject({ exitCode: 2, stdout: "" });
    expect(nowhere.stderr).toBe("nestbox: Cases nocases.jsonl: there is no such file.\n");
    const bad = file("bad.jsonl", '{ "tool": "read", "input": {}, "decision": "allow" }\n\n{ "tool": \n');
    const { stdout, exitCode } = await nestbox(["policy", "test", "--policy", rules, bad]);
    expect(stdout).toContain(`not ok  ${bad}:3: it cannot be decided: neither a JSON list nor JSON lines`);
    expect(exitCode).toBe(1);
  });

  it("says what is wrong with a file, and that the strict built-in rules count in its place", async () => {
    const broken = file("broken.jsonc", '{\n  "version": 1,\n  "rulez": []\n}');
    const { stderr, stdout } = await nestbox(
      ["policy", "check", "--call", "-", "--policy", broken, "--json"],
      JSON.stringify({ tool: "read", input: { path: "a.txt" } }),
    );
    expect(stderr).toMatch(/broken\.jsonc:3:3: /);
    expect(stderr).toContain("strict built-in");
    expect(last(stdout)).toMatchObject({ decision: "ask" });
    expect((await nestbox(["policy", "lint", "--policy", broken])).exitCode).toBe(1);
  });

  it("asks about a rule that allows by accident", async () => {
    const wide = file("wide.jsonc", {
      version: 1,
      rules: [{ id: "wide", effect: "allow", command: { prefix: "node" } }],
    });
    const { stdout } = await nestbox(["policy", "lint", "--policy", wide]);
    expect(stdout).toMatch(/\w+ +wide: node runs what/);
  });

  it("makes a policy of another tool's rules that loads and decides", async () => {
    const settings = file("settings.json", {
      permissions: { allow: ["Bash(git status)"], deny: ["Read(./.env)"], ask: [] },
    });
    const made = join(folder, "imported.jsonc");
    expect((await nestbox(["policy", "import", "claude-code", settings, "--output", made])).exitCode).toBe(0);
    expect(readFileSync(made, "utf8")).toContain('"effect": "deny"');
    const { stdout } = await nestbox(
      ["policy", "check", "--call", "-", "--policy", made, "--cwd", folder, "--json"],
      JSON.stringify({ tool: "bash", input: { command: "cat .env" } }),
    );
    expect(last(stdout)).toMatchObject({ decision: "deny" });
  });

  it("reads an audit that is empty, and tells of rules that never fired", async () => {
    const dir = join(folder, "audit");
    mkdirSync(dir);
    const { stdout, exitCode } = await nestbox(["policy", "log", "--dir", dir, "--policy", rules, "--json"]);
    expect(last(stdout)).toMatchObject({ ok: true, neverFired: ["no-recursive-rm", "status"] });
    expect(exitCode).toBe(0);
  });

  describe("log, over the records of a gate", () => {
    /** An audit as a session writes it: two denied, one allowed, one asked and approved that then ran otherwise. */
    const audited = async (name: string): Promise<{ readonly dir: string; readonly log: string }> => {
      const dir = join(folder, name);
      const audit = openAuditLog({ dir, session: name });
      const { engine, facts } = openPolicy({
        files: [{ path: rules, layer: "user" }],
        home: folder,
        cwd: folder,
      });
      const gate = createGate({
        engine,
        facts,
        audit,
        gatherMs: 0,
        approver: { ask: async () => ({ kind: "approved" }) },
      });
      const bash = async (callId: string, command: string): Promise<void> => {
        await gate.decide({
          callId,
          chain: [],
          tool: { name: "bash", source: { kind: "builtin" } },
          input: { command },
          cwd: folder,
          actor: "agent",
        });
      };
      await bash("1", "rm -r build");
      await bash("2", "sudo rm -rf /srv/x");
      await bash("3", "git status");
      await bash("4", "make all");
      gate.settled({ callId: "3" }, { isError: false });
      gate.settled({ callId: "4" }, { isError: false, input: { command: "make other" } });
      audit.close();
      const [log] = readdirSync(dir);
      return { dir, log: join(dir, log ?? "") };
    };
    const read = (dir: string, ...more: readonly string[]) =>
      nestbox(["policy", "log", "--dir", dir, "--policy", rules, ...more]);

    it("verifies the chain, and counts the hits of each rule and what was asked", async () => {
      const { dir } = await audited("kept");
      const { stdout, json, exitCode } = await read(dir, "--json");
      expect(stdout).not.toBe("");
      expect(json).toMatchObject({
        ok: true,
        neverFired: [],
        totals: { allow: 2, deny: 2, asked: 1, changed: 1 },
        sessions: [{ ok: true, problems: [] }],
      });
      expect((json as { hits: unknown[] }).hits).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ rule: "no-recursive-rm", decided: 2 }),
          expect.objectContaining({ rule: "status", decided: 1 }),
        ]),
      );
      expect(exitCode).toBe(0);
      const text = (await read(dir)).stdout;
      expect(text).toMatch(/^verified .* 6 records$/m);
      expect(text).toMatch(/^ +2 decided, \d+ matched {2}no-recursive-rm$/m);
      expect(text).toContain("2 allowed, 2 denied, 1 asked, 1 changed after the decision");
    });

    it.each([
      [
        "changed",
        (lines: string[]) => lines.with(1, (lines[1] ?? "").replace("no-recursive-rm", "status")),
        2,
      ],
      ["taken out", (lines: string[]) => lines.toSpliced(1, 1), 2],
      ["cut off", (lines: string[]) => [...lines.slice(0, 2), (lines[2] ?? "").slice(0, -9)], 3],
    ] as const)("names the place where a line was %s, with exit code 1", async (what, change, line) => {
      const { dir, log } = await audited(`broken-${what.replace(" ", "-")}`);
      const lines = readFileSync(log, "utf8").split("\n");
      const broken = change(lines);
      expect(broken).not.toEqual(lines);
      writeFileSync(log, broken.join("\n"));
      const { stdout, exitCode } = await read(dir);
      expect(exitCode).toBe(1);
      expect(stdout).toMatch(/^BROKEN /m);
      expect(stdout).toContain(`${basename(log)}:${line}: `);
      const report = await read(dir, "--json");
      expect(report.exitCode).toBe(1);
      expect(report.json).toMatchObject({
        ok: false,
        sessions: [{ ok: false, problems: expect.arrayContaining([expect.objectContaining({ line })]) }],
      });
    });
  });

  for (const [title, args, message] of [
    ["a call that is no JSON", ["policy", "check", "--call", "-"], /not JSON/],
    ["no call", ["policy", "check"], /required option '--call <file>'/],
    [
      "another tool that is unknown",
      ["policy", "import", "nobody", "x"],
      /nobody.*claude-code, codex, opencode/,
    ],
    [
      "a file that is not there",
      ["policy", "explain", "ls", "--policy", "nowhere.jsonc"],
      /nowhere\.jsonc.*no such file/,
    ],
  ] as const) {
    it(`${title}: one message and exit code 2`, async () => {
      const { exitCode, stderr } = await nestbox(args, "not json");
      expect(stderr).toMatch(message);
      expect(exitCode).toBe(2);
    });
  }
});
