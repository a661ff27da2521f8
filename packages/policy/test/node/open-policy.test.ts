import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { createGate } from "../../src/gate/gate.ts";
import { nodeFacts } from "../../src/node/facts.ts";
import { nodePolicyFs } from "../../src/node/file-system.ts";
import { openPolicy, type OpenPolicyOptions } from "../../src/node/open-policy.ts";
import type { PolicyFileStatus } from "../../src/node/policy-file.ts";
import { call } from "../gate/fake-engine.ts";
import { tempFolders } from "./temp-folder.ts";

const folder = tempFolders();

function rules(effect: "allow" | "deny", tool = "thing"): string {
  return JSON.stringify({ version: 1, rules: [{ id: `${tool}.${effect}`, effect, tool }] });
}

function setup(text?: string, options: Partial<OpenPolicyOptions> = {}) {
  const dir = folder();
  const path = join(dir, "policy.jsonc");
  if (text !== undefined) writeFileSync(path, text);
  const changes: PolicyFileStatus[] = [];
  const policy = openPolicy({
    files: [{ path, layer: "user" }],
    home: dir,
    cwd: dir,
    onChange: (status) => changes.push(status),
    ...options,
  });
  const effect = (tool = "thing") =>
    policy.engine.evaluate(call("a", {}, { tool: { name: tool, source: { kind: "sdk" } }, cwd: dir })).effect;
  return { dir, path, policy, changes, effect };
}

describe("an open policy", () => {
  it("counts an edit from the next decision on", () => {
    const { path, policy, effect } = setup(rules("allow"));
    expect(effect()).toBe("allow");
    writeFileSync(path, rules("deny"));
    expect(effect()).toBe("deny");
    expect(policy.status()).toMatchObject([{ state: "loaded", rules: 1 }]);
  });

  it("keeps the last good policy when an edit breaks it, says so, and takes the next good one", () => {
    // policy L06
    const { path, policy, changes, effect } = setup(rules("deny"));
    writeFileSync(path, '{ "version": 1, "rules": [ ');
    expect(effect()).toBe("deny");
    expect(policy.status()).toMatchObject([{ state: "last-good" }]);
    expect(changes.at(-1)?.problems[0]).toMatchObject({ file: path, line: 1 });
    writeFileSync(path, rules("allow"));
    expect(effect()).toBe("allow");
    expect(policy.status()).toMatchObject([{ state: "loaded", problems: [] }]);
  });

  it("keeps the last good policy when its file vanishes, cannot be read, or is a folder", () => {
    const ways: ((path: string) => void)[] = [
      (path) => rmSync(path),
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
      (path) => writeFileSync(path, "x".repeat(5_000_000)),
    ];
    for (const spoil of ways) {
      const { path, policy, effect } = setup(rules("deny"));
      spoil(path);
      expect(effect()).toBe("deny");
      expect(policy.status()).toMatchObject([{ state: "last-good" }]);
    }
  });

  it("stands on the strict built-in rules when the file is broken at the start, and says where", () => {
    // policy L06
    const { policy, effect, path } = setup('{\n  "version": 1,\n  "rulez": []\n}');
    expect(effect()).toBe("ask");
    expect(policy.layers()).toMatchObject([{ ok: false, name: "user" }]);
    expect(policy.status()[0]?.problems[0]).toMatchObject({ file: path, line: 3 });
    writeFileSync(path, rules("allow"));
    expect(effect()).toBe("allow");
  });

  it("takes an absent file for an empty one, unless it is required", () => {
    expect(setup().policy.layers()).toEqual([]);
    const path = join(folder(), "managed.jsonc");
    const { policy } = setup(undefined, { files: [{ path, layer: "managed", required: true }] });
    expect(policy.layers()).toMatchObject([{ ok: false, name: "managed" }]);
    writeFileSync(path, rules("deny"));
    expect(policy.layers()).toMatchObject([{ ok: true, name: "managed" }]);
  });

  it("reads a project's file only while the project is trusted", () => {
    // contract A26
    let trusted = false;
    const dir = folder();
    const path = join(dir, "policy.jsonc");
    writeFileSync(path, rules("deny"));
    const { policy, effect } = setup(rules("allow"), {
      files: [{ path, layer: "project" }],
      projectTrusted: () => trusted,
    });
    expect(effect()).not.toBe("deny");
    expect(policy.status()).toMatchObject([{ state: "untrusted" }]);
    trusted = true;
    expect(effect()).toBe("deny");
    trusted = false;
    expect(effect()).not.toBe("deny");
  });

  it("says what cannot be made ready, such as an expression that does not compile, and refuses the whole file", () => {
    const text = JSON.stringify({
      version: 1,
      rules: [
        { id: "ok", effect: "allow", tool: "thing" },
        { id: "bad", effect: "deny", tool: "other", input: { q: { regex: "(" } } },
      ],
    });
    const { policy, effect } = setup(text);
    expect(effect()).toBe("ask");
    expect(policy.status()).toMatchObject([{ state: "broken" }]);
  });

  it("works in a gate while its file is edited under it", async () => {
    const { path, policy, dir } = setup(rules("allow"));
    const gate = createGate({ engine: policy.engine, facts: policy.facts });
    const request = (id: string) =>
      call(id, {}, { tool: { name: "thing", source: { kind: "sdk" } }, cwd: dir });
    expect((await gate.decide(request("a"))).effect).toBe("allow");
    writeFileSync(path, rules("deny"));
    // What was allowed a moment ago is refused right before its effect.
    expect(gate.recheck({ callId: "a", toolName: "thing", input: {}, cwd: dir }).ok).toBe(false);
    expect((await gate.decide(request("b"))).effect).toBe("deny");
  });
});

describe("facts about the machine", () => {
  it("hash a file that is run, and give up on what is none", () => {
    const dir = folder();
    const facts = nodeFacts();
    writeFileSync(join(dir, "x.sh"), "echo 1");
    expect(facts.hashFile(join(dir, "x.sh"))).toHaveLength(64);
    expect(facts.hashFile(dir)).toBeUndefined();
    expect(facts.hashFile(join(dir, "none"))).toBeUndefined();
  });

  it("find the repository around a folder, also of a worktree", () => {
    const dir = folder();
    mkdirSync(join(dir, "repo", ".git"), { recursive: true });
    mkdirSync(join(dir, "repo", "a", "b"), { recursive: true });
    mkdirSync(join(dir, "tree"));
    writeFileSync(join(dir, "tree", ".git"), "gitdir: ../repo/.git/worktrees/tree");
    const facts = nodeFacts();
    expect(facts.repositoryOf(join(dir, "repo", "a", "b"))).toBe(join(dir, "repo"));
    expect(facts.repositoryOf(join(dir, "tree"))).toBe(join(dir, "tree"));
  });

  it("resolve links, list folders and answer every failure without throwing", () => {
    const dir = folder();
    const fs = nodePolicyFs();
    mkdirSync(join(dir, "real"));
    writeFileSync(join(dir, "real", "Abc"), "");
    symlinkSync("real", join(dir, "link"));
    symlinkSync("nowhere", join(dir, "dangling"));
    expect(fs.realpath(join(dir, "link", "Abc"))).toBe(join(dir, "real", "Abc"));
    expect(fs.readlink(join(dir, "link"))).toBe("real");
    expect(fs.readlink(join(dir, "dangling"))).toBe("nowhere");
    expect(fs.realpath(join(dir, "dangling"))).toBeUndefined();
    expect(
      fs
        .list(dir)
        ?.map((entry) => `${entry.name} ${entry.kind}`)
        .sort(),
    ).toEqual(["dangling link", "link link", "real folder"]);
    expect(fs.list(join(dir, "none"))).toBeUndefined();
    const folds = fs.foldsCase(join(dir, "real", "Abc"));
    expect(folds).toBe(fs.realpath(join(dir, "real", "ABC")) !== undefined);
    chmodSync(dir, 0o700);
  });
});
