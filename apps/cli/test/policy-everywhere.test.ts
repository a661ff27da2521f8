import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createToolHost } from "@nestbox/calls";
import { createGate, createMemoryGrants, type DecisionRecord } from "@nestbox/policy";
import { createAgentGate } from "@nestbox/policy/agent";
import { openPolicy } from "@nestbox/policy/node";
import { createPolicyExtension } from "@nestbox/policy/pi";
import type { JsonObject, RunnableTool } from "@nestbox/tool";
import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { afterAll, describe, expect, it } from "vitest";

import { nestbox } from "./support/nestbox.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "nestbox-everywhere-")));
const cwd = join(folder, "project");
mkdirSync(cwd);
const policyFile = join(folder, "policy.jsonc");
writeFileSync(
  policyFile,
  JSON.stringify({
    version: 1,
    // The tools of this test stand in for Pi's own and only note that they ran.
    tools: {
      shell: { shell: { argument: "command" } },
      look: { paths: [{ argument: "path", action: "read" }] },
    },
    rules: [
      { id: "no-rm", effect: "deny", command: { program: "rm" }, reason: "It deletes." },
      { id: "git", effect: "allow", command: { program: "git" } },
      { id: "push", effect: "ask", command: { prefix: "git push" } },
      { id: "sources", effect: "allow", path: { glob: "src/**", action: "read" } },
      { id: "no-env", effect: "deny", path: { glob: "**/.env" } },
      { id: "deploys", effect: "ask", tool: "deploy" },
    ],
  }),
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const table: readonly (readonly [tool: string, input: JsonObject, effect: string, rule: string])[] = [
  ["shell", { command: "git status" }, "allow", "git"],
  ["shell", { command: "git push origin main" }, "ask", "push"],
  ["shell", { command: "git push -f origin main" }, "deny", "git.force-push"],
  ["shell", { command: "git status && sudo rm -rf build" }, "deny", "no-rm"],
  ["shell", { command: "cat .env" }, "deny", "no-env"],
  ["shell", { command: "make all" }, "ask", "default.annotations"],
  ["look", { path: "src/a.ts" }, "allow", "sources"],
  ["look", { path: "src/../.env" }, "deny", "no-env"],
  ["deploy", { to: "production" }, "ask", "deploys"],
  ["closed", {}, "allow", "default.annotations"],
  ["unhinted", {}, "ask", "default.annotations"],
];
const expected = table.map(([, , effect, rule]) => ({ effect, rule, ran: effect === "allow" }));

const hints: Readonly<Record<string, RunnableTool["annotations"]>> = {
  closed: { readOnlyHint: true, openWorldHint: false },
};

/** Tools that note that they ran, for Pi and for the host alike. */
function tools(ran: Set<string>): readonly RunnableTool[] {
  return ["shell", "look", "deploy", "closed", "unhinted"].map((name) => ({
    name,
    label: name,
    description: `Notes that ${name} ran.`,
    parameters: { type: "object", properties: {} },
    ...(hints[name] === undefined ? {} : { annotations: hints[name] }),
    execute: async (id: string) => {
      ran.add(id);
      return { content: [{ type: "text" as const, text: "ran" }], details: {} };
    },
  }));
}

/** What the engine said and by which rule, in the order of the table, and whether the call then ran. */
function verdicts(
  records: readonly DecisionRecord[],
  ran: ReadonlySet<string>,
  among: (id: string) => boolean,
) {
  return records
    .filter(({ request }) => among(request.callId))
    .map(({ request, decision, verdict }) => ({
      effect: decision?.effect,
      rule: verdict.decision.rule,
      ran: ran.has(request.callId),
    }));
}

/** A gate with nobody to ask, over the file. */
function openGate() {
  const records: DecisionRecord[] = [];
  const { engine, facts } = openPolicy({ files: [{ path: policyFile, layer: "user" }], home: folder, cwd });
  return { records, gate: createGate({ engine, facts, onDecision: (record) => void records.push(record) }) };
}

describe("one policy gives the same verdict by the same rule", () => {
  it("in a Pi session, for the model's own calls", async () => {
    // contract B5
    const ran = new Set<string>();
    const records: DecisionRecord[] = [];
    await using pi = await scriptedPiSession({
      noTools: "builtin",
      extensions: [
        (api) => {
          for (const tool of tools(ran)) api.registerTool(tool as Parameters<typeof api.registerTool>[0]);
        },
        createPolicyExtension({
          files: [{ path: policyFile, layer: "user" }],
          grants: createMemoryGrants(),
          audit: false,
          onDecision: (record) => void records.push(record),
        }),
      ],
    });
    await pi.prompt("go", [...table.map(([name, input]) => call(name, input)), "done"]);
    expect(pi.errors).toEqual([]);
    expect(verdicts(records, ran, () => true)).toEqual(expected);
  });

  it("in front of the low-level agent", async () => {
    // contract B5
    const { gate, records } = openGate();
    const ran = new Set<string>();
    const agent = createAgentGate({ gate, cwd, source: () => ({ kind: "extension" }) });
    for (const [index, [name, args]] of table.entries()) {
      const toolCall = { id: `call-${index}`, name };
      const context = { toolCall, args, context: { tools: tools(ran) } };
      if ((await agent.beforeToolCall(context)) !== undefined) continue;
      ran.add(toolCall.id);
      expect(
        await agent.afterToolCall({ ...context, result: { content: [] }, isError: false }),
      ).toBeUndefined();
    }
    expect(verdicts(records, ran, () => true)).toEqual(expected);
  });

  it("in a tool host, for root calls and for nested ones", async () => {
    // contract B5, A15
    const { gate, records } = openGate();
    const ran = new Set<string>();
    await using host = createToolHost({ cwd, gate });
    for (const tool of tools(ran)) host.register(tool, { source: { kind: "extension" } });
    for (const [name, input] of table) await host.call(name, input);
    expect(verdicts(records, ran, () => true)).toEqual(expected);
    await using caller = host.caller({ callId: "script", toolName: "codemode" });
    for (const [name, input] of table) await caller.executeTool(name, input);
    expect(verdicts(records, ran, (id) => id.startsWith("script/"))).toEqual(expected);
  });

  it("at the command line", async () => {
    for (const [tool, input, effect, rule] of table) {
      const annotations = hints[tool];
      const { json } = await nestbox(
        ["policy", "check", "--call", "-", "--policy", policyFile, "--cwd", cwd, "--json"],
        JSON.stringify({
          tool,
          input,
          source: "extension",
          ...(annotations === undefined ? {} : { annotations }),
        }),
      );
      expect(json).toMatchObject({ decision: effect, rule });
    }
  });
});
