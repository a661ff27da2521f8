import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { describe, expect, it } from "vitest";

import { createGate } from "../../src/gate/gate.ts";
import type { Remember } from "../../src/gate/approver.ts";
import { createMemoryGrants } from "../../src/gate/grants.ts";
import { openPolicy } from "../../src/node/open-policy.ts";
import { layer } from "../engine/support.ts";
import { tempFolders } from "../node/temp-folder.ts";
import { call } from "./fake-engine.ts";

const folder = tempFolders();

interface Wish {
  readonly offer: Remember["offer"];
  readonly pattern?: string;
  readonly forMs?: number;
}

/** A project on disk with the real engine: every command asks, a write inside the project does not. */
function project(files: Readonly<Record<string, string>>, rules: readonly object[] = []) {
  const top = folder();
  const at = (path: string): string => join(top, path);
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  mkdirSync(at(".git"), { recursive: true });
  for (const [path, text] of Object.entries(files)) put(path, text);
  const policy = openPolicy({
    files: [],
    home: at("home"),
    cwd: top,
    layers: [
      layer("user", {
        fallback: { bash: "ask", write: "allow" },
        rules: [
          { id: "inside", effect: "allow", path: { outside: false } },
          { id: "echo", effect: "allow", command: { program: ["echo", "sleep"] } },
          ...rules,
        ],
      }),
    ],
  });
  let now = 1_000_000;
  let wish: Wish | undefined;
  let asked = 0;
  const errors: string[] = [];
  const grants = createMemoryGrants();
  const gate = createGate({
    engine: policy.engine,
    facts: policy.facts,
    grants,
    clock: () => now,
    onError: (_error, where) => void errors.push(where),
    approver: {
      async ask({ item }) {
        asked += 1;
        if (wish === undefined) return { kind: "declined" };
        const { offer = "exact", pattern, forMs } = wish;
        const found = item.offers.find((one) => one.kind === offer);
        const text = { pattern: pattern ?? found?.pattern ?? "", offer };
        return {
          kind: "approved",
          remember: forMs === undefined ? { kind: "session", ...text } : { kind: "time", forMs, ...text },
        };
      },
    },
  });
  let calls = 0;
  const start = (command: string, cwd = "", extra: object = {}) =>
    gate.decide(
      call(
        `c${(calls += 1)}`,
        { command, ...extra },
        { cwd: cwd.startsWith("/") ? cwd : at(cwd), tool: { name: "bash", source: { kind: "builtin" } } },
      ),
    );
  /** Whether a person would be asked; the call is over right away. */
  const asks = async (command: string, cwd = "", extra: object = {}): Promise<boolean> => {
    const before = asked;
    await start(command, cwd, extra);
    gate.settled({ callId: `c${calls}` }, { isError: false });
    gate.beginRun();
    return asked > before;
  };
  const grant = async (command: string, given: Wish, cwd = ""): Promise<void> => {
    wish = given;
    expect(await asks(command, cwd)).toBe(true);
    wish = undefined;
    expect(await asks(command, cwd)).toBe(false);
  };
  return { at, put, asks, grant, start, gate, grants, errors, set: (time: number) => void (now = time), top };
}

describe("a grant for one command of a line does not count", () => {
  const psql = { offer: "command" } as const;
  it.each([
    ["a here-document", "psql db <<E\nDROP TABLE x\nE"],
    ["a here-string", "psql db <<< 'DROP TABLE x'"],
    ["another command's output", "echo 'DROP TABLE x' | psql db"],
    ["a group's input", "( psql db ) <<< x"],
    ["what a group is fed", "echo x | { psql db; }"],
    ["another descriptor", "psql db <&3"],
  ])("with %s as its input", async (_title, line) => {
    const { grant, asks } = project({});
    await grant("psql db", psql);
    expect(await asks(line)).toBe(true);
  });

  it("without the pipe that it was given behind, and what is shown says so", async () => {
    const { grant, asks, grants } = project({});
    await grant("echo x | wc -l", { offer: "command" });
    expect(grants.list()[0]).toMatchObject({ kind: "command", shown: "| wc -l" });
    expect(await asks("sleep 1 | wc -l")).toBe(false);
    expect(await asks("wc -l")).toBe(true);
  });

  it("where the same line changes what it runs first", async () => {
    const { grant, asks } = project({ "package.json": "{}", "a.js": "1" });
    await grant("npm test", { offer: "command" });
    expect(await asks("echo 1 > other.txt && npm test")).toBe(false);
    expect(await asks("echo '{}' > package.json && npm test")).toBe(true);
    expect(await asks("echo '{}' > $X && npm test")).toBe(true);
    await grant("node a.js", { offer: "command" });
    expect(await asks("echo 1 >> a.js; node a.js")).toBe(true);
  });
});

describe("a grant does not count", () => {
  it("while a call that was allowed is still writing what it runs", async () => {
    const { grant, asks, gate, top } = project({ "package.json": "{}" });
    await grant("npm test", { offer: "exact" });
    const tool = { name: "write", source: { kind: "builtin" } } as const;
    const input = { path: "package.json", content: "{}" };
    expect(await gate.decide(call("w", input, { cwd: top, tool }))).toMatchObject({ effect: "allow" });
    expect(await asks("npm test")).toBe(true);
    gate.settled({ callId: "w" }, { isError: false });
    expect(await asks("npm test")).toBe(false);
  });

  it.each([
    ["npm test", "package.json"],
    ["cargo run", "Cargo.toml"],
    ["go build", "go.mod"],
    ["make all", "Makefile"],
  ])("in another folder of the repository: %s", async (line, manifest) => {
    const { grant, asks } = project({ [`a/${manifest}`]: "1", [`b/${manifest}`]: "1" });
    await grant(line, { offer: "exact" }, "a");
    expect(await asks(line, "b")).toBe(true);
  });

  it.each([
    ["npm test", "a/src", "a/package.json"],
    ["npm --prefix a test", "", "a/package.json"],
    ["npm test --prefix=a", "", "a/package.json"],
    ["make -C a all", "", "a/Makefile"],
    ["make -f rules.mk all", "", "rules.mk"],
    ["node --import ./hook.mjs a.js", "", "hook.mjs"],
  ])("after what %s runs in %s/ has changed: %s", async (line, cwd, file) => {
    const { grant, asks, put } = project({
      "a/src/x": "",
      "a/package.json": "{}",
      "a/Makefile": "all:",
      "rules.mk": "all:",
      "hook.mjs": "1",
      "a.js": "1",
      "package.json": "{}",
    });
    await grant(line, { offer: "exact" }, cwd);
    put(file, "changed");
    expect(await asks(line, cwd)).toBe(true);
  });

  it("in a folder that only has the name of the one it was given in", async () => {
    const { grant, asks, at, put } = project({ "one/x": "", "two/x": "" });
    symlinkSync(at("one"), at("link"));
    await grant("npm-like run", { offer: "exact" }, "link");
    // The same folder, by its own name.
    expect(await asks("npm-like run", "one")).toBe(false);
    renameSync(at("link"), at("old"));
    symlinkSync(at("two"), at("link"));
    expect(await asks("npm-like run", "link")).toBe(true);
    put("one/x", "");
  });

  it("for arguments that only look the same", async () => {
    const { grant, asks } = project({});
    await grant("run a", { offer: "exact" });
    expect(await asks("run \u0430")).toBe(true);
    expect(await asks("run a\u200b")).toBe(true);
    expect(await asks("run  a")).toBe(true);
    expect(await asks("run a", "", { timeout: 1 })).toBe(true);
    expect(await asks("run a", "", JSON.parse('{"__proto__":{"timeout":1}}') as object)).toBe(true);
    expect(await asks("run a", "", { timeout: undefined })).toBe(false);
  });

  it("at the very end of its time, after it, nor when the clock was set back before it was given", async () => {
    const { grant, asks, set } = project({});
    await grant("run a", { offer: "exact", forMs: 1_000 });
    set(1_000_999);
    expect(await asks("run a")).toBe(false);
    set(1_001_000);
    expect(await asks("run a")).toBe(true);
    set(999_999);
    expect(await asks("run a")).toBe(true);
  });

  it("for the same id in another layer", async () => {
    const { grant, grants, asks } = project({}, [
      { id: "deploy", effect: "ask", command: { program: "deploy" } },
    ]);
    await grant("deploy now", { offer: "exact" });
    const [given] = grants.list();
    expect(given?.rules).toEqual(["user/deploy"]);
    await grants.revoke(given?.id ?? "");
    await grants.add({ ...given!, rules: ["project/deploy"] });
    expect(await asks("deploy now")).toBe(true);
  });
});

describe("a wish that cannot be kept", () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 0])("%s ms is remembered for no time", async (forMs) => {
    const { gate, grants, asks, at } = project({});
    expect(gate.waiting).toBe(0);
    const odd = createGate({
      engine: openPolicy({
        files: [],
        home: at("home"),
        cwd: at(""),
        layers: [layer("user", { fallback: { bash: "ask" } })],
      }).engine,
      grants,
      approver: {
        ask: async ({ item }) => ({
          kind: "approved",
          remember: { kind: "time", pattern: item.offers[0]?.pattern ?? "", forMs },
        }),
      },
    });
    const tool = { name: "bash", source: { kind: "builtin" } } as const;
    expect((await odd.decide(call("x", { command: "run a" }, { cwd: at(""), tool }))).effect).toBe("deny");
    expect(grants.list()).toEqual([]);
    expect(await asks("run a")).toBe(true);
  });

  it("is told, so that nobody believes it was saved", async () => {
    const { asks, errors, grant, grants } = project({});
    await grant("run a", { offer: "exact" });
    expect(errors).toEqual([]);
    await expect(grant("run b c", { offer: "command", pattern: "other ..." })).rejects.toThrow(
      "expected true to be false",
    );
    expect(errors).toEqual(["remembering"]);
    expect(grants.list()).toHaveLength(1);
    expect(await asks("run b c")).toBe(true);
  });
});
