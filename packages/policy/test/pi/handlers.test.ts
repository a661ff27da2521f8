import type { JsonValue, ToolContent } from "@nestbox/tool";
import { describe, expect, it } from "vitest";

import type { AuditRecord } from "../../src/gate/audit.ts";
import { createGate } from "../../src/gate/gate.ts";
import type { GateOptions, PolicyGate } from "../../src/gate/gate-types.ts";
import { createPolicyHandlers, type HandlerContext } from "../../src/pi/handlers.ts";
import { fakeEngine } from "../gate/fake-engine.ts";

const SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

/** The handlers over a real gate, with a context that a host would hand over. */
function setup(options: Partial<GateOptions> & { mutableInput?: readonly string[]; hasUI?: boolean } = {}) {
  const { mutableInput = [], hasUI = true, ...rest } = options;
  const records: AuditRecord[] = [];
  const notices: string[] = [];
  const gate = createGate({
    engine: fakeEngine(() => ({ effect: "allow" })),
    audit: { write: (record) => void records.push(record) },
    ...rest,
  });
  let current: PolicyGate | undefined = gate;
  const handlers = createPolicyHandlers<HandlerContext>({
    gate: () => {
      if (current === undefined) throw new Error("the session is gone");
      return current;
    },
    tools: () => [],
    mutableInput,
  });
  const context: HandlerContext = {
    cwd: "/w",
    signal: undefined,
    hasUI,
    ui: { notify: (message) => void notices.push(message) },
  };
  const event = (input: unknown, id = "call-1") => ({ toolName: "shell", toolCallId: id, input });
  const ended = (input: unknown, structuredContent?: JsonValue) => ({
    ...event(input),
    content: [{ type: "text", text: "ran" }] as ToolContent[],
    isError: false,
    ...(structuredContent === undefined ? {} : { structuredContent }),
  });
  return {
    gate,
    handlers,
    context,
    records,
    notices,
    event,
    ended,
    lose: () => void (current = undefined),
  };
}

describe("the arguments that Pi hands over", () => {
  it("are frozen before they are judged, all the way down, and stay it", async () => {
    const { handlers, context, event } = setup();
    const input = { command: "ls", list: [{ deep: 1 }] };
    const judged = handlers.toolCall(event(input), context);
    expect(Object.isFrozen(input)).toBe(true);
    expect(Object.isFrozen(input.list[0])).toBe(true);
    expect(await judged).toBeUndefined();
    expect(() => void (input.command = "rm")).toThrow(TypeError);
  });

  it("that cannot be frozen, or are a tool's own to change, are compared when they were judged", async () => {
    for (const mutableInput of [["shell"], []]) {
      const { gate, handlers, context, event, records } = setup({ mutableInput });
      let value = "ls";
      const input: Record<string, unknown> = { command: "ls" };
      // What a Proxy refuses to have frozen is found out.
      const given =
        mutableInput.length > 0
          ? input
          : new Proxy(
              { command: "ls" },
              {
                preventExtensions: () => false,
                getOwnPropertyDescriptor: () => ({
                  value,
                  writable: true,
                  enumerable: true,
                  configurable: true,
                }),
                get: (_target, key) => (key === "command" ? value : undefined),
              },
            );
      const judged = handlers.toolCall(event(given), context);
      input["command"] = "rm -rf /";
      value = "rm -rf /";
      expect(await judged).toEqual({
        block: true,
        reason: "Blocked: the arguments were changed while they were being judged.",
      });
      // It is on record as a call that did not run, and no allowed call is left behind.
      await Promise.resolve();
      expect(records).toMatchObject([{ type: "decision" }, { type: "end", isError: true }]);
      expect(gate.history.calls).toMatchObject([{ state: "done" }]);
    }
  });
});

describe("arguments that ran and are not those that were allowed", () => {
  it("are told to the person, the model and the record, without a secret, and keep the result", async () => {
    // contract B10
    const { handlers, context, event, ended, records, notices } = setup({ mutableInput: ["shell"] });
    await handlers.toolCall(event({ command: "ls" }), context);
    const result = handlers.toolResult(ended({ command: `deploy --token ${SECRET}` }, { code: 0 }), context);
    expect(result).toEqual({
      content: [
        { type: "text", text: "ran" },
        {
          type: "text",
          text: expect.stringContaining("ran with other arguments than those that were allowed"),
        },
      ],
      structuredContent: { code: 0 },
      isError: true,
    });
    expect(notices).toHaveLength(1);
    const [decision, end] = records;
    expect(end).toMatchObject({ type: "end", changed: true, input: { command: /^deploy --token/u } });
    expect(decision).toMatchObject({ type: "decision" });
    if (end?.type !== "end" || decision?.type !== "decision") throw new Error("two records");
    // What the record names is what ran.
    expect(end.inputHash).not.toBe(decision.inputHash);
    expect(JSON.stringify(records)).not.toContain(SECRET);
  });

  it("are told where nobody looks, too, and what cannot be read counts as changed", async () => {
    const { handlers, context, event, ended, records, notices } = setup({
      mutableInput: ["shell"],
      hasUI: false,
    });
    await handlers.toolCall(event({ command: "ls" }), context);
    expect(handlers.toolResult(ended({ command: 1n }), context)).toMatchObject({ isError: true });
    expect(notices).toEqual([]);
    expect(records.at(-1)).toMatchObject({ type: "end", changed: true, inputHash: "unreadable" });
  });

  it("are not passed over where nobody can tell whether they are", async () => {
    const { handlers, context, event, ended, lose } = setup();
    await handlers.toolCall(event({ command: "ls" }), context);
    lose();
    expect(handlers.toolResult(ended({ command: "ls" }), context)).toMatchObject({
      content: [{ text: "ran" }, { text: expect.stringContaining("is not known") }],
      isError: true,
    });
  });

  it("are none where the same ran: the result is left alone", async () => {
    const { handlers, context, event, ended, records } = setup();
    await handlers.toolCall(event({ command: "ls" }), context);
    expect(handlers.toolResult(ended({ command: "ls" }), context)).toBeUndefined();
    expect(records.at(-1)).toMatchObject({ type: "end", changed: false });
    expect(records.at(-1)).not.toHaveProperty("input");
  });
});

describe("what Pi tells of its run", () => {
  const open = { ask: () => new Promise<never>(() => {}) };

  it("closes the questions of a call that has ended, and those of all when the run has", async () => {
    const { gate, handlers, context, event } = setup({
      engine: fakeEngine(() => ({ effect: "ask" })),
      approver: open,
      gatherMs: 0,
    });
    const first = handlers.toolCall(event({ n: 1 }, "call-1"), context);
    const second = handlers.toolCall(event({ n: 2 }, "call-2"), context);
    await settle();
    expect(gate.waiting).toBe(2);
    handlers.toolExecutionEnd({ toolCallId: "call-1", isError: true }, context);
    expect(await first).toMatchObject({ block: true });
    expect(gate.waiting).toBe(1);
    handlers.agentEnd({}, context);
    expect(await second).toMatchObject({ block: true });
    expect(gate.waiting).toBe(0);
  });

  it("is a new run, in which a refusal of the last one is no answer any more", async () => {
    const asked: string[] = [];
    const { handlers, context, event } = setup({
      engine: fakeEngine(() => ({ effect: "ask" })),
      approver: {
        ask: async ({ item }) => {
          asked.push(item.callId);
          return { kind: "declined" };
        },
      },
      gatherMs: 0,
    });
    handlers.agentStart({}, context);
    await handlers.toolCall(event({ n: 1 }, "call-1"), context);
    await handlers.toolCall(event({ n: 1 }, "call-2"), context);
    expect(asked).toEqual(["call-1"]);
    handlers.agentStart({}, context);
    await handlers.toolCall(event({ n: 1 }, "call-3"), context);
    expect(asked).toEqual(["call-1", "call-3"]);
  });
});

async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5));
}
