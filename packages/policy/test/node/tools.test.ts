import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { checkCall, explainCommand } from "../../src/node/explain.ts";
import { lintPolicy } from "../../src/node/lint-policy.ts";
import { openPolicy } from "../../src/node/open-policy.ts";
import { testPolicy } from "../../src/node/test-policy.ts";
import { tempFolders } from "./temp-folder.ts";

const folder = tempFolders();

function open(user: object, project?: object) {
  const dir = folder();
  const files = [{ path: join(dir, "user.jsonc"), layer: "user" as const }];
  writeFileSync(join(dir, "user.jsonc"), JSON.stringify({ version: 1, ...user }));
  const more = project === undefined ? [] : [{ path: join(dir, "project.jsonc"), layer: "project" as const }];
  if (project !== undefined)
    writeFileSync(join(dir, "project.jsonc"), JSON.stringify({ version: 1, ...project }));
  return { dir, policy: openPolicy({ files: [...files, ...more], home: "/home/u", cwd: dir, env: {} }) };
}

const rules = {
  rules: [
    {
      id: "test",
      effect: "allow",
      command: { exact: "npm test" },
      match: "npm test",
      notMatch: "npm test x",
    },
    {
      id: "no-rm",
      effect: "deny",
      command: { program: "rm" },
      reason: "Nothing is deleted here",
      match: "rm x",
    },
  ],
};

describe("explaining a command", () => {
  it("names the one command, rule and layer that decided, as data", () => {
    // policy O08
    const { policy, dir } = open(rules);
    const explanation = explainCommand(policy.engine, "npm test && sudo rm -rf dist && git push", {
      cwd: dir,
    });
    expect(explanation).toMatchObject({ effect: "deny", rule: "no-rm", layer: "user" });
    expect(explanation.matched).toContain("rm -rf dist");
    expect(explanation.modelMessage).toContain("Nothing is deleted here");
    expect(explanation.commands.map((command) => command.program)).toEqual(
      expect.arrayContaining(["npm", "rm", "git"]),
    );
    expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
  });

  it("spells out what a terminal would obey", () => {
    // policy O02
    const { policy, dir } = open(rules);
    const texts: string[] = [];
    JSON.stringify(
      explainCommand(policy.engine, "echo safe\u001b[2K\r rm -rf x", { cwd: dir }),
      (_key, value: unknown) => {
        if (typeof value === "string") texts.push(value);
        return value;
      },
    );
    expect(texts.join("")).toContain("\\x1b");
    // oxlint-disable-next-line no-control-regex
    expect(texts.join("").replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f]/);
  });
});

describe("an allow of a project that does not count", () => {
  const project = {
    fallback: { deploy: "allow" },
    rules: [{ id: "make", effect: "allow", command: { prefix: "make" }, match: "make all" }],
  };
  const note = (what: string): string =>
    `${what}, but an allow of a project counts only where the user's or the managed policy says "projectMayLoosen": true`;

  it("is told where it fits and the call is not allowed without it", () => {
    const { policy, dir } = open(rules, project);
    const explanation = explainCommand(policy, "npm test && make all", { cwd: dir });
    expect(explanation.effect).toBe("ask");
    expect(explanation.notes).toEqual([note("the project's rule make fits make all")]);
    expect(checkCall(policy, { tool: "deploy", source: "extension" }, { cwd: dir })).toMatchObject({
      explanation: { effect: "ask", notes: [note("the project's fallback fits deploy")] },
    });
  });

  it("is not told where it does not fit, where it counts, and where the call is allowed anyway", () => {
    const { policy, dir } = open(rules, project);
    for (const command of ["npm run all", "npm test"])
      expect(explainCommand(policy, command, { cwd: dir }).notes).toEqual([]);
    const loose = open({ ...rules, projectMayLoosen: true }, project);
    expect(explainCommand(loose.policy, "make all && rm x", { cwd: dir })).toMatchObject({
      effect: "deny",
      parts: expect.arrayContaining([expect.objectContaining({ rule: "make", effect: "allow" })]),
      notes: [],
    });
    // The managed or user layer's own no is the last word on it.
    const held = open({ ...rules, projectMayLoosen: false }, project);
    expect(explainCommand(held.policy, "make all", { cwd: dir }).notes).toEqual([]);
  });
});

describe("checking a call", () => {
  it("decides a call that is given as data", () => {
    const { policy, dir } = open({ rules: [{ id: "docs", effect: "allow", tool: { server: "docs" } }] });
    const check = (call: unknown) => checkCall(policy.engine, call, { cwd: dir });
    expect(check({ tool: "mcp__docs__x", input: {}, server: "docs" })).toMatchObject({
      ok: true,
      explanation: { effect: "allow", rule: "docs" },
    });
    expect(check({ tool: "mcp__docs__x", server: "other" })).toMatchObject({
      explanation: { effect: "ask" },
    });
    expect(
      check({ tool: "x", source: "sdk", annotations: { readOnlyHint: true, openWorldHint: false } }),
    ).toMatchObject({
      explanation: { effect: "allow" },
    });
  });

  it("says what is wrong with a call that cannot be read", () => {
    const { policy, dir } = open({});
    const bad: unknown[] = [
      undefined,
      [],
      {},
      { tool: 1 },
      { tool: "x", input: [] },
      { tool: "x", cwd: 1 },
      { tool: "x", server: 1 },
      { tool: "x", source: "elsewhere" },
      { tool: "x", calledBy: "codemode" },
      { tool: "x", calledBy: [1] },
      { tool: "x", annotations: { trusted: true } },
      { tool: "x", input: { when: new Date(0) } },
    ];
    for (const call of bad) expect(checkCall(policy.engine, call, { cwd: dir })).toMatchObject({ ok: false });
  });
});

describe("testing a policy before it is used", () => {
  it("runs the examples of every file, and every case of a file of cases", () => {
    const { policy, dir } = open(rules);
    const list = join(dir, "cases.json");
    writeFileSync(
      list,
      '[{"id":"good","tool":"bash","input":{"command":"npm test"},"decision":"allow"},{"id":"wrong","tool":"bash","input":{"command":"rm x"},"decision":"ask"}]',
    );
    const lines = join(dir, "cases.jsonl");
    writeFileSync(lines, '{"about":"cases"}\n{"tool":"bash","input":{"command":"rm x"},"decision":"deny"}\n');
    const report = testPolicy(policy, { cwd: dir, cases: [list, lines] });
    expect(report.ok).toBe(false);
    expect(report.files).toMatchObject([{ state: "loaded", rules: 2, examples: 3 }]);
    expect(report.cases.map(({ id, ok, actual, rule }) => [id, ok, actual, rule])).toEqual([
      ["good", true, "allow", "test"],
      ["wrong", false, "deny", "no-rm"],
      [`${lines}:2`, true, "deny", "no-rm"],
    ]);
    expect(testPolicy(policy, { cwd: dir }).ok).toBe(true);
  });

  it("fails for an example that does not hold, and for cases that cannot be read", () => {
    const broken = open({ rules: [{ ...rules.rules[1], match: "ls" }] });
    expect(testPolicy(broken.policy, { cwd: broken.dir })).toMatchObject({
      ok: false,
      files: [{ state: "broken" }],
    });
    const { policy, dir } = open(rules);
    writeFileSync(join(dir, "bad.jsonl"), "nonsense");
    writeFileSync(join(dir, "odd.json"), '[1, {"tool":"x","decision":"maybe"}, {"decision":"deny"}]');
    const report = testPolicy(policy, {
      cwd: dir,
      cases: [join(dir, "bad.jsonl"), join(dir, "odd.json"), join(dir, "none")],
    });
    expect(report.cases).toHaveLength(5);
    expect(report.cases.every((item) => !item.ok && item.actual === "invalid")).toBe(true);
  });
});

describe("a policy that is given as a file of cases", () => {
  it.each([
    ["on one line", '{ "version": 1, "rules": [] }'],
    ["with comments", '{\n  // mine\n  "version": 1,\n}'],
    ["without a version", '{ "rules": [{ "id": "x" }] }'],
  ])("is told from cases: %s", (_title, text) => {
    const { policy, dir } = open(rules);
    const path = join(dir, "mine.jsonc");
    writeFileSync(path, text);
    expect(testPolicy(policy, { cwd: dir, cases: [path] })).toMatchObject({
      ok: false,
      cases: [{ id: path, actual: "policy", ok: false, message: "this is a policy, not a file of cases" }],
    });
  });
});

describe("linting the policies together", () => {
  it("finds what is rarely meant in each and between them, and nothing in careful ones", () => {
    const careful = open(rules);
    expect(lintPolicy(careful.policy.layers())).toEqual([]);
    const { policy, dir } = open(
      { rules: [{ id: "no-rm", effect: "deny", command: { program: "rm" } }] },
      {
        rules: [
          { id: "rm", effect: "ask", command: { program: "rm" }, reason: "Careful", match: "rm x" },
          { id: "make", effect: "allow", command: { exact: "make" }, match: "make" },
        ],
      },
    );
    const findings = lintPolicy(policy.layers());
    expect(findings.map(({ layer, rule, kind }) => [layer, rule, kind])).toEqual([
      ["user", "no-rm", "no-reason"],
      ["user", "no-rm", "no-example"],
      ["project", "make", "project-allow"],
      ["project", "rm", "other-layer"],
    ]);
    expect(findings[3]).toMatchObject({
      file: join(dir, "project.jsonc"),
      message: expect.stringContaining("no-rm (user)"),
    });
  });

  it("says no more about a project's allow once the user lets projects loosen, and names a broken file", () => {
    const project = { rules: [{ id: "make", effect: "allow", command: { exact: "make" }, match: "make" }] };
    expect(lintPolicy(open({ projectMayLoosen: true }, project).policy.layers())).toEqual([]);
    expect(lintPolicy(open({ rulez: [] }).policy.layers())).toMatchObject([{ kind: "broken" }]);
  });
});
