import { describe, expect, it } from "vitest";
import { fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import type { AgentTool } from "@earendil-works/pi-agent-core";
import type { CallGate, CallRequest } from "@nestbox/tool";
import { createHostDriver, observe, scenarioTool, type Scenario } from "@nestbox/calls/conformance";
import { agentDriver, scriptedAgent } from "./support/agent-driver.ts";
import { declarationsOf } from "./support/declarations.ts";
import { piDriver } from "./support/pi-driver.ts";
import { deferred, text, textOf, tool, usage } from "./support/tools.ts";

const toolUse = (name: string, args = {}, id = "C") =>
  fauxAssistantMessage([fauxToolCall(name, args, { id })], { stopReason: "toolUse" });

// A codemode in small: its script is a list of calls, and what it returns is their values.
const codemode = scenarioTool(
  "codemode",
  async (params, ctx) => {
    const values: unknown[] = [];
    for (const [name, args] of params["script"] as [string, object][]) {
      const { isError, result } = await ctx.executeTool(name, args);
      values.push(isError ? result.content : (result.structuredContent ?? result.content));
    }
    return { content: [{ type: "text", text: JSON.stringify(values) }], details: {} };
  },
  { exposure: "model-only" },
);

const sideBySide: Scenario = {
  id: "side-by-side",
  title: "a codemode with nested calls two deep, a blocked call and a hidden tool",
  contract: ["A1", "A15", "A16", "A17", "A18", "A19"],
  tools: () => [
    codemode,
    scenarioTool(
      "review",
      async (_params, ctx) => {
        const found = await ctx.executeTool("diff", { base: "main" });
        return { ...text("reviewed", { structuredContent: { ok: !found.isError } }), usage: usage(3) };
      },
      { exposure: "codemode" },
    ),
    scenarioTool("diff", (params) => text(`diff of ${String(params["base"])}`, { usage: usage(2) }), {
      exposure: "deferred",
    }),
    scenarioTool("push", () => "never", { exposure: "codemode" }),
    scenarioTool("secret", () => "never", { exposure: "hidden" }),
  ],
  handlers: () => ({
    tool_call: [({ toolName }) => (toolName === "push" ? { block: true, reason: "no pushing" } : undefined)],
  }),
  calls: [
    {
      id: "C",
      name: "codemode",
      args: {
        script: [
          ["review", {}],
          ["push", { force: true }],
          ["secret", {}],
          ["codemode", {}],
        ],
      },
    },
    { id: "S", name: "secret", args: {} },
  ],
  expect: {},
};

describe("nestedCalls(agent)", () => {
  it("gives the same as a coding-agent session and a ToolHost: events, records, usage and texts", async () => {
    const [session, agent, host] = [
      await observe(piDriver, sideBySide),
      await observe(agentDriver, sideBySide),
      await observe(createHostDriver(), sideBySide),
    ];
    expect(session.results).toEqual([
      'C ok "[{\\"ok\\":true},[{\\"type\\":\\"text\\",\\"text\\":\\"no pushing\\"}],[{\\"type\\":\\"text\\",\\"text\\":\\"Tool secret not found\\"}],[{\\"type\\":\\"text\\",\\"text\\":\\"Tool codemode not found\\"}]]"',
      "  C/1 review {} ok",
      '  C/1/1 diff {"base":"main"} ok',
      '  C/2 push {"force":true} error "no pushing"',
      '  C/3 secret {} error "Tool secret not found"',
      '  C/4 codemode {} error "Tool codemode not found"',
      "  usage 5 $10",
      'S error "Tool secret not found"',
    ]);
    expect(agent).toEqual(session);
    expect(host).toEqual(session);
  });

  it("declares the active tools only, and follows what is activated and withdrawn", () => {
    const { calls, declared } = scriptedAgent([], {
      tools: [
        tool("d", () => "d"),
        tool("c", () => "c", { exposure: "codemode" }),
        tool("h", () => "h", { exposure: "hidden" }),
        tool("lead", () => "lead", { prepareLoadout: () => ({ descriptions: { lead: "Leads." } }) }),
      ],
    });
    expect(declared()).toEqual(["d", "lead"]);
    calls.host.setActiveTools(["lead", "c", "h"]);
    expect(declared()).toEqual(["lead", "c"]);
    calls.host.register(tool("c", () => "c", { exposure: "hidden" }));
    expect(declared()).toEqual(["lead"]);
  });

  // contract A20
  it("declares to the model, from its next turn on, what a loader activates while it runs", async () => {
    const declared: string[][] = [];
    const look = (messages: readonly object[]): void =>
      void declared.push(declarationsOf(messages).map(({ name }) => name));
    const { agent, calls } = scriptedAgent(
      [
        ({ messages }) => {
          look(messages);
          return toolUse("load", {}, "L");
        },
        ({ messages }) => {
          look(messages);
          return toolUse("extra", {}, "E");
        },
        fauxAssistantMessage("done"),
      ],
      {
        tools: [
          tool("load", () => {
            calls.host.setActiveTools(["load", "extra"]);
            return "loaded";
          }),
          tool("extra", () => "extra ran", { exposure: "deferred" }),
        ],
      },
    );
    await agent.prompt("go");
    expect(declared).toEqual([["load"], ["load", "extra"]]);
    const last = agent.state.messages.findLast((message) => message.role === "toolResult");
    expect(last?.role === "toolResult" && textOf(last as never)).toBe("extra ran");
  });

  it("keeps the tools that the agent had, and gives them back", async () => {
    const own = tool("own", () => "own") as unknown as AgentTool;
    const { agent, calls, declared } = scriptedAgent(
      [],
      { tools: [tool("more", () => "more")] },
      { initialState: { tools: [own] } },
    );
    const hook = agent.beforeToolCall;
    expect(declared()).toEqual(["own", "more"]);
    await calls.dispose();
    expect(agent.state.tools).toEqual([own]);
    expect(agent.beforeToolCall).not.toBe(hook);
    expect(agent.beforeToolCall).toBeUndefined();
  });

  // contract B5
  it("puts one gate in front of the model's calls and of nested ones, with the verdict on the end events", async () => {
    const requests: CallRequest[] = [];
    const ended: unknown[] = [];
    const gate: CallGate = {
      async decide(request) {
        requests.push(request);
        const effect = request.tool.name === "push" ? "deny" : "allow";
        return { effect, decision: { effect, rule: "r", layer: "user" }, reason: "Rule r: no pushing" };
      },
      settled: (request, end) => ended.push([request.callId, end.isError, end.result !== undefined]),
    };
    const { agent, calls } = scriptedAgent(
      [toolUse("top"), toolUse("push", {}, "P"), fauxAssistantMessage("done")],
      {
        gate,
        tools: [
          tool("top", async (_params, ctx) => textOf((await ctx.executeTool("push", { n: 1 })).result)),
          tool("push", () => "never"),
        ],
      },
    );
    const ends: unknown[] = [];
    calls.subscribe((event) => {
      if (event.type === "tool_execution_end")
        ends.push([event.toolCallId, event.isError, "decision" in event && event.decision?.effect]);
    });
    await agent.prompt("go");
    expect(ends).toEqual([
      ["C/1", true, "deny"],
      ["C", false, "allow"],
      ["P", true, "deny"],
    ]);
    expect(requests.map(({ callId, chain }) => [callId, chain.map((link) => link.toolName)])).toEqual([
      ["C", []],
      ["C/1", ["top"]],
      ["P", []],
    ]);
    expect(ended).toEqual([["C", false, true]]);
    const last = agent.state.messages.findLast((message) => message.role === "toolResult");
    expect(last?.role === "toolResult" && textOf(last as never)).toBe("Rule r: no pushing");
  });

  // hostile 40
  it.each([
    [
      "a value inside them",
      (kept: Record<string, unknown>) => (kept["list"] as string[]).push("evil"),
      { list: ["a"] },
    ],
    [
      "the object itself",
      (kept: Record<string, unknown>) => Object.assign(kept, { list: ["evil"] }),
      undefined,
    ],
  ])("runs nothing but what the gate saw, though a handler kept %s", async (_what, attack, expected) => {
    let kept: Record<string, unknown> = {};
    let ran: unknown;
    const { agent } = scriptedAgent(
      [toolUse("run", { list: ["a"] }), fauxAssistantMessage("done")],
      {
        gate: {
          async decide() {
            attack(kept);
            return { effect: "allow", decision: { effect: "allow", rule: "r", layer: "user" }, reason: "" };
          },
        },
        tools: [tool("run", (params) => JSON.stringify((ran = params)))],
      },
      {
        beforeToolCall: async ({ args }) => {
          kept = args as Record<string, unknown>;
          return undefined;
        },
      },
    );
    // The handler of a nested call gets a copy; the agent's hook for the model's call gets what runs.
    const { beforeToolCall } = agent;
    agent.beforeToolCall = async (context, signal) => {
      const verdict = await beforeToolCall?.(context, signal);
      attack(context.args as Record<string, unknown>);
      return verdict;
    };
    if (expected !== undefined) agent.beforeToolCall = beforeToolCall;
    await agent.prompt("go");
    expect(ran).toEqual(expected);
  });

  it("shows nested calls to the agent's own hooks", async () => {
    const seen: string[] = [];
    const { agent } = scriptedAgent(
      [toolUse("top"), fauxAssistantMessage("done")],
      {
        tools: [
          tool("top", async (_params, ctx) => textOf((await ctx.executeTool("leaf", {})).result)),
          tool("leaf", () => "leaf"),
        ],
      },
      {
        beforeToolCall: async ({ toolCall, assistantMessage }) => {
          seen.push(`before ${toolCall.id} ${assistantMessage.stopReason}`);
          return undefined;
        },
        afterToolCall: async ({ toolCall }) => {
          seen.push(`after ${toolCall.id}`);
          return toolCall.id === "C/1"
            ? { content: [{ type: "text", text: "changed" }] }
            : { terminate: true };
        },
      },
    );
    await agent.prompt("go");
    expect(seen).toEqual(["before C toolUse", "before C/1 toolUse", "after C/1", "after C"]);
    const last = agent.state.messages.at(-1);
    // The agent's hook asked to end the follow-up, so the result is the last message.
    expect(last?.role === "toolResult" && textOf(last as never)).toBe("changed");
  });

  it("runs a tool from a command, without a model and not past the hooks", async () => {
    const { calls } = scriptedAgent(
      [],
      { tools: [tool("leaf", () => "leaf"), tool("push", () => "never")] },
      {
        beforeToolCall: async ({ toolCall }) =>
          toolCall.name === "push" ? { block: true, reason: "no" } : undefined,
      },
    );
    expect(textOf((await calls.host.call("leaf", {})).result)).toBe("leaf");
    expect(textOf((await calls.host.call("push", {})).result)).toBe("no");
  });
});

describe("a call of the model's in an agent", () => {
  const allow = { effect: "allow", rule: "r", layer: "user" } as const;
  const results = (agent: { readonly state: { readonly messages: readonly { readonly role: string }[] } }) =>
    agent.state.messages.filter(({ role }) => role === "toolResult");

  // contract B7
  it("is validated again after a handler has changed it", async () => {
    let ran = false;
    const { agent, calls } = scriptedAgent([toolUse("strict", { n: 1 }), fauxAssistantMessage("done")], {
      tools: [
        tool("strict", () => String((ran = true)), {
          parameters: { type: "object", properties: { n: { type: "number" } } },
        }),
      ],
      handlers: { tool_call: [({ input }) => void (input["n"] = "many")] },
    });
    await agent.prompt("go");
    expect(ran).toBe(false);
    expect(results(agent)).toMatchObject([
      { isError: true, content: [{ text: expect.stringContaining('Validation failed for tool "strict"') }] },
    ]);
    await calls.dispose();
  });

  // contract B3, B5
  it("tells the gate of a call that it allowed and that was aborted before it ran", async () => {
    const settled: string[] = [];
    const ran: string[] = [];
    const note = (name: string) => tool(name, () => (ran.push(name), name));
    const { agent, calls } = scriptedAgent(
      [
        fauxAssistantMessage(
          [fauxToolCall("first", {}, { id: "A" }), fauxToolCall("second", {}, { id: "B" })],
          {
            stopReason: "toolUse",
          },
        ),
        fauxAssistantMessage("done"),
      ],
      {
        tools: [note("first"), note("second")],
        gate: {
          async decide({ tool: { name } }) {
            if (name === "second") agent.abort();
            return { effect: "allow", decision: allow, reason: "" };
          },
          settled: ({ callId }, { isError, durationMs }) =>
            void settled.push(`${callId} ${isError} ${durationMs}`),
        },
      },
    );
    await agent.prompt("go");
    expect(ran).toEqual([]);
    expect(settled).toEqual(["A true undefined"]);
    await calls.dispose();
    expect(settled).toHaveLength(1);
  });

  // contract B5
  it("does not run past the gate, whoever takes the tool from the agent's own list", async () => {
    let asked = 0;
    const { agent, calls } = scriptedAgent([], {
      tools: [tool("leaf", () => "ran")],
      gate: { decide: async () => (asked++, { effect: "allow", decision: allow, reason: "" }) },
    });
    const [own] = agent.state.tools;
    await expect(own?.execute("C", {}, undefined, undefined)).rejects.toThrow("no gate has seen this call");
    expect(asked).toBe(0);
    await calls.dispose();
  });

  // contract A14, B6
  it("takes turns of its own below a sequential tool: what runs elsewhere is never waited for", async () => {
    const held = deferred();
    const entered = deferred();
    const sequential = { executionMode: "sequential" } as const;
    let inside = 0;
    let most = 0;
    const { agent, calls } = scriptedAgent([toolUse("outer"), fauxAssistantMessage("done")], {
      tools: [
        tool(
          "outer",
          async (_params, ctx) => {
            await Promise.all([ctx.executeTool("inner", {}), ctx.executeTool("inner", {})]);
            return "outer";
          },
          sequential,
        ),
        tool(
          "inner",
          async () => {
            most = Math.max(most, ++inside);
            await new Promise((resolve) => setImmediate(resolve));
            inside--;
            return "inner";
          },
          sequential,
        ),
        tool(
          "command",
          async () => {
            entered.resolve();
            await held.promise;
            return "command";
          },
          sequential,
        ),
      ],
    });
    // A command of the program has the one turn that sequential calls share.
    const command = calls.host.call("command", {});
    await entered.promise;
    await agent.prompt("go");
    expect(results(agent)).toMatchObject([{ isError: false, content: [{ text: "outer" }] }]);
    // Among themselves they exclude each other all the same.
    expect(most).toBe(1);
    held.resolve();
    expect((await command).isError).toBe(false);
    await calls.dispose();
  });

  // contract A9
  it("has structured content that is plain JSON", async () => {
    const { agent, calls } = scriptedAgent([toolUse("dated"), fauxAssistantMessage("done")], {
      tools: [tool("dated", () => text("dated", { structuredContent: { at: new Date(0) } as never }))],
    });
    const ends: unknown[] = [];
    calls.subscribe((event) => event.type === "tool_execution_end" && ends.push(event.result));
    await agent.prompt("go");
    expect(ends).toMatchObject([{ structuredContent: { at: "1970-01-01T00:00:00.000Z" } }]);
    await calls.dispose();
  });
});
