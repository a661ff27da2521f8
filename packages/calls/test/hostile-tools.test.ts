import { describe, expect, it } from "vitest";
import { fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import { createTrace, readTrace, type HostTool } from "@nestbox/calls";
import { createCallSpans } from "@nestbox/calls/otel";
import type { CallGate, ToolCallOutcome } from "@nestbox/tool";
import { scriptedAgent } from "./support/agent-driver.ts";
import { hostWith, text, textOf, tool } from "./support/tools.ts";

/** A value that throws at every touch. */
const trap = (target: object = {}): object =>
  new Proxy(
    target,
    new Proxy(
      {},
      {
        get: () => () => {
          throw new Error("trap");
        },
      },
    ),
  );

const getter = (key: string): object =>
  Object.defineProperty({}, key, {
    enumerable: true,
    get: () => {
      throw new Error("getter");
    },
  });

const cyclic = (): object => {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
};

const deep = (levels: number): object => {
  let value: object = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
};

const throwing = (value: unknown) => () => {
  throw value;
};
const giving = (value: unknown) => () => value;
const withContent = (content: unknown) => giving({ content, details: {} });
const withData = (structuredContent: unknown) => giving({ content: [], details: {}, structuredContent });
const withUsage = (usage: unknown) => giving({ content: [], details: {}, usage });

type Then = (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void;
// oxlint-disable-next-line unicorn/no-thenable
const thenable = (then: Then): object => Object.fromEntries([["then", then]]);

const sparse: unknown[] = [];
sparse.length = 2 ** 32 - 1;

/** Bodies of tools that do what no tool should. */
const bodies: Readonly<Record<string, () => unknown>> = {
  "throws undefined": throwing(undefined),
  "throws null": throwing(null),
  "throws a number": throwing(7),
  "throws a symbol": throwing(Symbol("odd")),
  "throws a function": throwing(() => "odd"),
  "throws an object without a prototype": throwing(Object.create(null)),
  "throws an object whose toString throws": throwing({ toString: throwing(new Error("no")) }),
  "throws an object whose toString gives an object": throwing({ toString: () => ({}) }),
  "throws a trap": throwing(trap()),
  "throws a trapped error": throwing(trap(new Error("inner"))),
  "throws an error whose message throws": throwing(
    Object.defineProperty(new Error(), "message", { get: throwing(1) }),
  ),
  "throws an error whose message is an object": throwing(Object.assign(new Error(), { message: { a: 1 } })),
  "throws an error whose message is a symbol": throwing(Object.assign(new Error(), { message: Symbol("m") })),
  "throws an error with a cause that is itself": () => {
    const error = new Error("round");
    error.cause = error;
    throw error;
  },
  "throws an error whose data is cyclic": throwing(Object.assign(new Error("data"), { data: cyclic() })),
  "throws an error whose name and code throw": throwing(
    Object.defineProperties(new Error("odd"), { name: { get: throwing(1) }, code: { get: throwing(1) } }),
  ),
  "rejects with nothing": () => Promise.reject(),
  "gives a thenable whose then throws": giving(thenable(throwing(new Error("then")))),
  "gives a thenable that settles twice": giving(
    thenable((resolve, reject) => {
      resolve(text("first"));
      reject(new Error("second"));
      resolve(text("third"));
    }),
  ),
  "gives a thenable whose then is a getter that throws": giving(getter("then")),
  "gives undefined": giving(undefined),
  "gives null": giving(null),
  "gives a number": giving(7),
  "gives a BigInt": giving(7n),
  "gives a symbol": giving(Symbol("odd")),
  "gives a function": giving(() => "odd"),
  "gives a list": giving([text("odd")]),
  "gives an empty object": giving({}),
  "gives a trap": giving(trap()),
  "gives a frozen result": giving(Object.freeze(text("frozen"))),
  "gives a class instance": giving(
    new (class Result {
      content = [];
      details = {};
    })(),
  ),
  "gives a getter for content": giving(getter("content")),
  "gives a getter for isError": giving(Object.assign(getter("isError"), { content: [] })),
  "gives a getter for structuredContent": giving(Object.assign(getter("structuredContent"), { content: [] })),
  "gives a getter for usage": giving(Object.assign(getter("usage"), { content: [] })),
  "gives a getter for terminate": giving(Object.assign(getter("terminate"), { content: [] })),
  "gives content that is a text": withContent("text"),
  "gives content that is null": withContent(null),
  "gives content that is an object with a length": withContent({ length: 3 }),
  "gives content that is a trap": withContent(trap([])),
  "gives content with holes": withContent(
    Object.assign(Array.from({ length: 0 }), { 1: { type: "text", text: "x" }, length: 3 }),
  ),
  "gives content of 2^32 holes": withContent(sparse),
  "gives blocks of unknown kinds": withContent([
    { type: "video" },
    7,
    null,
    "x",
    [],
    { type: "text" },
    { type: "text", text: 7 },
  ]),
  "gives blocks that trap": withContent([trap()]),
  "gives an image without data": withContent([{ type: "image", mimeType: "image/png" }]),
  "gives a text whose getter throws": withContent([Object.assign(getter("text"), { type: "text" })]),
  "gives cyclic data": withData(cyclic()),
  "gives a BigInt as data": withData({ n: 7n }),
  "gives NaN as data": withData({ n: Number.NaN }),
  "gives data that traps": withData(trap()),
  "gives data with a getter": withData(getter("a")),
  "gives data whose toJSON throws": withData({ toJSON: throwing(new Error("toJSON")) }),
  "gives data whose toJSON gives itself": () => {
    const value = { toJSON: (): unknown => value };
    return { content: [], details: {}, structuredContent: value };
  },
  "gives data 5,000 levels deep": withData(deep(5_000)),
  "gives a list of 2^32 holes": withData(sparse),
  "gives a Map as data": withData(new Map([[1, 2]])),
  "gives null as data": withData(null),
  "gives a key __proto__ as data": withData(JSON.parse('{"__proto__":{"polluted":true}}')),
  "gives usage null": withUsage(null),
  "gives usage that is a text": withUsage("much"),
  "gives usage without costs": withUsage({ input: 1 }),
  "gives usage of NaN": withUsage({ input: Number.NaN, output: "x", cost: 7 }),
  "gives usage of BigInt": withUsage({ input: 1n, cost: { input: 1n } }),
  "gives usage that traps": withUsage(trap()),
  "gives details that trap": giving({ content: [], details: trap() }),
  "gives details that are cyclic": giving({ content: [], details: cyclic() }),
  "gives isError that is a text": giving({ content: [], details: {}, isError: "yes" }),
  "gives terminate that is a text": giving({ content: [], details: {}, terminate: "yes" }),
};

// Whatever a tool does, nobody is left with a rejection: vitest fails a file that has one.

/** What an outcome has whatever the tool did. */
function isSound(outcome: ToolCallOutcome): boolean {
  return (
    typeof outcome.isError === "boolean" &&
    Array.isArray(outcome.result.content) &&
    outcome.result.content.every(
      (block) =>
        typeof block === "object" &&
        (block.type === "text" ? typeof block.text === "string" : block.type === "image"),
    ) &&
    typeof JSON.stringify(outcome.result.structuredContent ?? null) === "string" &&
    typeof JSON.stringify(outcome.result.usage ?? null) === "string"
  );
}

// contract A19: every failure is an outcome, and the host goes on
describe.each(Object.entries(bodies))("a tool that %s", (_title, body) => {
  const tools = (): readonly HostTool[] => [
    tool("odd", body),
    tool("good", () => text("good", { usage: undefined as never })),
    tool("top", async (_params, ctx) => {
      const outcomes = [
        await ctx.executeTool("odd", {}),
        await ctx.executeTool("odd", {}),
        await ctx.executeTool("good", {}),
      ];
      return outcomes.every(isSound) && textOf(outcomes[2]?.result ?? text("")) === "good"
        ? "sound"
        : "broken";
    }),
  ];

  it("ends as an outcome of a ToolHost, in its trace and its spans, and the next call works", async () => {
    const { host } = hostWith(tools(), { handlers: { tool_result: [() => undefined] } });
    const trace = createTrace();
    const spans = createCallSpans();
    host.subscribe(trace.onEvent);
    host.subscribe(spans.onEvent);
    const roots = [await host.call("odd", {}), await host.call("top", {}), await host.call("good", {})];
    expect(roots.map(isSound)).toEqual([true, true, true]);
    expect(roots.slice(1).map(({ result }) => textOf(result))).toEqual(["sound", "good"]);
    const record = roots[1]?.nestedCalls;
    expect(record?.calls.map(({ name, status }) => name === "odd" || status === "ok")).toEqual([
      true,
      true,
      true,
    ]);
    expect(record?.complete).toBe(true);
    const seen = trace.trace();
    expect(readTrace(JSON.stringify(seen))).toEqual({ ok: true, trace: JSON.parse(JSON.stringify(seen)) });
    expect(seen.calls).toHaveLength(3);
    await host.close();
  });

  it("ends as an outcome of a low-level agent, and the run goes on", async () => {
    const made = scriptedAgent(
      [
        fauxAssistantMessage([fauxToolCall("top", {}), fauxToolCall("odd", {})], { stopReason: "toolUse" }),
        fauxAssistantMessage("done"),
      ],
      { tools: tools() },
    );
    await made.agent.prompt("go");
    const results = made.agent.state.messages.filter((message) => message.role === "toolResult");
    expect(results).toHaveLength(2);
    expect(results[0]?.content).toEqual([{ type: "text", text: "sound" }]);
    expect(made.agent.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
    await made.calls.dispose();
  });
});

describe("a caller that asks for odd things", () => {
  const odd: Readonly<Record<string, readonly [name: unknown, args: unknown, options?: unknown]>> = {
    "a name that is a symbol": [Symbol("good"), {}],
    "a name that is an object": [{ toString: () => "good" }, {}],
    "a name that traps": [trap(), {}],
    "a name __proto__": ["__proto__", {}],
    "a name constructor": ["constructor", {}],
    "arguments that trap": ["good", trap()],
    "arguments that are a function": ["good", () => 1],
    "arguments of 2^32 holes": ["good", { list: sparse }],
    "arguments 5,000 levels deep": ["good", deep(5_000)],
    "options that trap": ["good", {}, trap()],
    "options that are null": ["good", {}, null],
    "options that are a text": ["good", {}, "odd"],
    "a signal that is no signal": ["good", {}, { signal: { aborted: false } }],
    "a signal whose addEventListener throws": [
      "good",
      {},
      { signal: { aborted: false, addEventListener: throwing(new Error("no")) } },
    ],
    "a signal that traps": ["good", {}, { signal: trap() }],
    "an onUpdate that is no function": ["good", {}, { onUpdate: 7 }],
    "an onUpdate that rejects": ["good", {}, { onUpdate: async () => Promise.reject(new Error("no")) }],
  };
  it.each(Object.keys(odd))("%s", async (title) => {
    const [name, args, options] = odd[title] ?? [];
    const { host } = hostWith([
      tool("good", (_params, _ctx, { onUpdate }) => {
        onUpdate(text("half"));
        return "good";
      }),
    ]);
    const caller = host.caller({ callId: "s" });
    const outcome = await caller.executeTool(name as string, args, options as never);
    expect(isSound(outcome)).toBe(true);
    expect(outcome.toolCall.id).toBe("s/1");
    expect((await caller.executeTool("good", {})).isError).toBe(false);
    const { nestedCalls } = await caller.close();
    expect(nestedCalls?.calls.every(({ status }) => status !== "unfinished")).toBe(true);
  });
});

describe("handlers and gates that give odd things", () => {
  const answers: readonly unknown[] = [
    { content: null, isError: true },
    { content: "text" },
    { content: [7, null, trap()] },
    { structuredContent: cyclic() },
    { structuredContent: trap() },
    { usage: "much" },
    { isError: "yes" },
    trap(),
    getter("content"),
    7,
    "text",
  ];
  it.each(answers.map((_answer, index) => [index]))(
    "a tool_result handler that answers oddly, %i",
    async (index) => {
      const { host } = hostWith([tool("good", () => text("good", { structuredContent: { a: 1 } }))], {
        handlers: { tool_result: [() => answers[index] as never] },
      });
      const caller = host.caller({ callId: "s" });
      expect(isSound(await caller.executeTool("good", {}))).toBe(true);
      expect(isSound(await host.call("good", {}))).toBe(true);
      await caller.close();
    },
  );

  const verdicts: readonly unknown[] = [
    undefined,
    null,
    "allow",
    true,
    {},
    { effect: "ALLOW" },
    { effect: ["allow"] },
    trap(),
    getter("effect"),
    { effect: "deny" },
    { effect: "deny", reason: Symbol("why") },
  ];
  it.each(verdicts.map((_verdict, index) => [index]))(
    "a gate that answers oddly denies, %i",
    async (index) => {
      let ran = false;
      const { host } = hostWith([tool("good", () => String((ran = true)))], {
        gate: { decide: () => verdicts[index] as never },
      });
      const outcome = await host.call("good", {});
      expect([outcome.isError, outcome.failure, ran]).toEqual([true, "denied", false]);
      expect(isSound(outcome)).toBe(true);
    },
  );

  it("a gate that is told how a call ended and fails, at once or later, changes nothing", async () => {
    const decision = { effect: "allow", rule: "r", layer: "user" } as const;
    const settled = [throwing(new Error("now")), async () => Promise.reject(new Error("later"))];
    for (const one of settled) {
      const gate: CallGate = {
        decide: async () => ({ effect: "allow", decision, reason: "" }),
        settled: one,
      };
      const { host } = hostWith([tool("good", () => "good")], { gate });
      expect((await host.call("good", {})).isError).toBe(false);
    }
  });

  it("a gate cannot change what runs", async () => {
    const { host } = hostWith([tool("good", (params) => JSON.stringify(params))], {
      gate: {
        decide: async ({ input }) => {
          Object.assign(input, { a: 2 });
          return { effect: "allow", decision: { effect: "allow", rule: "r", layer: "user" }, reason: "" };
        },
      },
    });
    expect(textOf((await host.call("good", { a: 1 })).result)).toBe('{"a":1}');
  });

  it("the gate judges what was registered, whatever the tool says of itself later", async () => {
    const seen: unknown[] = [];
    const annotations = { readOnlyHint: false };
    const good = tool("good", () => "good", { annotations, parameters: { type: "object", required: ["a"] } });
    const { host } = hostWith([good], {
      gate: {
        decide: async (request) => {
          seen.push(request.tool.annotations, request.tool.parameters);
          return { effect: "allow", decision: { effect: "allow", rule: "r", layer: "user" }, reason: "" };
        },
      },
    });
    annotations.readOnlyHint = true;
    Object.assign(good.parameters, { required: [] });
    await host.call("good", { a: 1 });
    expect(seen).toEqual([{ readOnlyHint: false }, { type: "object", required: ["a"] }]);
  });
});

describe("a tool that does not stop, or goes on after its end", () => {
  it("may tell of progress 100,000 times, and later, and what is told is bounded and over", async () => {
    let late: (() => void) | undefined;
    const { host, events } = hostWith(
      [
        tool("floods", (_params, _ctx, { onUpdate }) => {
          for (let n = 0; n < 100_000; n++) onUpdate(text(String(n)));
          late = () => onUpdate(text("late"));
          return "done";
        }),
      ],
      { limits: { maxUpdates: 100 } },
    );
    let told = 0;
    await host.call("floods", {}, { onUpdate: () => void told++ });
    late?.();
    expect([told, events.length]).toEqual([100, 102]);
  });

  it("cannot change the arguments on record, nor those of the next call", async () => {
    const { host } = hostWith([
      tool("greedy", (params) => {
        const seen = JSON.stringify(params);
        for (const key of Object.keys(params)) Reflect.deleteProperty(params, key);
        Object.assign(params, { mine: true });
        Object.freeze(params);
        return seen;
      }),
    ]);
    const caller = host.caller({ callId: "s" });
    const args = { list: [1, { a: 1 }] };
    const outcome = await caller.executeTool("greedy", args);
    expect(outcome.toolCall.arguments).toEqual({ list: [1, { a: 1 }] });
    expect(args).toEqual({ list: [1, { a: 1 }] });
    expect(textOf((await caller.executeTool("greedy", args)).result)).toBe('{"list":[1,{"a":1}]}');
    const { nestedCalls } = await caller.close();
    expect(nestedCalls?.calls.map((one) => one.arguments)).toEqual([args, args]);
  });

  it("cannot change what is on record by way of prepareArguments", async () => {
    const { host, events } = hostWith([
      tool("greedy", (params) => JSON.stringify(params), {
        prepareArguments: (args) => Object.assign(args as object, { n: 2 }),
      }),
    ]);
    const outcome = await host.call("greedy", { n: 1 });
    expect(textOf(outcome.result)).toBe('{"n":2}');
    expect(outcome.toolCall.arguments).toEqual({ n: 1 });
    expect(events[0]).toMatchObject({ args: { n: 1 } });
  });

  it("cannot be ended by a tool that registers, renames or withdraws while it runs", async () => {
    const { host } = hostWith([
      tool("itself", async (_params, ctx) => {
        host.register(tool("itself", () => "new"));
        const second = await ctx.executeTool("itself", {});
        host.register(tool("itself", () => "gone", { exposure: "hidden" }));
        const third = await ctx.executeTool("itself", {});
        return `old ${textOf(second.result)} ${textOf(third.result)}`;
      }),
    ]);
    expect(textOf((await host.call("itself", {})).result)).toBe("old new Tool itself not found");
  });

  // contract A17
  it("leaves a record that says it is not complete while a call runs", async () => {
    let end: (value: string) => void = () => {};
    const { host } = hostWith([tool("waits", () => new Promise<string>((resolve) => (end = resolve)))]);
    const caller = host.caller({ callId: "s" });
    const running = caller.executeTool("waits", {});
    await new Promise((resolve) => setImmediate(resolve));
    expect(caller.summary().nestedCalls).toMatchObject({
      complete: false,
      calls: [{ status: "unfinished" }],
    });
    end("done");
    await running;
    expect(caller.summary().nestedCalls).toMatchObject({ complete: true, calls: [{ status: "ok" }] });
  });

  it("keeps hosts apart that are closed while their tools call back", async () => {
    const { host } = hostWith([
      tool("closes", async (_params, ctx) => {
        const closing = host.close();
        const outcome = await ctx.executeTool("closes", {});
        void closing;
        return textOf(outcome.result);
      }),
    ]);
    expect(textOf((await host.call("closes", {})).result)).toBe("Operation aborted");
    expect(await host.call("closes", {})).toMatchObject({ isError: true, failure: "cancelled" });
  });
});

describe("names", () => {
  const names = [
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "a/b",
    "a\nb",
    "",
    " ",
    "ünï",
    "💥",
    "\u202egnp",
    "x".repeat(16_384),
  ];
  it.each(names.map((name) => [JSON.stringify(name.slice(0, 20)), name] as const))(
    "%s is a name like any other",
    async (_shown, name) => {
      const { host, events } = hostWith([tool(name, () => "ran", { exposure: "codemode" })]);
      const caller = host.caller({ callId: "s/1" });
      expect(textOf((await caller.executeTool(name, {})).result)).toBe("ran");
      expect(caller.tools.map((one) => one.name)).toEqual([name]);
      expect(events.map((event) => event.toolName)).toEqual([name, name]);
      const { nestedCalls } = await caller.close();
      expect(nestedCalls?.calls).toMatchObject([{ id: "s/1/1", name }]);
      expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    },
  );

  it.each([[undefined], [7], [null], [{}], ["x".repeat(16_385)]])("%o is none", (name) => {
    const { host } = hostWith([]);
    expect(() => host.register(tool(name as string, () => "never"))).toThrow(/name is a text/);
  });

  it("10,000 tools are registered, listed and called", async () => {
    const { host } = hostWith([]);
    const startedAt = process.threadCpuUsage();
    for (let n = 0; n < 10_000; n++) host.register(tool(`t${n}`, () => `ran ${n}`));
    expect(host.declared()).toHaveLength(10_000);
    expect(textOf((await host.call("t9999", {})).result)).toBe("ran 9999");
    // Generous: one by one it must not cost a look at all the others each time.
    expect(process.threadCpuUsage(startedAt).user / 1_000).toBeLessThan(20_000);
  });
});

describe("turns", () => {
  // contract B6
  it("a host that runs one call at a time does so in a batch and for nested calls", async () => {
    let inside = 0;
    let most = 0;
    const busy = async (): Promise<string> => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
      return "done";
    };
    const { host } = hostWith(
      [
        tool("busy", busy),
        tool("top", async (_params, ctx) => {
          await Promise.all([1, 2, 3].map((n) => ctx.executeTool("busy", { n })));
          return "done";
        }),
      ],
      { toolExecution: "sequential" },
    );
    await host.batch([1, 2, 3].map((n) => ({ name: "busy", args: { n } })));
    expect(most).toBe(1);
    await host.call("top", {});
    expect(most).toBe(1);
  });
});
