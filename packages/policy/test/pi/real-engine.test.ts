import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { createCodemodeExtension, type ToolDefinition } from "@earendil-works/pi-coding-agent";
import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { Type } from "typebox";
import { describe, expect, it } from "vitest";

import type { AuditRecord } from "../../src/gate/audit.ts";
import { createMemoryGrants } from "../../src/gate/grants.ts";
import { createPolicyExtension } from "../../src/pi/index.ts";
import { fakeEngine } from "../gate/fake-engine.ts";
import { tempFolders } from "../node/temp-folder.ts";
import { scriptTool, textOf } from "./tools.ts";

const folder = tempFolders();

/** A Pi session with real policy files; its `bash` notes what it would run and runs nothing. */
async function start(
  user: object,
  project?: object,
  options: { readonly trusted?: boolean; readonly ui?: boolean } = {},
) {
  const ran: string[] = [];
  const cwd = folder();
  const files = folder();
  mkdirSync(join(cwd, ".pi"));
  writeFileSync(join(files, "user.jsonc"), JSON.stringify({ version: 1, tools: replacedBash, ...user }));
  if (project !== undefined)
    writeFileSync(join(cwd, ".pi", "policy.jsonc"), JSON.stringify({ version: 1, ...project }));
  const policy = createPolicyExtension({
    files: [
      { path: join(files, "user.jsonc"), layer: "user" },
      { path: join(cwd, ".pi", "policy.jsonc"), layer: "project", required: false },
    ],
    grants: createMemoryGrants(),
    audit: false,
    typeAheadMs: 0,
  });
  const session = await scriptedPiSession({
    cwd,
    projectTrusted: options.trusted ?? true,
    extensions: [
      (pi) => {
        pi.registerTool({
          name: "bash",
          label: "bash",
          description: "Notes what it would run",
          parameters: Type.Object({ command: Type.String() }),
          execute: async (_id, params) => {
            ran.push(params.command);
            return { content: [{ type: "text", text: "ran" }], details: {} };
          },
        });
      },
      scriptTool("codemode", async (ctx) => {
        const outcomes = [];
        for (const command of ["git push --force", "git push origin +main", "git status"]) {
          outcomes.push(textOf(await ctx.executeTool("bash", { command })));
        }
        return outcomes.join("\n");
      }),
      policy,
    ],
    ...(options.ui === true ? { ui: { select: "Allow once" } } : {}),
  });
  return { session, ran, policy, cwd };
}

/** An extension took the name of Pi's own tool: the user says that it is one that runs its command and no more. */
const replacedBash = { bash: { shell: { argument: "command" } } };
const allowGit = { rules: [{ id: "git", effect: "allow", command: { program: "git" } }] };

describe("the built-in rules in a Pi session", () => {
  it("keep a forced push from running, asked for by the model or by a script, and let the rest pass", async () => {
    // contract A23, A8; policy J01, J03, E01, E03
    const { session, ran, policy } = await start(allowGit);
    await using _ = session;
    await session.prompt("go", [
      call("bash", { command: "git push -f origin main" }),
      call("codemode"),
      "done",
    ]);
    expect(ran).toEqual(["git status"]);
    expect(policy.layers()).toMatchObject([{ ok: true, name: "user" }]);
    expect(session.toolResults()[0]).toMatchObject({ isError: true });
    expect(session.resultText("call-1")).toContain("git.force-push");
    expect(session.resultText("call-2").match(/git\.force-push/g)).toHaveLength(2);
  });

  it("never let a call write the policy, whatever is allowed and whoever approves", async () => {
    // policy N01, N05
    const { session, ran, cwd } = await start(
      {
        fallback: { bash: "allow", write: "allow" },
        rules: [{ id: "all", effect: "allow", command: { program: "*" } }],
      },
      undefined,
      { ui: true },
    );
    await using _ = session;
    await session.prompt("go", [
      call("bash", { command: "echo {} > .pi/policy.jsonc" }),
      call("write", { path: join(cwd, ".pi", "policy.jsonc"), content: "{}" }),
      call("bash", { command: "cd .pi && cp ../x policy.jsonc" }),
      "done",
    ]);
    expect(ran).toEqual([]);
    expect(session.toolResults().every((result) => result.isError)).toBe(true);
    expect(session.ui?.dialogs).toEqual([]);
  });

  it("ask again about a read when a link under it was allowed in the same message", async () => {
    // policy J11
    const user = {
      rules: [
        { id: "ln", effect: "allow", command: { program: "ln" } },
        { id: "in", effect: "allow", path: { outside: false } },
        { id: "ssh", effect: "allow", path: { glob: "~/.ssh/**" } },
      ],
      preset: { "secrets.read": false, "path.external": false },
    };
    const { session, ran, cwd } = await start(user);
    await using _ = session;
    writeFileSync(join(cwd, "notes.txt"), "notes");
    const link = call("bash", { command: "ln -sf other.txt notes.txt" });
    const read = call("read", { path: "notes.txt" });
    await session.prompt("go", [[link, read], "done"]);
    expect(ran).toHaveLength(1);
    expect(session.resultText("call-2")).toContain("no UI");
    await session.prompt("again", [read, "done"]);
    expect(session.resultText()).toBe("notes");
  });

  it("judge tools by their hints where nothing else is said, on every route", async () => {
    // contract A6, A7, A8, B5
    const ran: string[] = [];
    const tool = (name: string, annotations?: ToolDefinition["annotations"]): ToolDefinition => ({
      name,
      label: name,
      description: name,
      parameters: Type.Object({}),
      ...(annotations === undefined ? {} : { annotations }),
      execute: async () => {
        ran.push(name);
        return { content: [{ type: "text", text: "ran" }], details: {} };
      },
    });
    const tools = (prefix: string) => [
      tool(`${prefix}_no_hints`),
      tool(`${prefix}_reads`, { readOnlyHint: true, openWorldHint: false }),
      tool(`${prefix}_adds_here`, { destructiveHint: false, openWorldHint: false }),
      tool(`${prefix}_adds_anywhere`, { destructiveHint: false }),
      tool(`${prefix}_contradicts`, { readOnlyHint: true, destructiveHint: true }),
    ];
    await using session = await scriptedPiSession({
      customTools: tools("sdk"),
      extensions: [
        (pi) => {
          for (const definition of tools("ext")) pi.registerTool(definition);
        },
        createPolicyExtension({ files: [], grants: createMemoryGrants(), audit: false }),
      ],
    });
    const names = [...tools("sdk"), ...tools("ext")].map(({ name }) => name);
    await session.prompt("go", [names.map((name) => call(name)), "done"]);
    expect(ran).toEqual(["sdk_reads", "sdk_adds_here", "ext_reads", "ext_adds_here"]);
    for (const result of session.toolResults().filter((one) => one.isError)) {
      expect(result.content).toMatchObject([{ text: expect.stringContaining("no UI") }]);
    }
  });

  it("let Pi's own codemode pass and judge each call of its script", async () => {
    // contract A15; policy J03, J01, reports R13
    const ran: string[] = [];
    await using session = await scriptedPiSession({
      settings: { defaultTools: ["+codemode"] },
      extensions: [
        createCodemodeExtension({ mode: "on" }),
        (pi) => {
          pi.registerTool({
            name: "deploy",
            label: "deploy",
            description: "Notes that it ran",
            parameters: Type.Object({}),
            execute: async () => {
              ran.push("deploy");
              return { content: [{ type: "text", text: "ran" }], details: {} };
            },
          });
        },
        createPolicyExtension({ files: [], grants: createMemoryGrants(), audit: false }),
      ],
    });
    writeFileSync(join(session.cwd, "a.txt"), "from the file");
    const code = `
      const out = [await tools.read({ path: "a.txt" })];
      for (const run of [() => tools.deploy({}), () => tools.bash({ command: "git push --force" })]) {
        try { out.push(await run()); } catch (error) { out.push(error.message); }
      }
      return out.map((item) => typeof item === "string" ? item : JSON.stringify(item)).join("\\n");
    `;
    await session.prompt("go", [call("codemode", { code }), "done"]);
    const text = session.resultText();
    expect(text).toContain("from the file");
    expect(text).toContain("no UI");
    expect(text).toContain("git.force-push");
    expect(ran).toEqual([]);
  });

  it("leave Pi's own tools able to work with arguments that nobody can change any more", async () => {
    const records: AuditRecord[] = [];
    await using session = await scriptedPiSession({
      tools: ["read", "write", "edit", "bash", "ls"],
      extensions: [
        createPolicyExtension({
          engine: fakeEngine(() => ({ effect: "allow" })),
          grants: createMemoryGrants(),
          audit: { write: (record) => void records.push(record) },
        }),
      ],
    });
    const calls = [
      call("write", { path: "a.txt", content: "one\n" }),
      call("edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] }),
      call("read", { path: "a.txt" }),
      call("bash", { command: "echo three" }),
      call("ls", { path: "." }),
    ];
    await session.prompt("go", [...calls, "done"]);
    const results = session.toolResults();
    expect(results.map((result) => [result.toolName, result.isError])).toEqual(
      calls.map(({ name }) => [name, false]),
    );
    expect(session.resultText("call-3")).toContain("two");
    expect(session.resultText("call-4")).toContain("three");
    const ends = records.filter((record) => record.type === "end");
    expect(ends.map((record) => [record.tool, record.changed])).toEqual(
      calls.map(({ name }) => [name, false]),
    );
  });

  it("bind a person only through rules that name persons", async () => {
    // policy L16
    const denied = { effect: "deny", command: { program: "rm" } };
    const { session } = await start({
      rules: [
        { id: "agent", ...denied },
        { id: "both", effect: "deny", command: { program: "dd" }, actor: "any" },
      ],
    });
    await using _ = session;
    const type = (command: string) =>
      session.session.extensionRunner.emitUserBash({
        type: "user_bash",
        command,
        excludeFromContext: false,
        cwd: session.cwd,
      });
    expect(await type("rm -rf build")).toBeUndefined();
    expect(await type("dd if=a of=b")).toMatchObject({
      result: { output: expect.stringContaining("both"), exitCode: 126 },
    });
  });

  it("read the project's file only in a project that Pi trusts", async () => {
    // contract A26
    const project = { rules: [{ id: "no-git", effect: "deny", command: { program: "git" } }] };
    for (const trusted of [true, false]) {
      const { session, ran, policy } = await start(allowGit, project, { trusted });
      await using _ = session;
      await session.prompt("go", [call("bash", { command: "git status" }), "done"]);
      expect(ran).toEqual(trusted ? [] : ["git status"]);
      expect(policy.state()?.files.map((file) => file.state)).toEqual([
        "loaded",
        trusted ? "loaded" : "untrusted",
      ]);
    }
  });
});
