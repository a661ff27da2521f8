import { describe, expect, it } from "vitest";
import { createTrace, readTrace, type CallTrace, type TraceCall } from "@nestbox/calls";
import { createCallSpans } from "@nestbox/calls/otel";
import { createHostDriver, type ConformanceDriver } from "@nestbox/calls/conformance";
import {
  context,
  createContextKey,
  ROOT_CONTEXT,
  trace as otel,
  type Context,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import { agentDriver } from "./support/agent-driver.ts";
import { fakeClock } from "./support/fake-clock.ts";
import { piDriver } from "./support/pi-driver.ts";
import { hostWith, text, textOf, tool } from "./support/tools.ts";

const runTools = () => [
  tool("top", async (_params, ctx, { onUpdate }) => {
    onUpdate(text("half"));
    await ctx.executeTool("mid", { token: "ghp_0123456789abcdefghijklmnopqrstuvwxyz" });
    await ctx.executeTool("blocked", {});
    await ctx.executeTool("unknown", {});
    await ctx.executeTool("leaf", {}, { signal: AbortSignal.abort() });
    return "top";
  }),
  tool("mid", async (_params, ctx) => textOf((await ctx.executeTool("leaf", { n: 1 })).result)),
  tool("leaf", () => text("läaf", { structuredContent: { n: 1 } })),
  tool("blocked", () => "never"),
];

/** Without what differs from run to run: times. */
function timeless({ startMs: _start, durationMs: _duration, runMs, children, ...call }: TraceCall): unknown {
  return { ...call, ran: runMs !== undefined, children: children.map(timeless) };
}

async function traceIn(driver: ConformanceDriver): Promise<CallTrace> {
  const denied = { effect: "deny", rule: "r", layer: "user" } as const;
  const builder = createTrace({ decisionOf: (callId) => (callId === "C/2" ? denied : undefined) });
  await driver.run({
    tools: runTools(),
    handlers: {
      tool_call: [({ toolName }) => (toolName === "blocked" ? { block: true, reason: "no" } : undefined)],
    },
    calls: [{ id: "C", name: "top", args: {} }],
    onEvent: builder.onEvent,
    onReady: () => {},
  });
  return builder.trace();
}

describe("a trace", () => {
  it("is the same tree from a ToolHost, from a low-level agent and from a Pi session", async () => {
    const host = await traceIn(createHostDriver());
    const agent = await traceIn(agentDriver);
    const session = await traceIn(piDriver);
    expect(host.calls.map(timeless)).toEqual([
      {
        id: "C",
        name: "top",
        status: "ok",
        ran: true,
        argumentBytes: 2,
        arguments: "{}",
        updates: 1,
        resultBytes: 42,
        result: '[{"type":"text","text":"top"}]',
        children: [
          {
            id: "C/1",
            parentId: "C",
            name: "mid",
            status: "ok",
            ran: true,
            argumentBytes: 52,
            arguments: '{"token":"[redacted: github-token]"}',
            updates: 0,
            resultBytes: 44,
            result: '[{"type":"text","text":"läaf"}]',
            children: [
              {
                id: "C/1/1",
                parentId: "C/1",
                name: "leaf",
                status: "ok",
                ran: true,
                argumentBytes: 7,
                arguments: '{"n":1}',
                updates: 0,
                resultBytes: 72,
                result: '{"n":1}',
                children: [],
              },
            ],
          },
          {
            id: "C/2",
            parentId: "C",
            name: "blocked",
            status: "denied",
            ran: false,
            argumentBytes: 2,
            arguments: "{}",
            updates: 0,
            resultBytes: 41,
            error: "no",
            decision: { effect: "deny", rule: "r", layer: "user" },
            children: [],
          },
          {
            id: "C/3",
            parentId: "C",
            name: "unknown",
            status: "error",
            ran: false,
            argumentBytes: 2,
            arguments: "{}",
            updates: 0,
            resultBytes: 61,
            error: "Tool unknown not found",
            children: [],
          },
          {
            id: "C/4",
            parentId: "C",
            name: "leaf",
            status: "cancelled",
            ran: false,
            argumentBytes: 2,
            arguments: "{}",
            updates: 0,
            resultBytes: 56,
            error: "Operation aborted",
            children: [],
          },
        ],
      },
    ]);
    expect(agent.calls.map(timeless)).toEqual(host.calls.map(timeless));
    expect(session.calls.map(timeless)).toEqual(host.calls.map(timeless));
  });

  it("tells when calls began and how long they took", async () => {
    const clock = fakeClock();
    const builder = createTrace({ clock, wallTime: () => 0 });
    const { host } = hostWith(
      [
        tool("top", async (_params, ctx) => {
          await new Promise<void>((resolve) => clock.after(10, resolve));
          await ctx.executeTool("leaf", {});
          return "top";
        }),
        tool("leaf", async () => {
          await new Promise<void>((resolve) => clock.after(5, resolve));
          return "leaf";
        }),
      ],
      { clock },
    );
    host.subscribe(builder.onEvent);
    const running = host.call("top", {}, { callId: "C" });
    await clock.advance(100);
    await running;
    const trace = builder.trace();
    expect(trace).toMatchObject({ startedAt: "1970-01-01T00:00:00.000Z", durationMs: 15 });
    expect(trace.calls[0]).toMatchObject({
      startMs: 0,
      durationMs: 15,
      runMs: 15,
      children: [{ startMs: 10, durationMs: 5, runMs: 5 }],
    });
  });

  it("is bounded and redacted, and counts what it leaves out", async () => {
    const builder = createTrace({ maxCalls: 3, maxArgumentChars: 20, maxErrorChars: 10 });
    const { host } = hostWith([
      tool("top", async (_params, ctx) => {
        for (let n = 0; n < 5; n++)
          await ctx.executeTool("fails", { password: "hunter2hunter2", long: "x".repeat(100_000) });
        return "top";
      }),
      tool("fails", () => {
        throw new Error(`token ghp_0123456789abcdefghijklmnopqrstuvwxyz ${"e".repeat(100_000)}`);
      }),
    ]);
    host.subscribe(builder.onEvent);
    await host.call("top", {});
    const trace = builder.trace();
    expect(trace.omitted).toBe(3);
    expect(trace.calls[0]?.children).toHaveLength(2);
    expect(JSON.stringify(trace)).not.toMatch(/hunter2|ghp_0/);
    expect(JSON.stringify(trace).length).toBeLessThan(2_000);
  });

  it("shows calls that still run, calls of a caller that is no call itself, and never throws", async () => {
    const builder = createTrace();
    const { host } = hostWith([
      tool(
        "waits",
        (_params, _ctx, { signal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener("abort", () => reject(new Error("stopped"))),
          ),
      ),
    ]);
    host.subscribe(builder.onEvent);
    const caller = host.caller({ callId: "script" });
    const running = caller.executeTool("waits", {});
    expect(builder.trace().calls).toMatchObject([{ id: "script/1", parentId: "script", status: "running" }]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await caller.close();
    await running;
    expect(builder.trace().calls).toMatchObject([{ status: "cancelled", error: "stopped" }]);
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("trap");
        },
      },
    );
    for (const event of [
      undefined,
      null,
      "text",
      {},
      hostile,
      { type: "tool_execution_end", toolCallId: 1 },
      { type: "agent_start" },
    ]) {
      builder.onEvent(event);
    }
    expect(builder.trace().calls).toHaveLength(1);
  });

  it("has the script with the line of each call, its output, its limits and how it ended", async () => {
    const clock = fakeClock();
    const builder = createTrace({ clock, wallTime: () => 0 });
    const { host } = hostWith([
      tool("top", async (_params, ctx) => textOf((await ctx.executeTool("leaf", {})).result)),
      tool("leaf", () => "leaf"),
    ]);
    host.subscribe(builder.onEvent);
    const caller = host.caller({ callId: "script" });
    const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    const source = `const key = "${secret}";\nawait tools.leaf();\nawait tools.top();`;
    builder.beginScript({ name: "a.ts", text: source });
    builder.onScriptEvent({ type: "start", limits: { cpuMs: 30_000, memoryMb: 8, maxCalls: 10 } });
    const call = { index: 0, id: "", name: "leaf", status: "running", line: 2 };
    builder.onScriptEvent({ type: "call", call });
    expect(builder.trace().script?.state).toBe("running");
    await caller.executeTool("leaf", {});
    // Before its end the call is known by its name alone.
    expect(builder.trace().calls).toMatchObject([{ id: "script/1", line: 2 }]);
    builder.onScriptEvent({ type: "call", call: { ...call, id: "script/1", status: "ok" } });
    await caller.executeTool("top", {});
    builder.onScriptEvent({ type: "output", item: { type: "text", text: `key ${secret}` } });
    builder.onScriptEvent({ type: "output", item: { type: "image", mimeType: "image/png", data: "AAAA" } });
    builder.onScriptEvent({ type: "output", item: { type: "console", text: "told" } });
    for (const odd of [undefined, 1, {}, { type: "call" }, { type: "call", call: { name: 1 } }])
      builder.onScriptEvent(odd);
    await clock.advance(20);
    builder.endScript({
      ok: false,
      error: { kind: "script", name: "Error", message: `bad ${secret}`, line: 3 },
      calls: [
        { index: 0, id: "script/1", name: "leaf", line: 2, status: "ok" },
        { index: 1, id: "script/2", name: "top", line: 3, status: "ok" },
      ],
      stats: { wallMs: 20.4, cpuMs: 3, pausedMs: 0, calls: 2, outputChars: 9, heapBytes: 1_000 },
    });
    const trace = builder.trace();
    expect(trace.durationMs).toBe(20);
    expect(trace.script).toEqual({
      name: "a.ts",
      text: 'const key = "[redacted: github-token]";\nawait tools.leaf();\nawait tools.top();',
      state: "ended",
      output: [
        { kind: "text", text: "key [redacted: github-token]" },
        { kind: "image", text: "image/png, 3 bytes" },
        { kind: "console", text: "told" },
      ],
      outputOmitted: 0,
      limits: [
        { name: "cpu", unit: "ms", max: 30_000, used: 3 },
        { name: "wall", unit: "ms", used: 20 },
        { name: "memory", unit: "bytes", max: 8 * 1024 * 1024, used: 1_000 },
        { name: "calls", unit: "calls", max: 10, used: 2 },
        { name: "output", unit: "chars", used: 9 },
        { name: "paused", unit: "ms", used: 0 },
      ],
      outcome: {
        ok: false,
        error: { kind: "script", name: "Error", message: "bad [redacted: github-token]", line: 3 },
      },
    });
    expect(trace.calls).toMatchObject([{ line: 2 }, { line: 3, children: [{ name: "leaf" }] }]);
    expect(trace.calls[1]?.children[0]).not.toHaveProperty("line");
    expect(readTrace(JSON.stringify(trace))).toEqual({ ok: true, trace });
  });

  describe("of several scripts", () => {
    const begin = (type: string, toolCallId: string, toolName: string, parentToolCallId?: string) => ({
      type: `tool_execution_${type}`,
      toolCallId,
      toolName,
      ...(parentToolCallId === undefined ? {} : { parentToolCallId }),
      args: {},
      result: { content: [], details: {} },
    });
    const told = (id: string, line: number, status = "ok") => ({
      type: "call",
      call: { index: 0, id, name: "leaf", line, status },
    });

    it("lets each call find its own, also where they run at the same time", () => {
      const builder = createTrace();
      for (const id of ["A", "B", "C"]) builder.onEvent(begin("start", id, "codemode"));
      const [a, b] = [1, 2].map((n) =>
        builder.beginScript({ text: `script ${n}`, callId: n === 1 ? "A" : "B" }),
      );
      // Both call a tool of the same name, before either knows its id.
      b?.onEvent(told("", 7, "running"));
      a?.onEvent(told("", 3, "running"));
      builder.onEvent(begin("start", "A/1", "leaf", "A"));
      builder.onEvent(begin("start", "A/1/1", "leaf", "A/1"));
      builder.onEvent(begin("start", "B/1", "leaf", "B"));
      builder.onEvent(begin("start", "C/1", "leaf", "C"));
      const lines = () =>
        builder.trace().calls.map(({ line, children }) => [line, children.map((child) => child.line)]);
      expect(lines()).toEqual([
        [undefined, [3]],
        [undefined, [7]],
        [undefined, [undefined]],
      ]);
      a?.onEvent(told("A/1", 4));
      a?.end({ ok: true, value: 1 });
      b?.end({ ok: false, error: { kind: "script", name: "Error", message: "broken" } });
      const trace = builder.trace();
      expect(lines()[0]).toEqual([undefined, [4]]);
      expect(trace.script).toMatchObject({ text: "script 2", callId: "B", outcome: { ok: false } });
      expect(trace.calls[0]?.script).toMatchObject({ text: "script 1", callId: "A", outcome: { ok: true } });
      expect(trace.calls.map(({ script }) => script === undefined)).toEqual([false, true, true]);
      expect(trace.calls[0]?.children[0]?.children[0]).not.toHaveProperty("line");
      expect(trace).not.toHaveProperty("scriptsOmitted");
      expect(readTrace(JSON.stringify(trace))).toEqual({ ok: true, trace });
    });

    it("keeps the last of them and no line of the others, and says how many it left out", () => {
      const builder = createTrace({ maxScripts: 2 });
      for (const [index, id] of ["A", "B", "C", "D"].entries()) {
        builder.onEvent(begin("start", id, "codemode"));
        const script = builder.beginScript({ text: `script ${id}`, callId: id });
        script.onEvent(told("", index + 1, "running"));
        builder.onEvent(begin("start", `${id}/1`, "leaf", id));
        script.onEvent(told(`${id}/1`, index + 1));
        script.end();
      }
      const trace = builder.trace();
      expect(trace).toMatchObject({ script: { text: "script D" }, scriptsOmitted: 2 });
      expect(trace.calls.map(({ script, children }) => [script?.text, children[0]?.line])).toEqual([
        [undefined, undefined],
        [undefined, undefined],
        ["script C", 3],
        [undefined, 4],
      ]);
      expect(readTrace(JSON.stringify(trace))).toEqual({ ok: true, trace });
    });

    it("takes a script without a call for that of all calls, until another takes its place", () => {
      const builder = createTrace();
      for (const line of [1, 2]) {
        builder.beginScript({ text: `script ${line}` });
        builder.onEvent(begin("start", `S/${line}`, "leaf", "S"));
        builder.onScriptEvent(told(`S/${line}`, line));
        builder.endScript();
      }
      const trace = builder.trace();
      expect(trace.script).toMatchObject({ text: "script 2", state: "ended" });
      expect(trace.calls.map(({ line }) => line)).toEqual([undefined, 2]);
      expect(trace).not.toHaveProperty("scriptsOmitted");
    });
  });

  it("keeps the numbers of a script's lines behind a secret of many lines", () => {
    const builder = createTrace();
    const key =
      "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nabcd\n-----END PRIVATE KEY-----";
    const source = `first();\nconst a = \`${key}\`;\nsecond();\nconst b = \`${key}\`;\nthird();`;
    builder.beginScript({ text: source });
    const lines = builder.trace().script?.text.split("\n") ?? [];
    expect(lines.join("\n")).not.toMatch(/MIIE|abcd/);
    expect([lines[0], lines[5], lines[10]]).toEqual(["first();", "second();", "third();"]);
    expect(lines).toHaveLength(11);
  });

  it("bounds results, script and output", async () => {
    const builder = createTrace({ maxResultChars: 10, maxTextChars: 30, maxScriptChars: 50 });
    const { host } = hostWith([tool("leaf", () => "x".repeat(1_000))]);
    host.subscribe(builder.onEvent);
    builder.beginScript({ text: "y".repeat(1_000) });
    for (let n = 0; n < 5; n++) await host.call("leaf", {});
    for (let n = 0; n < 5; n++)
      builder.onScriptEvent({ type: "output", item: { type: "text", text: "z".repeat(40) } });
    builder.endScript();
    const trace = builder.trace();
    expect(trace.calls.map(({ result }) => result?.length)).toEqual([11, 11, 11, undefined, undefined]);
    expect(trace.calls[4]).not.toHaveProperty("arguments");
    expect(trace.script?.text).toHaveLength(51);
    expect(trace.script?.output.map(({ text: kept }) => kept.length)).toEqual([40, 11]);
    expect(trace.script).toMatchObject({ outputOmitted: 3, state: "ended" });
  });

  it("is read back from its file, and what is no trace is refused with the place", async () => {
    const trace = await traceIn(createHostDriver());
    expect(readTrace(JSON.stringify(trace))).toEqual({ ok: true, trace });
    expect(readTrace("{").ok).toBe(false);
    const broken = readTrace(JSON.stringify({ ...trace, version: 2 }));
    expect(broken.ok ? [] : broken.errors.map(({ path }) => path)).toEqual(["/version"]);
    const deep = JSON.parse(JSON.stringify(trace)) as { calls: { children: { status: string }[] }[] };
    Object.assign(deep.calls[0]?.children[0] ?? {}, { status: "fine" });
    const wrong = readTrace(JSON.stringify(deep));
    expect(wrong.ok ? [] : wrong.errors[0]?.path).toBe("/calls/0/children/0/status");
  });
});

interface FakeSpan {
  readonly name: string;
  readonly parent: string | undefined;
  readonly attributes: Record<string, unknown>;
  status?: number;
  ends: number;
}

/** A tracer of the API's interface that keeps what it is told. */
function fakeTracer(): { tracer: Tracer; spans: FakeSpan[] } {
  const spans: FakeSpan[] = [];
  const nameOf = createContextKey("name");
  const tracer = {
    startSpan(name: string, options: { attributes?: object } = {}, below: Context = ROOT_CONTEXT): Span {
      const parentSpan = otel.getSpan(below) as unknown as { readonly record: FakeSpan } | undefined;
      const record: FakeSpan = {
        name,
        parent: parentSpan?.record.name ?? (below.getValue(nameOf) as string | undefined),
        attributes: { ...options.attributes },
        ends: 0,
      };
      spans.push(record);
      const span = {
        record,
        setAttribute: (key: string, value: unknown) => void (record.attributes[key] = value),
        setStatus: ({ code }: { code: number }) => void (record.status = code),
        end: () => void record.ends++,
        spanContext: () => ({ traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 0 }),
      };
      return span as unknown as Span;
    },
  };
  return { tracer: tracer as unknown as Tracer, spans };
}

describe("spans", () => {
  it("are one a call, below their parent's, with status and decision and without arguments or texts", async () => {
    const { tracer, spans } = fakeTracer();
    const callSpans = createCallSpans({ tracer });
    const { host } = hostWith(runTools(), {
      gate: {
        decide: async ({ tool: { name } }) => {
          const effect = name === "blocked" ? "deny" : "allow";
          return { effect, decision: { effect, rule: "r", layer: "user" }, reason: "secret reason" };
        },
      },
    });
    host.subscribe(callSpans.onEvent);
    await host.call("top", {}, { callId: "C" });
    expect(spans.map(({ name, parent, ends, status }) => [name, parent, ends, status])).toEqual([
      ["execute_tool top", undefined, 1, undefined],
      ["execute_tool mid", "execute_tool top", 1, undefined],
      ["execute_tool leaf", "execute_tool mid", 1, undefined],
      ["execute_tool blocked", "execute_tool top", 1, 2],
      ["execute_tool unknown", "execute_tool top", 1, 2],
      ["execute_tool leaf", "execute_tool top", 1, 2],
    ]);
    expect(spans[3]?.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "blocked",
      "gen_ai.tool.call.id": "C/2",
      "nestbox.parent_call_id": "C",
      "nestbox.status": "denied",
      "nestbox.ran": false,
      "nestbox.decision.effect": "deny",
      "nestbox.decision.rule": "r",
      "nestbox.decision.layer": "user",
      "error.type": "denied",
    });
    expect(JSON.stringify(spans)).not.toMatch(/ghp_|secret reason/);
  });

  it("say of each error of which kind it is, as closely as the host knows", async () => {
    const { tracer, spans } = fakeTracer();
    const callSpans = createCallSpans({ tracer });
    const strict = { parameters: { type: "object", properties: { n: { type: "number" } } } } as const;
    const { host } = hostWith(
      [
        tool("top", async (_params, ctx) => {
          await ctx.executeTool("gone", {});
          await ctx.executeTool("strict", { n: "many" });
          await ctx.executeTool("throws", {});
          await ctx.executeTool("waits", {}, { signal: AbortSignal.abort() });
          await ctx.executeTool("leaf", {});
          await ctx.executeTool("leaf", {});
          return "top";
        }),
        tool("strict", () => "never", strict),
        tool("throws", () => {
          throw new Error("a secret reason");
        }),
        tool("waits", () => "never"),
        tool("leaf", () => "leaf"),
      ],
      { limits: { maxCallsPerRoot: 5 } },
    );
    host.subscribe(callSpans.onEvent);
    await host.call("top", {});
    expect(
      spans.map(({ name, attributes }) => [
        name.slice("execute_tool ".length),
        attributes["nestbox.status"],
        attributes["error.type"],
      ]),
    ).toEqual([
      ["top", "ok", undefined],
      ["gone", "error", "not-found"],
      ["strict", "error", "invalid-arguments"],
      ["throws", "error", "failed"],
      ["waits", "cancelled", "cancelled"],
      ["leaf", "ok", undefined],
      ["leaf", "error", "limit"],
    ]);
    // Where events say no more than that, as in Pi, it is the status.
    for (const [id, text] of [
      ["a", "no"],
      ["b", "Operation aborted"],
    ]) {
      // prettier-ignore
      callSpans.onEvent({ type: "tool_execution_start", toolCallId: id, toolName: "pi", args: {} });
      callSpans.onEvent({
        type: "tool_execution_end",
        toolCallId: id,
        toolName: "pi",
        isError: true,
        result: { content: [{ type: "text", text }] },
      });
    }
    expect(spans.slice(-2).map(({ attributes }) => attributes["error.type"])).toEqual(["error", "cancelled"]);
  });

  it("give a tool the context of its call, are bounded, and are ended when the host goes away", async () => {
    const { tracer, spans } = fakeTracer();
    const callSpans = createCallSpans({ tracer, maxOpenSpans: 2 });
    callSpans.onEvent({ type: "tool_execution_start", toolCallId: "a", toolName: "a", args: {} });
    const inside = callSpans.contextOf("a");
    expect(inside).toBeDefined();
    if (inside !== undefined) tracer.startSpan("own", {}, inside);
    expect(spans[1]?.parent).toBe("execute_tool a");
    for (const id of ["b", "c"])
      callSpans.onEvent({ type: "tool_execution_start", toolCallId: id, toolName: id, args: {} });
    callSpans.close();
    expect(spans.map(({ name, ends }) => [name, ends])).toEqual([
      ["execute_tool a", 1],
      ["own", 0],
      ["execute_tool b", 1],
    ]);
  });

  it("do nothing without an SDK", async () => {
    const callSpans = createCallSpans();
    const { host } = hostWith([tool("leaf", () => "leaf")]);
    host.subscribe(callSpans.onEvent);
    expect((await host.call("leaf", {})).isError).toBe(false);
    expect(context.active()).toBe(ROOT_CONTEXT);
  });
});
