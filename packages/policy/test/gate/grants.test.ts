import { describe, expect, it } from "vitest";

import type { PartDecision } from "../../src/decision.ts";
import type { ApprovalAnswer, ApprovalPrompt } from "../../src/gate/approver.ts";
import { factsWithoutFileSystem } from "../../src/gate/facts.ts";
import { createGate } from "../../src/gate/gate.ts";
import type { GrantFacts } from "../../src/gate/grant.ts";
import { createMemoryGrants } from "../../src/gate/grants.ts";
import { call, command, fakeEngine, type FakeRuling } from "./fake-engine.ts";

/** A machine with two repositories and files whose contents a test can change. */
function machine() {
  const files = new Map<string, string>([["/a/ok.js", "1"]]);
  const facts: GrantFacts = {
    ...factsWithoutFileSystem,
    repositoryOf: (folder) => ["/a", "/b"].find((root) => folder === root || folder.startsWith(`${root}/`)),
    hashFile: (path) => files.get(path),
  };
  return { files, facts };
}

/** Asks about every command of the line; `&&` separates them. */
function askAbout(line: string): FakeRuling {
  const commands = line.split(" && ").map((source) => command(source));
  const parts = commands.map(({ source }): PartDecision => ({
    effect: "ask",
    rule: "bash.ask",
    layer: "user",
    matched: source,
    reason: "",
  }));
  return { effect: "ask", rule: "bash.ask", commands, parts };
}

function setup(answer: (prompt: ApprovalPrompt) => ApprovalAnswer, rule?: (line: string) => FakeRuling) {
  const { files, facts } = machine();
  const prompts: ApprovalPrompt[] = [];
  const grants = createMemoryGrants();
  let now = 1_000_000;
  const gate = createGate({
    engine: fakeEngine((request) => (rule ?? askAbout)(String(request.input["command"]))),
    approver: {
      ask: async (prompt) => {
        prompts.push(prompt);
        return answer(prompt);
      },
    },
    facts,
    grants,
    clock: () => now,
  });
  let calls = 0;
  const run = async (line: string, cwd = "/a") => {
    const before = prompts.length;
    const verdict = await gate.decide(call(`c${(calls += 1)}`, { command: line }, { cwd }));
    return { effect: verdict.effect, asked: prompts.length > before };
  };
  return {
    run,
    gate,
    grants,
    files,
    prompts,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const exact = (kind: "session" | "always") => (prompt: ApprovalPrompt) =>
  ({ kind: "approved", remember: { kind, pattern: prompt.item.offers[0]?.pattern ?? "" } }) as const;

describe("a remembered answer", () => {
  it("counts for exactly the call that was shown, and never for the program", async () => {
    // policy M02
    const { run } = setup(exact("always"));
    expect(await run("git status")).toEqual({ effect: "allow", asked: true });
    expect(await run("git status")).toEqual({ effect: "allow", asked: false });
    expect((await run("git push")).asked).toBe(true);
    expect((await run("git status -s")).asked).toBe(true);
  });

  it("is not made by an answer for one time", async () => {
    // reports R14
    const { run, grants } = setup(() => ({ kind: "approved" }));
    await run("git status");
    expect(grants.list()).toEqual([]);
    expect((await run("git status")).asked).toBe(true);
  });

  it("counts in one repository for programs that a repository steers, and in one folder for others", async () => {
    // policy M04
    const { run } = setup(exact("always"));
    await run("git status", "/a");
    expect((await run("git status", "/a/sub")).asked).toBe(false);
    expect((await run("git status", "/b")).asked).toBe(true);
    await run("ls", "/a");
    expect((await run("ls", "/a")).asked).toBe(false);
    expect((await run("ls", "/a/sub")).asked).toBe(true);
    // One program of the line is not the repository's business: the folder binds.
    await run("git status && rm x", "/a");
    expect((await run("git status && rm x", "/a/sub")).asked).toBe(true);
    // Nor is a file that is written by the way.
    const target = { operator: ">", target: { raw: "out.txt", value: "out.txt" }, action: "write" } as const;
    const written = setup(exact("always"), (line) => ({
      effect: "ask",
      commands: [command(line, { redirections: [target] })],
    }));
    await written.run("git log", "/a");
    expect((await written.run("git log", "/a")).asked).toBe(false);
    expect((await written.run("git log", "/a/sub")).asked).toBe(true);
  });

  it("looks through a wrapper to the program that the repository steers", async () => {
    // policy M04
    const { run } = setup(exact("always"), (line) => ({
      effect: "ask",
      commands: [command(line), command("git status", { wrappers: ["env"] })],
    }));
    await run("env git status", "/a");
    expect((await run("env git status", "/a/sub")).asked).toBe(false);
    expect((await run("env git status", "/b")).asked).toBe(true);
  });

  it("ends when the time that was chosen is over", async () => {
    // policy M06
    const { run, pass } = setup((prompt) => ({
      kind: "approved",
      remember: { kind: "time", pattern: prompt.item.offers[0]?.pattern ?? "", forMs: 3_600_000 },
    }));
    await run("npm test");
    pass(3_599_999);
    expect((await run("npm test")).asked).toBe(false);
    pass(60_001);
    expect((await run("npm test")).asked).toBe(true);
  });

  it("ends when the script that it runs has changed", async () => {
    // policy K04
    const { run, files } = setup(exact("always"));
    await run("node ./ok.js");
    expect((await run("node ./ok.js")).asked).toBe(false);
    files.set("/a/ok.js", "2");
    expect((await run("node ./ok.js")).asked).toBe(true);
    files.set("/a/ok.js", "1");
    files.delete("/a/ok.js");
    expect((await run("node ./ok.js")).asked).toBe(true);
  });

  it("ends when the file has changed that says what a program runs, or that a starter is told to run", async () => {
    // policy K04
    for (const [line, file] of [
      ["make", "/a/Makefile"],
      ["npm test", "/a/package.json"],
      ["npx tsx ok.js", "/a/ok.js"],
    ] as const) {
      const { run, files } = setup(exact("always"));
      files.set(file, "1");
      await run(line);
      expect((await run(line)).asked).toBe(false);
      files.set(file, "2");
      expect((await run(line)).asked).toBe(true);
    }
  });

  it("remembers a command of a line only where it runs in the call's own folder", async () => {
    const { run, prompts } = setup(
      () => ({ kind: "declined" }),
      (line) => ({
        ...askAbout(line),
        commands: line.split(" && ").map((source) => command(source, { cwd: "/a/sub" })),
      }),
    );
    await run("cd sub && make");
    expect(prompts[0]?.item.offers.map((offer) => offer.kind)).toEqual(["exact"]);
  });

  it("is not offered for what runs a file that cannot be read, or whose words nobody knows before", async () => {
    const unreadable = setup(exact("always"));
    await unreadable.run("./gone.sh");
    expect(unreadable.prompts[0]?.item.offers).toEqual([]);
    expect(unreadable.grants.list()).toEqual([]);

    const doubtful = setup(exact("always"), (line) => ({
      ...askAbout(line),
      doubts: [{ kind: "dynamic-word", message: "$X" }],
    }));
    await doubtful.run("echo $X");
    expect(doubtful.prompts[0]?.item.offers).toEqual([]);
    expect(doubtful.grants.list()).toEqual([]);

    const forPersons = setup(exact("always"), (line) => ({ ...askAbout(line), personOnly: true }));
    await forPersons.run("kill 1");
    await forPersons.run("kill 1");
    expect(forPersons.prompts).toHaveLength(2);
  });

  it("never answers a deny, nor a rule that was not asked about", async () => {
    let effect: "ask" | "deny" = "ask";
    let rule = "one";
    const { run } = setup(exact("always"), (line) => ({ effect, rule, commands: [command(line)] }));
    await run("ls");
    expect((await run("ls")).asked).toBe(false);
    rule = "two";
    expect((await run("ls")).asked).toBe(true);
    effect = "deny";
    expect(await run("ls")).toEqual({ effect: "deny", asked: false });
  });

  it("is saved as the pattern that was shown and edited, for one command of a compound", async () => {
    const { run, grants, prompts } = setup((prompt) => ({
      kind: "approved",
      remember: { kind: "always", pattern: "npm run *", offer: prompt.item.offers[1]?.kind ?? "exact" },
    }));
    await run("npm run build && git push");
    expect(prompts[0]?.item.offers.map((offer) => offer.pattern)).toEqual([
      "npm run build && git push",
      "npm run build",
      "git push",
    ]);
    expect(grants.list()).toMatchObject([
      { kind: "command", match: "npm run *", repository: false, folder: "/a" },
    ]);
    expect((await run("npm run lint")).asked).toBe(false);
    expect((await run("npm run lint x")).asked).toBe(true);
    // One grant a click: the other half of the line is asked about again.
    expect((await run("npm run build && git push")).asked).toBe(true);
  });

  it("is refused when the edited pattern does not match what was shown, names no program, or is broken", async () => {
    for (const pattern of ["git push ...", "* run build", "'", "", "..."]) {
      const { run, grants } = setup(() => ({
        kind: "approved",
        remember: { kind: "always", pattern, offer: "command" },
      }));
      expect((await run("npm run build")).effect).toBe("allow");
      expect(grants.list()).toEqual([]);
    }
  });

  it("covers no redirection, environment prefix, glob or unknown word through a pattern", async () => {
    const risky = [
      command("npm run x", { env: [{ name: "PATH", value: { raw: "x", value: "x" } }] }),
      command("npm run x", {
        redirections: [{ operator: ">", target: { raw: "y", value: "y" }, action: "write" }],
      }),
      command("npm run x", { opaque: "runs code" }),
      command("npm run *", {
        argv: [
          { raw: "npm", value: "npm" },
          { raw: "run", value: "run" },
          { raw: "*", value: "*", glob: true },
        ],
      }),
      command("npm run $X", {
        argv: [
          { raw: "npm", value: "npm" },
          { raw: "run", value: "run" },
          { raw: "$X", value: undefined },
        ],
      }),
    ];
    for (const fact of risky) {
      let plain = true;
      const { run } = setup(
        () => ({ kind: "approved", remember: { kind: "always", pattern: "npm run *", offer: "command" } }),
        (line) =>
          plain
            ? askAbout(line)
            : {
                ...askAbout(line),
                commands: [fact],
                parts: [{ effect: "ask", rule: "bash.ask", layer: "user", matched: fact.source, reason: "" }],
              },
      );
      await run("npm run build");
      expect((await run("npm run test")).asked).toBe(false);
      plain = false;
      expect((await run("anything")).asked).toBe(true);
    }
  });

  it("can be taken back", async () => {
    const { run, gate } = setup(exact("session"));
    await run("ls");
    const [grant] = gate.grants.list();
    expect(await gate.grants.revoke(grant?.id ?? "")).toBe(true);
    expect((await run("ls")).asked).toBe(true);
  });

  it("counts for the tool of one owner only", async () => {
    // policy I07
    const gate = createGate({
      engine: fakeEngine(() => ({ effect: "ask" })),
      approver: {
        ask: async (prompt) => ({
          kind: "approved",
          remember: { kind: "always", pattern: prompt.item.offers[0]?.pattern ?? "" },
        }),
      },
    });
    const from = (id: string, server: string) =>
      gate.decide(call(id, {}, { tool: { name: "mcp__x__do", source: { kind: "mcp", server } } }));
    await from("a", "foo.bar");
    await from("b", "foo_bar");
    expect(gate.grants.list().map((grant) => grant.source)).toEqual(["mcp:foo.bar", "mcp:foo_bar"]);
  });

  it("covers files through a pattern, for Pi's own tools only, with links resolved and never outside its folder", async () => {
    const links: Record<string, string> = { "/a/src/out": "/etc", "/a/new": "", "/a/src/new.ts": "" };
    const facts: GrantFacts = {
      ...factsWithoutFileSystem,
      realPath: (path) => {
        const link = Object.keys(links).find((from) => path === from || path.startsWith(`${from}/`));
        if (link === undefined) return path;
        return links[link] === "" ? undefined : path.replace(link, links[link] ?? "");
      },
    };
    const setupFor = (pattern: string, source: "builtin" | "sdk" = "builtin") => {
      let asked = 0;
      const grants = createMemoryGrants();
      const gate = createGate({
        engine: fakeEngine((request) => ({
          effect: "ask",
          resources: [
            {
              action: "write",
              kind: "path",
              value: String(request.input["path"]),
              base: "/a",
              origin: "path",
            },
          ],
        })),
        approver: {
          ask: async () => {
            asked += 1;
            return { kind: "approved", remember: { kind: "always", pattern, offer: "path" } };
          },
        },
        facts,
        grants,
      });
      return {
        grants,
        write: async (path: string, content: string) => {
          const before = asked;
          const tool = { name: "write", source: { kind: source } };
          await gate.decide(call(`${path} ${content}`, { path, content }, { tool, cwd: "/a" }));
          return asked > before;
        },
      };
    };
    const { write, grants } = setupFor("src/**");
    expect(await write("src/a.ts", "1")).toBe(true);
    expect(grants.list()).toMatchObject([{ kind: "path", match: "src/**", folder: "/a" }]);
    expect(await write("src/a.ts", "2")).toBe(false);
    expect(await write("src/deep/.b.ts", "1")).toBe(false);
    expect(await write("src/new.ts", "1")).toBe(false);
    for (const path of [
      "other.ts",
      "src/../other.ts",
      "src/out/passwd",
      "/etc/passwd",
      "../src/a.ts",
      "srcx/a.ts",
    ]) {
      expect(await write(path, "1")).toBe(true);
    }
    for (const pattern of ["other/**", "/a/src/**", "~/x", "../a/src/*", "!x", "", "{src,x}/*"]) {
      const refused = setupFor(pattern);
      await refused.write("src/a.ts", "1");
      expect(refused.grants.list()).toEqual([]);
    }
    const foreign = setupFor("src/**", "sdk");
    await foreign.write("src/a.ts", "1");
    expect(foreign.grants.list()).toEqual([]);
  });
});
