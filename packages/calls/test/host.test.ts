import { describe, expect, it } from "vitest";
import { CallsError } from "@nestbox/calls";
import type { CallGate, CallRequest } from "@nestbox/tool";
import { hostWith, lines, text, textOf, tool, usage } from "./support/tools.ts";

const echo = (name: string, more = {}) => tool(name, (params) => `${name} ${JSON.stringify(params)}`, more);

describe("exposures", () => {
  // contract A1
  it("reaches each exposure exactly from where it may be reached", async () => {
    const probe = tool("probe", async (_params, ctx) => {
      const names = ["d", "m", "c", "f", "h", "nothing"];
      const answers = await Promise.all(names.map((name) => ctx.executeTool(name, {})));
      return answers
        .map((answer, index) => `${names[index]}=${answer.isError ? textOf(answer.result) : "ok"}`)
        .join("; ");
    });
    const { host } = hostWith([
      probe,
      echo("d"),
      echo("m", { exposure: "model-only" }),
      echo("c", { exposure: "codemode" }),
      echo("f", { exposure: "deferred" }),
      echo("h", { exposure: "hidden" }),
    ]);
    expect(host.getActiveTools()).toEqual(["probe", "d", "m"]);
    expect(host.callable().map(({ name }) => name)).toEqual(["probe", "d", "c", "f"]);
    expect(textOf((await host.call("probe", {})).result)).toBe(
      "d=ok; m=Tool m not found; c=ok; f=ok; h=Tool h not found; nothing=Tool nothing not found",
    );
    expect((await host.call("m", {})).isError).toBe(false);
    expect(textOf((await host.call("c", {})).result)).toBe("Tool c not found");
    expect(textOf((await host.call("h", {})).result)).toBe("Tool h not found");
  });

  // contract A2
  it("keeps exists, active, declared and called apart", async () => {
    const { host } = hostWith([
      echo("idle", { defaultActive: false }),
      echo("lead", {
        prepareLoadout: () => ({ descriptions: { lead: "Leads work." }, hiddenDeclarations: ["work"] }),
      }),
      echo("work"),
    ]);
    expect(host.registered().map(({ name, active }) => [name, active])).toEqual([
      ["idle", false],
      ["lead", true],
      ["work", true],
    ]);
    expect(host.declared().map(({ name, description }) => [name, description])).toEqual([
      ["lead", "Leads work."],
    ]);
    expect((await host.call("work", {})).isError).toBe(false);
    host.setActiveTools(["idle", "work", "unknown"]);
    expect(host.getActiveTools()).toEqual(["work", "idle"]);
    expect(host.declared().map(({ name }) => name)).toEqual(["work", "idle"]);
  });

  // contract A2
  it("withdraws a tool that is registered again as hidden, whoever does it", async () => {
    const { host } = hostWith([echo("a"), echo("b")]);
    host.register(echo("a", { exposure: "hidden" }), { source: { kind: "extension", id: "other" } });
    expect(host.getActiveTools()).toEqual(["b"]);
    expect(textOf((await host.call("a", {})).result)).toBe("Tool a not found");
    host.setActiveTools(["a", "b"]);
    expect(host.getActiveTools()).toEqual(["b"]);
    host.register(echo("a"), { source: { kind: "extension", id: "other" } });
    expect(host.getActiveTools()).toEqual(["b", "a"]);
    // Nobody owns the name of a tool that was withdrawn.
    host.register(echo("a", { exposure: "hidden" }));
    host.register(echo("a"));
    expect(host.registered().find(({ name }) => name === "a")?.source).toEqual({ kind: "sdk" });
  });

  // contract A20
  it("lets a loader choose among tools that were registered inactive", async () => {
    const loader = tool("load", (params) => {
      host.setActiveTools([...host.getActiveTools(), ...(params["names"] as string[])]);
      return "loaded";
    });
    const { host } = hostWith([
      loader,
      echo("search", { exposure: "deferred" }),
      echo("extra", { defaultActive: false }),
    ]);
    expect(host.getActiveTools()).toEqual(["load"]);
    await host.call("load", { names: ["search", "extra", "no-such-tool"] });
    expect(host.getActiveTools()).toEqual(["load", "search", "extra"]);
    expect((await host.call("search", {})).isError).toBe(false);
  });

  it("refuses what cannot be a tool, and a name that belongs to another source", () => {
    const { host } = hostWith([echo("mine")]);
    const code = (act: () => void): string => {
      try {
        act();
      } catch (error) {
        return error instanceof CallsError ? error.code : "other";
      }
      return "none";
    };
    expect(code(() => host.register(echo("x".repeat(16_385))))).toBe("invalid-tool");
    expect(code(() => host.register(echo(7 as never)))).toBe("invalid-tool");
    expect(code(() => host.register(echo("x", { exposure: "public" })))).toBe("invalid-tool");
    expect(code(() => host.register(echo("x", { parameters: { type: "string", pattern: "(" } })))).toBe(
      "invalid-tool",
    );
    expect(code(() => host.register(echo("mine"), { source: { kind: "mcp", server: "s" } }))).toBe(
      "name-clash",
    );
    expect(code(() => host.register(echo("mine")))).toBe("none");
    // Names that mean something to JavaScript are names like any other.
    expect(code(() => host.register(echo("constructor")))).toBe("none");
  });

  // contract A21
  it("describes a namespace by its name and by its aliases", () => {
    const { host } = hostWith([
      echo("a", { namespace: { name: "review" } }),
      echo("b", { namespace: { name: "review", aliases: ["checks"], instructions: "Call b first." } }),
      echo("c", { namespace: { name: "gone" }, exposure: "hidden" }),
    ]);
    expect(host.describeNamespace("review")?.instructions).toBe("Call b first.");
    expect(host.describeNamespace("checks")?.instructions).toBe("Call b first.");
    expect(host.describeNamespace("gone")).toBeUndefined();
    expect(host.describeNamespace("constructor")).toBeUndefined();
  });
});

describe("nested calls", () => {
  // contract A16
  it("numbers calls under their parent at every depth and tells them in order", async () => {
    const { host, events } = hostWith([
      tool("top", async (_params, ctx) => {
        await ctx.executeTool("mid", {});
        await ctx.executeTool("leaf", {});
        return "done";
      }),
      tool("mid", async (_params, ctx) => {
        await ctx.executeTool("leaf", { deep: true });
        return "mid";
      }),
      tool("leaf", (_params, _ctx, { onUpdate }) => {
        onUpdate(text("half"));
        return "leaf";
      }),
    ]);
    const outcome = await host.call("top", {}, { callId: "C" });
    expect(lines(events)).toEqual([
      "start C top",
      "start C/1 mid",
      "start C/1/1 leaf",
      "update C/1/1 leaf",
      "end C/1/1 leaf",
      "end C/1 mid",
      "start C/2 leaf",
      "update C/2 leaf",
      "end C/2 leaf",
      "end C top",
    ]);
    expect(events.map((event) => ("parentToolCallId" in event ? event.parentToolCallId : undefined))).toEqual(
      [undefined, "C", "C/1", "C/1", "C/1", "C", "C", "C", "C", undefined],
    );
    // contract A17
    expect(
      outcome.nestedCalls?.calls.map(({ id, name, status, arguments: args }) => ({ id, name, status, args })),
    ).toEqual([
      { id: "C/1", name: "mid", status: "ok", args: {} },
      { id: "C/1/1", name: "leaf", status: "ok", args: { deep: true } },
      { id: "C/2", name: "leaf", status: "ok", args: {} },
    ]);
    expect(outcome.nestedCalls?.complete).toBe(true);
  });

  // contract A17
  it("bounds the record: 8 KiB a call, 32 KiB in all, 256 calls, 500 characters of error", async () => {
    const sized = (bytes: number) => ({ s: "x".repeat(bytes - '{"s":""}'.length) });
    const { host } = hostWith([
      tool("many", async (params, ctx) => {
        for (const args of params["calls"] as object[]) await ctx.executeTool("leaf", args);
        return "done";
      }),
      tool("leaf", (params) => {
        if (params["fail"] === true) throw new Error("e".repeat(600));
        return "ok";
      }),
    ]);
    const one = await host.call("many", { calls: [sized(8192), sized(8193), { fail: true }] });
    const [kept, omitted, failing] = one.nestedCalls?.calls ?? [];
    expect(kept?.arguments).toBeDefined();
    expect(omitted).toMatchObject({ argumentsBytes: 8193, status: "ok" });
    expect(omitted?.arguments).toBeUndefined();
    expect(failing?.error).toHaveLength(500);
    expect(one.nestedCalls?.complete).toBe(false);

    const five = await host.call("many", { calls: [1, 2, 3, 4, 5].map(() => sized(8192)) });
    expect(five.nestedCalls?.calls.map((call) => call.argumentsBytes)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      8192,
    ]);

    const flood = await host.call("many", { calls: Array.from({ length: 300 }, () => ({})) });
    expect(flood.nestedCalls?.calls).toHaveLength(256);
    expect(flood.nestedCalls?.dropped).toBe(44);
    expect(flood.nestedCalls?.complete).toBe(false);
  });

  // contract A18
  it("adds the usage of nested results at every depth, those outside the record too", async () => {
    const { host } = hostWith([
      tool("top", async (_params, ctx) => {
        for (let index = 0; index < 300; index++) await ctx.executeTool("mid", {});
        return text("done", { usage: usage(5) });
      }),
      tool("mid", async (_params, ctx) => {
        await ctx.executeTool("leaf", {});
        return text("mid", { usage: usage(1) });
      }),
      tool("leaf", () => text("leaf", { usage: usage(2) })),
    ]);
    const outcome = await host.call("top", {});
    expect(outcome.result.usage?.input).toBe(5);
    expect(outcome.usage?.input).toBe(5 + 300 * 3);
    expect(outcome.usage?.cost.total).toBe(2 * (5 + 300 * 3));
  });

  // contract A18
  it("keeps of a usage whether its total is what the provider bills", async () => {
    const billed = (n: number, totalFromProvider?: unknown) => {
      const own = usage(n);
      return { ...own, cost: { ...own.cost, totalFromProvider: totalFromProvider as boolean } };
    };
    const { host } = hostWith([
      tool("top", async (_params, ctx) => {
        await ctx.executeTool("leaf", {});
        return text("done", { usage: billed(5, true) });
      }),
      tool("leaf", () => text("leaf", { usage: billed(2, true) })),
      tool("odd", () => text("odd", { usage: billed(1, "yes") })),
      tool("plain", () => text("plain", { usage: usage(1) })),
    ]);
    expect((await host.call("top", {})).usage?.cost).toMatchObject({ total: 14, totalFromProvider: true });
    expect((await host.call("odd", {})).usage?.cost.totalFromProvider).toBe(false);
    expect((await host.call("plain", {})).usage?.cost).not.toHaveProperty("totalFromProvider");
  });

  // contract A19
  it("resolves to an outcome for every failure of a tool", async () => {
    const { host } = hostWith([
      tool("top", async (_params, ctx) => {
        const aborted = AbortSignal.abort();
        const answers = [
          await ctx.executeTool("unknown", {}),
          await ctx.executeTool("strict", { n: "many" }),
          await ctx.executeTool("blocked", {}),
          await ctx.executeTool("throws", {}),
          await ctx.executeTool("strict", { n: 1 }, { signal: aborted }),
          await ctx.executeTool("nothing", {}),
          await ctx.executeTool("data", {}),
        ];
        return JSON.stringify(
          answers.map(({ failure, isError, result }) => [failure, isError, textOf(result).split("\n")[0]]),
        );
      }),
      tool("strict", () => "ok", {
        parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      }),
      tool("blocked", () => "never"),
      tool("throws", () => {
        throw new Error("no luck");
      }),
      tool("nothing", () => undefined),
      tool("data", () => text("failed with data", { isError: true, structuredContent: { why: "data" } })),
    ]);
    host.on("tool_call", ({ toolName }) =>
      toolName === "blocked" ? { block: true, reason: "not today" } : undefined,
    );
    const outcome = await host.call("top", {});
    expect(JSON.parse(textOf(outcome.result))).toEqual([
      ["not-found", true, "Tool unknown not found"],
      ["invalid-arguments", true, 'Validation failed for tool "strict":'],
      ["denied", true, "not today"],
      ["failed", true, "no luck"],
      ["cancelled", true, "Operation aborted"],
      ["failed", true, "The tool returned no result"],
      ["failed", true, "failed with data"],
    ]);
  });

  it("coerces arguments as Pi does, keeps the raw ones on record, and gives the tool its own copy", async () => {
    const { host, events } = hostWith([
      tool("top", async (_params, ctx) => {
        const { result } = await ctx.executeTool("count", { n: "42" });
        return textOf(result);
      }),
      tool(
        "count",
        (params) => {
          const seen = typeof params["n"];
          Object.assign(params, { n: 0 });
          return seen;
        },
        { parameters: { type: "object", properties: { n: { type: "number" } } } },
      ),
    ]);
    const outcome = await host.call("top", {});
    expect(textOf(outcome.result)).toBe("number");
    expect(outcome.nestedCalls?.calls[0]?.arguments).toEqual({ n: "42" });
    expect(
      events.find((event) => event.type === "tool_execution_start" && event.toolName === "count"),
    ).toMatchObject({ args: { n: "42" } });
  });

  // contract A13
  it("ends the follow-up only when every call of the batch agrees", async () => {
    const { host } = hostWith([
      tool("stop", () => text("stop", { terminate: true })),
      tool("go", () => "go"),
    ]);
    expect(
      (
        await host.batch([
          { name: "stop", args: {} },
          { name: "stop", args: {} },
        ])
      ).terminate,
    ).toBe(true);
    expect(
      (
        await host.batch([
          { name: "stop", args: {} },
          { name: "go", args: {} },
        ])
      ).terminate,
    ).toBe(false);
    expect((await host.batch([])).terminate).toBe(false);
  });
});

describe("handlers", () => {
  // contract A15
  it("go around nested calls as around root calls, in order", async () => {
    const seen: string[] = [];
    const { host } = hostWith(
      [
        tool("top", async (_params, ctx) => textOf((await ctx.executeTool("leaf", { word: "a" })).result)),
        tool("leaf", (params) => `leaf ${String(params["word"])}`),
      ],
      {
        handlers: {
          tool_call: [
            ({ toolName, toolCallId, parentToolCallId, input }) => {
              seen.push(`call ${toolName} ${toolCallId} ${parentToolCallId ?? "-"}`);
              if (toolName === "leaf") input["word"] = "b";
            },
          ],
          tool_result: [
            ({ toolName, content }) => {
              seen.push(`result ${toolName}`);
              return toolName === "leaf"
                ? { content: [...content, { type: "text", text: "seen" }] }
                : undefined;
            },
          ],
        },
      },
    );
    const outcome = await host.call("top", {}, { callId: "C" });
    expect(textOf(outcome.result)).toBe("leaf b\nseen");
    expect(seen).toEqual(["call top C -", "call leaf C/1 C", "result leaf", "result top"]);
    // What is on record is what was asked; what ran is told on the end event and on the outcome.
    expect(outcome.nestedCalls?.calls[0]?.arguments).toEqual({ word: "a" });
  });

  // contract B7
  it("validate again what a handler changed in place", async () => {
    const { host } = hostWith([
      tool("strict", (params) => JSON.stringify(params), {
        parameters: { type: "object", properties: { n: { type: "number" } }, additionalProperties: false },
      }),
    ]);
    let change: unknown;
    host.on("tool_call", ({ input }) => void (input["n"] = change));
    change = 7;
    const changed = await host.call("strict", { n: 1 });
    expect(changed.ranWith).toEqual({ n: 7 });
    change = "not a number";
    expect((await host.call("strict", { n: 1 })).failure).toBe("invalid-arguments");
    change = () => "never runs";
    expect((await host.call("strict", { n: 1 })).failure).toBe("invalid-arguments");
  });

  it("block when one throws, and withhold the result when one that reads it throws", async () => {
    const { host } = hostWith([tool("leaf", () => text("secret", { usage: usage(1) }))]);
    const stop = host.on("tool_call", () => {
      throw new Error("handler broke");
    });
    expect(textOf((await host.call("leaf", {})).result)).toBe("handler broke");
    stop();
    host.on("tool_result", () => {
      throw new Error("redaction broke");
    });
    const withheld = await host.call("leaf", {});
    expect(withheld.isError).toBe(true);
    expect(JSON.stringify(withheld)).not.toContain("secret");
    expect(withheld.usage?.input).toBe(1);
  });
});

describe("what is handed out", () => {
  it("cannot change what was registered", async () => {
    const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const { host } = hostWith([
      tool("strict", () => "ran", { parameters, annotations: { readOnlyHint: false } }),
    ]);
    const [view] = host.callable();
    expect(() => Object.assign(view?.parameters ?? {}, { required: [] })).toThrow(TypeError);
    expect(() => Object.assign(view?.annotations ?? {}, { readOnlyHint: true })).toThrow(TypeError);
    expect(view).not.toHaveProperty("execute");
    expect((await host.call("strict", {})).failure).toBe("invalid-arguments");
  });

  it("tells what the tool got, though the tool changed it since", async () => {
    const { host } = hostWith([
      tool("greedy", (params) => {
        Object.assign(params, { n: 99 });
        return "ran";
      }),
    ]);
    const inputs: unknown[] = [];
    host.on("tool_call", ({ input }) => void (input["n"] = 2));
    host.on("tool_result", ({ input }) => void inputs.push(input));
    expect((await host.call("greedy", { n: 1 })).ranWith).toEqual({ n: 2 });
    expect(inputs).toEqual([{ n: 2 }]);
  });

  // contract B3
  it("begins no call of a batch that was aborted while the others were being judged, and settles what was allowed", async () => {
    const controller = new AbortController();
    const ran: string[] = [];
    const settled: string[] = [];
    const gate: CallGate = {
      decide: async ({ tool: { name } }: CallRequest) => {
        if (name === "second") controller.abort();
        return { effect: "allow", decision: { effect: "allow", rule: "all", layer: "test" }, reason: "" };
      },
      settled: ({ tool: { name } }, end) => void settled.push(`${name} ${end.isError} ${end.durationMs}`),
    };
    const note = (name: string) => tool(name, () => (ran.push(name), name));
    const { host } = hostWith([note("first"), note("second")], { gate });
    const { outcomes } = await host.batch(
      [
        { name: "first", args: {} },
        { name: "second", args: {} },
      ],
      { signal: controller.signal },
    );
    expect(outcomes.map(({ isError, failure, durationMs }) => [isError, failure, durationMs])).toEqual([
      [true, "cancelled", undefined],
      [true, "cancelled", undefined],
    ]);
    expect(ran).toEqual([]);
    expect(settled).toEqual(["first true undefined"]);
  });

  it("runs a batch that is larger than what may run at a time", async () => {
    const { host } = hostWith([echo("a")], { limits: { maxConcurrent: 2 } });
    const { outcomes } = await host.batch(Array.from({ length: 7 }, (_, n) => ({ name: "a", args: { n } })));
    expect(outcomes.map(({ result }) => textOf(result))).toEqual(
      Array.from({ length: 7 }, (_, n) => `a {"n":${n}}`),
    );
  });
});

describe("the gate", () => {
  const allow = {
    effect: "allow",
    decision: { effect: "allow", rule: "r", layer: "user" },
    reason: "",
  } as const;
  const deny = {
    effect: "deny",
    decision: { effect: "deny", rule: "no", layer: "user" },
    reason: "Rule no: not here",
  } as const;

  it("decides root and nested calls, sees the chain and exactly what runs, and its word is on outcome and event", async () => {
    const requests: CallRequest[] = [];
    const ended: unknown[] = [];
    const gate: CallGate = {
      async decide(request) {
        requests.push(request);
        return request.tool.name === "leaf" ? deny : allow;
      },
      settled: (request, end) => ended.push([request.callId, end.isError]),
    };
    let ran = false;
    const { host, events } = hostWith(
      [
        tool("top", async (_params, ctx) => textOf((await ctx.executeTool("leaf", { n: 1 })).result)),
        tool("leaf", () => {
          ran = true;
          return "never";
        }),
      ],
      { gate, actor: "person" },
    );
    host.on("tool_call", ({ toolName, input }) => {
      if (toolName === "leaf") input["n"] = 2;
    });
    const outcome = await host.call("top", {}, { callId: "C" });
    expect(textOf(outcome.result)).toBe("Rule no: not here");
    expect(ran).toBe(false);
    expect(outcome.decision).toEqual(allow.decision);
    expect(
      requests.map(({ callId, chain, input, actor, cwd }) => ({ callId, chain, input, actor, cwd })),
    ).toEqual([
      { callId: "C", chain: [], input: {}, actor: "person", cwd: "/project" },
      {
        callId: "C/1",
        chain: [{ callId: "C", toolName: "top" }],
        input: { n: 2 },
        actor: "person",
        cwd: "/project",
      },
    ]);
    expect(
      events.find((event) => event.type === "tool_execution_end" && event.toolCallId === "C/1"),
    ).toMatchObject({
      decision: deny.decision,
      failure: "denied",
      isError: true,
    });
    expect(ended).toEqual([["C", false]]);
  });

  it("denies when it throws, rejects, or answers nonsense", async () => {
    const answers: (() => unknown)[] = [
      () => {
        throw new Error("secret path");
      },
      () => Promise.reject(new Error("secret path")),
      () => undefined,
      () => ({ effect: "maybe" }),
      () => ({ effect: "ask" }),
    ];
    for (const answer of answers) {
      const gate: CallGate = { decide: async () => (await answer()) as never };
      const { host } = hostWith([echo("leaf")], { gate });
      const outcome = await host.call("leaf", {});
      expect(outcome.failure).toBe("denied");
      expect(outcome.decision?.rule).toBe("gate.failed");
      expect(JSON.stringify(outcome)).not.toContain("secret path");
    }
  });

  // hostile 40
  it("cannot be fooled by arguments that change while it decides", async () => {
    let release: () => void = () => {};
    const gate: CallGate = {
      decide: () => new Promise((resolve) => (release = () => resolve(allow))),
    };
    const { host } = hostWith([tool("run", (params) => JSON.stringify(params))], { gate });
    const args = { command: "ls", list: ["a"] };
    const running = host.call("run", args);
    await new Promise((resolve) => setTimeout(resolve, 5));
    args.command = "rm";
    args.list.push("b");
    release();
    expect(textOf((await running).result)).toBe('{"command":"ls","list":["a"]}');
  });
});

describe("structured content", () => {
  // contract A9
  it("is checked against outputSchema, and a mismatch is told next to the value", async () => {
    const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const returns = (name: string, structuredContent: unknown, more = {}) =>
      tool(name, () => ({ content: [], details: {}, structuredContent, ...more }), { outputSchema });
    const { host } = hostWith([
      returns("good", { n: 1 }),
      returns("wrong", { n: "1" }),
      returns("missing", undefined),
      returns("bigint", { n: 1n }),
      returns("failed", undefined, { isError: true }),
      returns("date", { n: 1, at: new Date(0) }),
    ]);
    const end = async (name: string) => {
      const { isError, result, outputErrors } = await host.call(name, {});
      return { isError, value: result.structuredContent, errors: outputErrors?.map(({ path }) => path) };
    };
    expect(await end("good")).toEqual({ isError: false, value: { n: 1 }, errors: undefined });
    expect(await end("wrong")).toEqual({ isError: false, value: { n: "1" }, errors: ["/n"] });
    expect(await end("missing")).toEqual({ isError: false, value: undefined, errors: [""] });
    expect(await end("bigint")).toEqual({ isError: false, value: undefined, errors: ["/n"] });
    expect(await end("failed")).toEqual({ isError: true, value: undefined, errors: undefined });
    expect(await end("date")).toEqual({
      isError: false,
      value: { n: 1, at: "1970-01-01T00:00:00.000Z" },
      errors: undefined,
    });
  });
});

describe("a caller", () => {
  it("makes calls on behalf of a script, exposure applied, and tells what they left behind", async () => {
    const { host, events } = hostWith([
      echo("shown", { exposure: "model-only" }),
      echo("listed", { exposure: "codemode" }),
      tool("spends", () => text("", { usage: usage(3) })),
    ]);
    await using caller = host.caller({ callId: "script-1", toolName: "codemode" });
    expect(caller.tools.map(({ name }) => name)).toEqual(["listed", "spends"]);
    expect(caller.tools.every((view) => !("execute" in view))).toBe(true);
    const first = await caller.executeTool("listed", { a: 1 });
    const second = await caller.executeTool("shown", {});
    await caller.executeTool("spends", {});
    expect([first.toolCall.id, second.toolCall.id]).toEqual(["script-1/1", "script-1/2"]);
    expect(textOf(second.result)).toBe("Tool shown not found");
    expect(lines(events)[0]).toBe("start script-1/1 listed");
    const summary = caller.summary();
    expect(summary.usage?.input).toBe(3);
    expect(summary.nestedCalls?.calls.map(({ status }) => status)).toEqual(["ok", "error", "ok"]);
  });

  it("stops the same clocks when a gate of its own asks, until it is closed", async () => {
    let tell: ((paused: boolean) => void) | undefined;
    const asking = {
      subscribe: (listener: (paused: boolean) => void) => {
        tell = listener;
        return () => (tell = undefined);
      },
    };
    const { host } = hostWith([], { pauses: asking });
    const seen: boolean[] = [];
    host.caller({ callId: "s" }).pauses.subscribe((paused) => seen.push(paused));
    tell?.(true);
    host.pause();
    host.resume();
    expect(seen).toEqual([true]);
    tell?.(false);
    expect(seen).toEqual([true, false]);
    await host.close();
    expect(tell).toBeUndefined();
  });

  it("tells who listens to its pauses when a person is asked", () => {
    const { host } = hostWith([]);
    const seen: boolean[] = [];
    const caller = host.caller({ callId: "s" });
    const stop = caller.pauses.subscribe((paused) => seen.push(paused));
    host.pause();
    host.pause();
    host.resume();
    expect(seen).toEqual([true]);
    host.resume();
    host.resume();
    expect(seen).toEqual([true, false]);
    stop();
    host.pause();
    expect(seen).toEqual([true, false]);
    caller.pauses.subscribe((paused) => seen.push(paused));
    expect(seen).toEqual([true, false, true]);
  });
});

describe("a tool that throws", () => {
  // S16
  it("is told by its message, and by name, code and data in the details", async () => {
    const thrown = Object.assign(new TypeError("exploded"), { code: "E_TOOL", data: { status: 404 } });
    const { host } = hostWith([
      tool("fails", () => {
        throw thrown;
      }),
      tool("odd", () => {
        throw Object.defineProperty(new Error("odd"), "code", {
          get: () => {
            throw new Error("in a getter");
          },
        });
      }),
    ]);
    const { result, isError } = await host.call("fails", {});
    expect(isError).toBe(true);
    expect(textOf(result)).toBe("exploded");
    expect(result.details).toEqual({ error: { name: "TypeError", code: "E_TOOL", data: { status: 404 } } });
    expect((await host.call("odd", {})).result.details).toEqual({ error: { name: "Error" } });
  });
});

describe("a gate that counts", () => {
  it("is told how an allowed call ended, with its result, and nothing of a denied one", async () => {
    const ends: unknown[] = [];
    const gate: CallGate = {
      decide: async ({ tool: { name } }) => ({
        effect: name === "no" ? "deny" : "allow",
        decision: { effect: name === "no" ? "deny" : "allow", rule: "r", layer: "user" },
        reason: "",
      }),
      settled: ({ callId }, end) => void ends.push([callId, end.isError, end.result?.content]),
    };
    const { host } = hostWith([echo("yes"), echo("no")], { gate });
    await host.call("yes", { a: 1 }, { callId: "A" });
    await host.call("no", {}, { callId: "B" });
    expect(ends).toEqual([["A", false, expect.any(Array)]]);
  });
});
