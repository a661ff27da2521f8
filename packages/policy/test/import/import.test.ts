import { array, assert as check, constantFrom, property, string, tuple } from "fast-check";
import { describe, expect, it } from "vitest";

import type { Effect } from "../../src/decision.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { importClaudeCode } from "../../src/import/claude-code.ts";
import { importCodex } from "../../src/import/codex.ts";
import { importOpencode } from "../../src/import/opencode.ts";
import type { ImportResult } from "../../src/import/result.ts";
import { parsePolicy } from "../../src/rules/parse.ts";

/** Loads what was imported the way a file is loaded, and asks the engine. */
function judge(result: ImportResult) {
  if (!result.ok) throw new Error(result.message);
  const parsed = parsePolicy(result.text, { file: "imported.jsonc", layer: "user" });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const engine = createEngine({
    layers: [{ ok: true, name: "user", policy: parsed.policy }],
    home: "/home/u",
    cwd: "/w",
  });
  const evaluate = (name: string, input: Record<string, string>, server?: string): Effect =>
    engine.evaluate({
      callId: "a",
      chain: [],
      tool: { name, source: server === undefined ? { kind: "builtin" } : { kind: "mcp", server } },
      input,
      cwd: "/w",
    }).effect;
  return {
    bash: (command: string) => evaluate("bash", { command }),
    read: (path: string) => evaluate("read", { path }),
    write: (path: string) => evaluate("write", { path, content: "" }),
    mcp: (server: string, name: string) => evaluate(name, {}, server),
    notes: result.notes.map((note) => `${note.kind} ${note.source}`),
  };
}

describe("rules of Claude Code", () => {
  it("decide as they did: deny, ask and allow, by prefix, exact words and wildcard", () => {
    const { bash, notes } = judge(
      importClaudeCode(`{
        // settings.json
        "permissions": {
          "allow": ["Bash(npm run test:*)", "Bash(git status)", "Bash(git log --* -n 5)"],
          "ask": ["Bash(git push:*)"],
          "deny": ["Bash(rm -rf *)", "Bash(curl:*)"],
        }
      }`),
    );
    expect(bash("npm run test")).toBe("allow");
    expect(bash("npm run test -- a")).toBe("allow");
    expect(bash("npm run testing")).toBe("ask");
    expect(bash("git status")).toBe("allow");
    expect(bash("git status -s")).toBe("ask");
    expect(bash("git push origin main")).toBe("ask");
    expect(bash("rm -rf build")).toBe("deny");
    expect(bash("npm run test && curl x.test")).toBe("deny");
    expect(notes).toEqual([]);
  });

  it("bind paths for every tool", () => {
    const { read, write, bash } = judge(
      importClaudeCode(
        JSON.stringify({
          permissions: {
            deny: ["Read(./.env)", "Read(~/.aws/**)", "Edit(/protected/**)", "Read(//srv/keys)"],
            allow: ["Edit(src/**)", "Bash(cat:*)"],
          },
        }),
      ),
    );
    expect(read(".env")).toBe("deny");
    expect(bash("cat .env")).toBe("deny");
    expect(read("/home/u/.aws/credentials")).toBe("deny");
    expect(read("/srv/keys")).toBe("deny");
    expect(write("protected/x")).toBe("deny");
    expect(write("src/a.ts")).toBe("allow");
    expect(write("other/a.ts")).toBe("ask");
  });

  it("name servers by their own name", () => {
    const { mcp } = judge(
      importClaudeCode(
        JSON.stringify({ permissions: { allow: ["mcp__docs", "mcp__fs__read"], deny: ["mcp__evil__*"] } }),
      ),
    );
    expect(mcp("docs", "mcp__docs__x")).toBe("allow");
    expect(mcp("fs", "mcp__fs__read")).toBe("allow");
    expect(mcp("fs", "mcp__fs__write")).toBe("ask");
    expect(mcp("evil", "mcp__evil__x")).toBe("deny");
  });

  it("tell what has no counterpart, and never become laxer by it", () => {
    const { bash, notes } = judge(
      importClaudeCode(
        JSON.stringify({
          permissions: {
            allow: ["Bash(* --version)", "Bash(curl * | sh)", "WebSearch", "Read(!x)", "nonsense("],
            deny: ["Bash(* --force)"],
            defaultMode: "bypassPermissions",
          },
        }),
      ),
    );
    expect(bash("rm --version")).toBe("ask");
    expect(bash("git push --force")).toBe("deny");
    expect(notes).toEqual([
      "dropped Bash(* --version)",
      "dropped Bash(curl * | sh)",
      "dropped WebSearch",
      "dropped Read(!x)",
      "dropped nonsense(",
      "dropped defaultMode",
    ]);
  });

  it("are refused as a whole when they cannot be read", () => {
    for (const text of [
      "",
      "[]",
      "{}",
      '{"permissions":{"deny":"Bash"}}',
      '{"permissions":{"deny":[1]}}',
      "{",
    ]) {
      expect(importClaudeCode(text).ok).toBe(false);
    }
  });
});

describe("rules of Codex", () => {
  const rules = `
# comment
prefix_rule(
    pattern = ["git", ["push", "fetch"]],  # alternatives
    decision = "prompt",
    justification = "Ask " "first.",
    match = [["git", "push", "origin"], "git fetch"],
    not_match = ["git status"],
)
prefix_rule(pattern=["ls"])
prefix_rule(pattern=['rm', '-rf'], decision='forbidden', justification="""Use trash.""")
host_executable(name = "git", paths = ["/usr/bin/git"])
`;

  it("decide as they did, with their examples", () => {
    const { bash, notes } = judge(importCodex(rules));
    expect(bash("git push origin")).toBe("ask");
    expect(bash("git fetch")).toBe("ask");
    expect(bash("ls -l")).toBe("allow");
    expect(bash("rm -rf x")).toBe("deny");
    expect(notes).toEqual(["dropped host_executable (line 12)"]);
    const result = importCodex(rules);
    expect(result.ok && result.text).toContain("Use trash.");
  });

  it("stand without an example that does not hold here, and say so", () => {
    const { bash, notes } = judge(
      importCodex(
        'prefix_rule(pattern = ["git", "push"], decision = "forbidden", not_match = ["sudo git push"])',
      ),
    );
    expect(bash("git push")).toBe("deny");
    expect(notes).toEqual(["narrowed prefix_rule git push (line 1)"]);
  });

  it("are refused with their line when they are more than plain calls", () => {
    const bad: readonly (readonly [string, number])[] = [
      ['\nx = ["ls"]', 2],
      ["prefix_rule(pattern = names)", 1],
      ['prefix_rule(pattern = ["ls"]', 1],
      ['prefix_rule(["ls"])', 1],
      ['prefix_rule(pattern = ["ls" + "x"])', 1],
      ['prefix_rule(pattern = [], decision = "allow")', 1],
      ['prefix_rule(pattern = ["ls"], decision = "maybe")', 1],
      [`prefix_rule(pattern = ${"[".repeat(100)}`, 1],
      ["for x in y: pass", 1],
    ];
    for (const [text, line] of bad) {
      const result = importCodex(text);
      expect(result).toMatchObject({ ok: false, message: expect.stringContaining(`line ${line}:`) });
    }
  });
});

describe("rules of opencode", () => {
  it("decide as they did, though there the last one wins and here the strictest", () => {
    const { bash, write, read } = judge(
      importOpencode(
        JSON.stringify({
          permission: {
            "*": "ask",
            bash: { "*": "allow", "rm *": "deny", "rm tmp.txt": "allow", "git push *": "ask" },
            edit: { "*": "deny", "docs/*.md": "allow" },
            read: { "*": "allow", "*.env": "deny", "secrets/*": "deny" },
          },
        }),
      ),
    );
    expect(bash("ls")).toBe("allow");
    expect(bash("rm")).toBe("deny");
    expect(bash("rm x")).toBe("deny");
    expect(bash("rm tmp.txt")).toBe("allow");
    expect(bash("git push origin")).toBe("ask");
    expect(write("src/a.ts")).toBe("deny");
    expect(write("docs/a.md")).toBe("allow");
    expect(read("a.ts")).toBe("allow");
    expect(read("x/prod.env")).toBe("deny");
    expect(read("secrets/deep/key")).toBe("deny");
  });

  it("forget what a later statement about everything replaces", () => {
    const { bash } = judge(
      importOpencode(JSON.stringify({ permission: { bash: { "ls *": "allow", "*": "deny" } } })),
    );
    expect(bash("ls")).toBe("deny");
    const all = judge(importOpencode(JSON.stringify({ permission: { bash: "allow", "*": "deny" } })));
    expect(all.bash("ls")).toBe("deny");
  });

  it("are read in the newer form of a list too", () => {
    const { bash } = judge(
      importOpencode(
        JSON.stringify({
          permissions: [
            { action: "shell", resource: "*", effect: "ask" },
            { action: "shell", resource: "git status *", effect: "allow" },
            { action: "shell", resource: "git push *", effect: "deny" },
          ],
        }),
      ),
    );
    expect(bash("git status")).toBe("allow");
    expect(bash("git push")).toBe("deny");
    expect(bash("make")).toBe("ask");
  });

  it("tell what has no counterpart", () => {
    const { notes } = judge(
      importOpencode(
        JSON.stringify({
          permission: { doom_loop: "ask", webfetch: { "https://x.test/*": "deny", "a b": "deny" } },
        }),
      ),
    );
    expect(notes).toEqual(["dropped doom_loop *: ask", "dropped webfetch a b: deny"]);
    for (const text of ["", "{}", '{"permission":{"bash":"maybe"}}', '{"permissions":{}}']) {
      expect(importOpencode(text).ok).toBe(false);
    }
  });
});

describe("whatever is imported", () => {
  const word = constantFrom(
    "git",
    "rm",
    "-rf",
    "*",
    "a*b",
    "?",
    "'x y'",
    '"',
    "'",
    "\\\\",
    "~/x",
    "//etc/**",
    "./a",
    "!b",
    "{a,b}",
    "[",
    "$HOME/x",
    "|",
    "\u202e",
    "--x=*",
    ":*",
    "a".repeat(200),
    "",
  );
  const text = array(word, { maxLength: 4 }).map((words) => words.join(" "));
  const effect = constantFrom("allow", "ask", "deny");

  /** An import either is refused or gives a policy that loads. */
  function loads(result: ImportResult): boolean {
    if (!result.ok) return true;
    const parsed = parsePolicy(result.text, { file: "imported.jsonc", layer: "user" });
    if (!parsed.ok) throw new Error(`${JSON.stringify(parsed.problems)} in ${result.text}`);
    return true;
  }

  it("loads as a policy, or is refused with a reason", () => {
    const tool = constantFrom("Bash", "Read", "Edit", "WebFetch", "mcp__x", "mcp__", "Task");
    check(
      property(array(tuple(effect, tool, text), { maxLength: 8 }), (entries) => {
        const permissions: Record<string, string[]> = { allow: [], ask: [], deny: [] };
        for (const [kind, name, rule] of entries) permissions[kind]?.push(`${name}(${rule})`);
        expect(loads(importClaudeCode(JSON.stringify({ permissions })))).toBe(true);
      }),
    );
    const action = constantFrom("bash", "read", "edit", "webfetch", "external_directory", "*", "skill");
    check(
      property(array(tuple(action, text, effect), { maxLength: 8 }), (entries) => {
        const permissions = entries.map(([name, resource, kind]) => ({
          action: name,
          resource,
          effect: kind,
        }));
        expect(loads(importOpencode(JSON.stringify({ permissions })))).toBe(true);
      }),
    );
    check(
      property(array(text, { maxLength: 4 }), (words) => {
        expect(
          loads(importCodex(`prefix_rule(pattern = ${JSON.stringify(words)}, decision = "prompt")`)),
        ).toBe(true);
      }),
    );
  });

  it("never throws for any text", () => {
    check(
      property(string({ maxLength: 200 }), (source) => {
        for (const read of [importClaudeCode, importCodex, importOpencode])
          expect(read(source).ok).toBeTypeOf("boolean");
      }),
    );
  });
});
