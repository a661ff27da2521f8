import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { describe, expect, it } from "vitest";

import { fakeEngine, call as request } from "./gate/fake-engine.ts";
import { tempFolders } from "./node/temp-folder.ts";
import { readAudit } from "../src/node/read-audit.ts";
import { createGate, GATE_LIMITS, parsePolicy } from "../src/index.ts";
import { AUDIT_LIMITS } from "../src/node/index.ts";
import { createPolicyExtension } from "../src/pi/index.ts";
import { defaultShellLimits } from "../src/shell/analysis.ts";
import { scriptTool, textOf } from "./pi/tools.ts";
import { guardedAgent } from "./readme/agent.ts";
import extension from "./readme/extension.ts";
import { openGate } from "./readme/gate.ts";
import { remoteApprover } from "./readme/remote-approver.ts";
import shipped from "./readme/shipped.ts";

const folder = tempFolders();
const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
const blocksOf = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, "g"))].map(([, block = ""]) => block);

describe("the README", () => {
  it("has examples that are files, type-checked and used here", () => {
    const examples = join(import.meta.dirname, "readme");
    const names = readdirSync(examples);
    const files = names
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(examples, name), "utf8"));
    expect(blocksOf("ts").sort()).toEqual(files.sort());
    expect(blocksOf("jsonc")[1]).toBe(readFileSync(join(examples, "policy.jsonc"), "utf8"));
  });

  it("composes codemode and review as the review guard does, which runs", () => {
    const source = readFileSync(
      join(import.meta.dirname, "../../../examples/review-guard/src/extension.ts"),
      "utf8",
    );
    const lines = new Set(source.split("\n").map((line) => line.trim()));
    const shown = (blocksOf("typescript")[0] ?? "").trim().split("\n");
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.filter((line) => !lines.has(line))).toEqual([]);
  });

  it("brings a policy beside the user's: looking is allowed, the orchestrator passes, the rest asks", async () => {
    const ran: string[] = [];
    await using session = await scriptedPiSession({
      extensions: [
        scriptTool("my_workflow", async (ctx) => {
          ran.push("my_workflow");
          return textOf(await ctx.executeTool("bash", { command: "touch made" }));
        }),
        shipped,
      ],
      ui: { select: () => undefined },
    });
    writeFileSync(join(session.agentDir, "policy.jsonc"), blocksOf("jsonc")[0] ?? "");
    await session.prompt("go", [
      call("bash", { command: "ls -la | head -n 1" }),
      call("my_workflow"),
      call("bash", { command: "cat .env" }),
      "done",
    ]);
    expect(session.toolResults()[0]?.isError).toBe(false);
    expect(ran).toEqual(["my_workflow"]);
    expect(session.resultText("call-2")).toContain("touch made needs approval");
    expect(session.resultText("call-3")).toContain("rule env, user layer");
    expect(session.ui?.dialogs).toHaveLength(1);
    expect(session.ui?.notifications).toEqual([]);
    expect(existsSync(join(session.agentDir, "nestbox", "audit"))).toBe(true);
  });

  it("shows a policy file that loads with its examples", () => {
    const [source = ""] = blocksOf("jsonc");
    expect(parsePolicy(source, { file: "README.md", layer: "user" })).toMatchObject({
      ok: true,
      policy: { rules: [{ id: "tests" }, { id: "no-rm" }, { id: "env" }] },
    });
  });

  it("says the limits as they are", () => {
    const { maxWaiting, maxBatch, maxHistory, maxDecisions, maxDenials, approvalTimeoutMs } = GATE_LIMITS;
    expect([maxWaiting, maxBatch, maxHistory, maxDecisions, maxDenials]).toEqual([
      100, 20, 1_000, 2_000, 1_000,
    ]);
    expect(approvalTimeoutMs).toBe(3_600_000);
    expect(defaultShellLimits).toEqual({
      maxChars: 65_536,
      maxDepth: 32,
      maxCommands: 2_000,
      maxWords: 8_192,
    });
    expect(AUDIT_LIMITS).toEqual({ maxFileBytes: 8 * 2 ** 20, maxFiles: 64, maxLineBytes: 256 * 2 ** 10 });
  });

  it("opens a gate that decides, remembers and records", async () => {
    const [own, project] = [folder(), folder()];
    mkdirSync(join(project, ".pi"));
    writeFileSync(join(own, "policy.jsonc"), blocksOf("jsonc")[0] ?? "");
    const gate = openGate(own, project);
    const bash = (id: string, command: string) =>
      gate.decide(
        request(id, { command }, { tool: { name: "bash", source: { kind: "builtin" } }, cwd: project }),
      );
    expect((await bash("a", "npm test")).effect).toBe("allow");
    expect((await bash("b", "rm -rf src")).reason).toContain("move it to .trash");
    expect((await bash("c", "make")).reason).toContain("no UI");
    expect((await bash("d", "cat .env")).effect).toBe("deny");
    expect(readAudit({ dir: join(own, "audit") })).toMatchObject({ ok: true, totals: { allow: 1, deny: 3 } });
  });

  it("plugs a remote approver in", async () => {
    let answer: unknown;
    const decide = async () => {
      const gate = createGate({
        engine: fakeEngine(() => ({ effect: "ask" })),
        approver: remoteApprover(async (question) =>
          answer === "yes" && "fingerprint" in question ? `yes a ${String(question.fingerprint)}` : answer,
        ),
      });
      return gate.decide(request("a"));
    };
    expect((await decide()).reason).toContain("nobody could be asked");
    answer = "yes";
    expect((await decide()).effect).toBe("allow");
    answer = "yes 0";
    expect((await decide()).reason).toContain("declined");
  });

  it("says what a question becomes that cannot be sent", async () => {
    const errors: unknown[] = [];
    let sent = 0;
    const gate = createGate({
      engine: fakeEngine(() => ({ effect: "ask" })),
      approver: remoteApprover(() => {
        sent += 1;
        return Promise.reject(new Error("no route"));
      }),
      onError: (error, where) => errors.push([where, String(error)]),
    });
    gate.beginRun();
    for (const id of ["a", "b"]) {
      expect(await gate.decide(request(id))).toMatchObject({
        effect: "deny",
        reason: expect.stringContaining("asking failed"),
      });
    }
    expect(sent).toBe(2);
    expect(errors[0]).toEqual(["approver", "Error: no route"]);
  });

  it("guards an agent of the low level, and is an extension that Pi can load", () => {
    const gate = createGate({ engine: fakeEngine(() => ({ effect: "deny" })) });
    expect(
      guardedAgent({ streamFn: () => Promise.reject(new Error("no model")) }, gate, "/").beforeToolCall,
    ).toBeTypeOf("function");
    expect(extension).toBeTypeOf("function");
  });

  it("denies in Pi what nobody can be asked about, with no policy file at all", async () => {
    await using session = await scriptedPiSession({
      extensions: [
        createPolicyExtension({ files: [], audit: false, timeout: { afterMs: 900_000, outcome: "stop" } }),
      ],
    });
    writeFileSync(join(session.cwd, "a.txt"), "text");
    await session.prompt("go", [call("bash", { command: "make" }), call("read", { path: "a.txt" }), "done"]);
    expect(session.resultText("call-1")).toContain("no UI");
    expect(session.resultText("call-2")).toBe("text");
  });
});
