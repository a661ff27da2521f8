import { Agent, type AgentTool } from "@earendil-works/pi-agent-core";
import { fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import { Type } from "typebox";
import { describe, expect, it } from "vitest";

import { createAgentGate } from "../../src/agent/index.ts";
import type { ApprovalAnswer } from "../../src/gate/approver.ts";
import { createGate } from "../../src/gate/gate.ts";
import type { PolicyEngine } from "../../src/index.ts";
import { engineOf, layer } from "../engine/support.ts";
import { fakeEngine } from "./fake-engine.ts";

const engine = fakeEngine((request) => {
  if (String(request.input["command"]).includes("--force")) return { effect: "deny", rule: "git.force-push" };
  return request.tool.annotations?.readOnlyHint === true
    ? { effect: "allow" }
    : { effect: "ask", rule: "shell.ask" };
});

async function run(
  command: string,
  answer?: ApprovalAnswer,
  annotations: object = {},
  judge: PolicyEngine = engine,
) {
  const ran: string[] = [];
  const shell: AgentTool = Object.assign(
    {
      name: "shell",
      label: "shell",
      description: "Notes that it ran",
      parameters: Type.Object({ command: Type.String() }),
      execute: async (id: string) => {
        ran.push(id);
        return { content: [{ type: "text" as const, text: "ran" }], details: {} };
      },
    },
    { annotations },
  );
  const faux = fauxProvider();
  faux.setResponses([
    fauxAssistantMessage([fauxToolCall("shell", { command }, { id: "call-1" })], { stopReason: "toolUse" }),
    fauxAssistantMessage("done"),
  ]);
  const gate = createGate({
    engine: judge,
    ...(answer === undefined ? {} : { approver: { ask: async () => answer } }),
  });
  const agent = new Agent({
    initialState: { model: faux.getModel(), tools: [shell], systemPrompt: "" },
    streamFn: (model, context, options) => faux.provider.streamSimple(model, context, options),
    ...createAgentGate({ gate, cwd: "/w" }),
  });
  await agent.prompt("go");
  const result = agent.state.messages.find((message) => message.role === "toolResult");
  const text = result?.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { ran, text, isError: result?.isError, gate };
}

describe("in the low-level agent", () => {
  it("fails closed without anybody to ask", async () => {
    // contract B5
    const { ran, text, isError } = await run("ls");
    expect(ran).toEqual([]);
    expect(isError).toBe(true);
    expect(text).toContain("no UI");
  });

  it("gives the same verdicts as in Pi: denied, declined, approved, and allowed by a hint", async () => {
    // contract B5, A7
    expect(await run("git push --force", { kind: "approved" })).toMatchObject({ ran: [], isError: true });
    expect((await run("ls", { kind: "declined" })).text).toContain("declined");
    expect((await run("ls", { kind: "approved" })).ran).toEqual(["call-1"]);
    expect((await run("ls", undefined, { readOnlyHint: true, openWorldHint: false })).ran).toEqual([
      "call-1",
    ]);
  });

  it("asks the real engine about what the agent's own tool would run", async () => {
    // contract B5, A23, A8
    const real = engineOf([
      layer("user", {
        tools: { shell: { shell: { argument: "command" } } },
        rules: [
          { id: "git", effect: "allow", command: { program: "git" } },
          { id: "careful", effect: "ask", command: { program: "make" } },
        ],
      }),
    ]);
    expect(await run("git status", undefined, {}, real)).toMatchObject({ ran: ["call-1"], isError: false });
    const forced = await run("git push -f origin main", { kind: "approved" }, {}, real);
    expect(forced).toMatchObject({ ran: [], isError: true });
    expect(forced.gate.decisionOf("call-1")).toEqual({
      effect: "deny",
      rule: "git.force-push",
      layer: "built-in",
    });
    const careful = await run("make all", undefined, {}, real);
    expect(careful.ran).toEqual([]);
    expect(careful.text).toContain("careful");
    expect((await run("make all", { kind: "approved" }, {}, real)).ran).toEqual(["call-1"]);
  });

  it("knows when a call is over", async () => {
    const { gate } = await run("ls", { kind: "approved" });
    expect(gate.history.calls).toMatchObject([{ callId: "call-1", state: "done" }]);
    expect(gate.history.calls[0]?.resultHash).toHaveLength(64);
  });
});

describe("the arguments of a call in the low-level agent", () => {
  const judged = async (mutableInput: readonly string[]) => {
    const gate = createGate({ engine: fakeEngine(() => ({ effect: "allow" })) });
    const hooks = createAgentGate({ gate, cwd: "/w", mutableInput });
    const args = { command: "ls", list: ["a"] };
    const call = { toolCall: { id: "call-1", name: "shell" }, args, context: {} };
    expect(await hooks.beforeToolCall(call)).toBeUndefined();
    return { hooks, args, call };
  };

  it("are frozen, all the way down, so that what was judged is what runs", async () => {
    const { hooks, args, call } = await judged([]);
    expect(() => void (args.command = "rm")).toThrow(TypeError);
    expect(() => args.list.push("b")).toThrow(TypeError);
    expect(await hooks.afterToolCall({ ...call, result: {}, isError: false })).toBeUndefined();
  });

  it("are compared afterwards where the tool may change them, and a change makes the result an error", async () => {
    const { hooks, args, call } = await judged(["shell"]);
    args.command = "rm";
    expect(await hooks.afterToolCall({ ...call, result: {}, isError: false })).toEqual({ isError: true });
    const same = await judged(["shell"]);
    expect(await same.hooks.afterToolCall({ ...same.call, result: {}, isError: false })).toBeUndefined();
  });
});
