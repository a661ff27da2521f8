import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { nodeGitRefs } from "../../src/node/git-refs.ts";
import { openPolicy } from "../../src/node/open-policy.ts";
import { call } from "../gate/fake-engine.ts";
import { tempFolders } from "./temp-folder.ts";

const folder = tempFolders();

function repository(
  config: string,
  head = "ref: refs/heads/main\n",
  home = "",
): { readonly cwd: string; readonly home: string } {
  const root = folder();
  const cwd = join(root, "repo");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  mkdirSync(join(cwd, "sub"));
  writeFileSync(join(cwd, ".git", "HEAD"), head);
  writeFileSync(join(cwd, ".git", "config"), config);
  writeFileSync(join(root, ".gitconfig"), home);
  return { cwd, home: root };
}

const upstream = '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n';

describe("where a plain push goes", () => {
  it("is read from git's own files", () => {
    const cases: readonly (readonly [string, string, readonly string[] | undefined])[] = [
      ["", "", ["main"]],
      [upstream, "", ["main"]],
      [upstream.replace("heads/main", "heads/release"), "", ["main", "release"]],
      [`${upstream.replace("heads/main", "heads/release")}[push]\n default = upstream`, "", ["release"]],
      [upstream.replace("heads/main", "heads/release"), "[push]\n\tdefault = current # always\n", ["main"]],
      ["[push]\n default = nothing", "", []],
      ["[push]\n default = matching", "", undefined],
      ['[remote "origin"]\n push = +refs/heads/*:refs/heads/*', "", undefined],
      ['[remote "origin"]\n mirror', "", undefined],
      ["[include]\n path = other", "", undefined],
      ["", '[includeIf "gitdir:~/x/"]\n path = other', undefined],
      ["[push]\n default = cur\\\nrent", "", undefined],
    ];
    for (const [config, user, expected] of cases) {
      const { cwd, home } = repository(config, undefined, user);
      const targets = nodeGitRefs({ home }).pushTargets(join(cwd, "sub"), undefined);
      expect({ config, user, targets }).toEqual({ config, user, targets: expected });
    }
  });

  it("is not known without a branch or a repository", () => {
    const { cwd, home } = repository(upstream, "0123456789012345678901234567890123456789\n");
    expect(nodeGitRefs({ home }).pushTargets(cwd, undefined)).toBeUndefined();
    expect(nodeGitRefs({ home }).pushTargets(home, undefined)).toBeUndefined();
  });

  it("is known in a worktree", () => {
    const { cwd, home } = repository(upstream);
    const tree = join(home, "tree");
    mkdirSync(tree);
    mkdirSync(join(cwd, ".git", "worktrees", "tree"), { recursive: true });
    writeFileSync(join(tree, ".git"), `gitdir: ${join(cwd, ".git", "worktrees", "tree")}\n`);
    writeFileSync(join(cwd, ".git", "worktrees", "tree", "HEAD"), "ref: refs/heads/topic\n");
    writeFileSync(join(cwd, ".git", "worktrees", "tree", "commondir"), "../..\n");
    expect(nodeGitRefs({ home }).pushTargets(tree, undefined)).toEqual(["topic"]);
  });

  it("lets a rule about a branch deny a push that does not name it", () => {
    // policy E07
    const { cwd, home } = repository(upstream);
    const path = join(home, "policy.jsonc");
    writeFileSync(
      path,
      JSON.stringify({
        version: 1,
        rules: [
          { id: "push", effect: "allow", command: { prefix: "git push" } },
          { id: "not-main", effect: "deny", ref: { name: "main" } },
        ],
      }),
    );
    const policy = openPolicy({ files: [{ path, layer: "user" }], home, cwd, env: {} });
    const request = call(
      "a",
      { command: "git push" },
      { tool: { name: "bash", source: { kind: "builtin" } }, cwd },
    );
    expect(policy.engine.evaluate(request)).toMatchObject({ effect: "deny", rule: "not-main" });
    writeFileSync(join(cwd, ".git", "HEAD"), "ref: refs/heads/topic\n");
    expect(policy.engine.evaluate(request).effect).toBe("allow");
  });
});

describe("the files of the policy itself", () => {
  it("are written by no call: policy, grants and audit, each where this host keeps them", () => {
    // policy N01
    const root = folder();
    const cwd = join(root, "w");
    const own = { grants: join(cwd, "own", "grants.json"), audit: join(cwd, "own", "audit") };
    mkdirSync(own.audit, { recursive: true });
    const path = join(cwd, "custom.jsonc");
    writeFileSync(
      path,
      JSON.stringify({
        version: 1,
        fallback: { bash: "allow", write: "allow", edit: "allow" },
        rules: [{ id: "all", effect: "allow", path: { outside: false } }],
      }),
    );
    const policy = openPolicy({
      files: [{ path, layer: "user" }],
      home: root,
      cwd,
      env: {},
      protectedPaths: [own.grants, own.audit],
    });
    const effect = (name: string, input: Record<string, string>) =>
      policy.engine.evaluate(call("a", input, { tool: { name, source: { kind: "builtin" } }, cwd })).effect;
    expect(effect("write", { path: "free.txt", content: "" })).toBe("allow");
    for (const target of [path, own.grants, join(own.audit, "x.000.jsonl"), "own/../custom.jsonc"]) {
      expect(effect("write", { path: target, content: "" })).toBe("deny");
      expect(effect("bash", { command: `echo x >> ${target}` })).toBe("deny");
      expect(effect("bash", { command: `rm -f ${target}` })).toBe("deny");
    }
    expect(effect("bash", { command: "rm -rf own" })).toBe("deny");
    expect(effect("bash", { command: "mv own away" })).toBe("deny");
  });
});
