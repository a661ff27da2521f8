import { describe, expect, it } from "vitest";
import type { ToolCallContext } from "@nestbox/calls";
import { deferred, hostWith, textOf, tool } from "./support/tools.ts";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("turns", () => {
  it("run at most so many calls of one depth at a time, in the order of arrival, and all of them", async () => {
    let inside = 0;
    let most = 0;
    const order: number[] = [];
    const { host } = hostWith(
      [
        tool("top", async (_params, ctx) => {
          await Promise.all(Array.from({ length: 50 }, (_, n) => ctx.executeTool("leaf", { n })));
          return "done";
        }),
        tool("leaf", async (params) => {
          order.push(Number(params["n"]));
          most = Math.max(most, ++inside);
          await sleep(1);
          inside--;
          return "leaf";
        }),
      ],
      { limits: { maxConcurrent: 4 } },
    );
    expect((await host.call("top", {})).isError).toBe(false);
    expect(most).toBe(4);
    expect(order).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  it("are of no use to a tool that was withdrawn meanwhile", async () => {
    const inside = deferred();
    const go = deferred();
    const ran: unknown[] = [];
    const leaf = tool("leaf", async (params) => {
      ran.push(params["n"]);
      inside.resolve();
      await go.promise;
      return "leaf";
    });
    const { host } = hostWith(
      [
        tool("top", async (_params, ctx) => {
          const calls = [1, 2].map((n) => ctx.executeTool("leaf", { n }));
          return JSON.stringify((await Promise.all(calls)).map(({ failure }) => failure ?? "ok"));
        }),
        leaf,
      ],
      { limits: { maxConcurrent: 1 } },
    );
    const running = host.call("top", {});
    await inside.promise;
    host.register({ ...leaf, exposure: "hidden" });
    go.resolve();
    expect(JSON.parse(textOf((await running).result))).toEqual(["ok", "not-found"]);
    expect(ran).toEqual([1]);
  });

  it("are refused when too many wait, and the others still get theirs", async () => {
    const gate = deferred();
    const { host } = hostWith(
      [
        tool("top", async (_params, ctx) => {
          const calls = Array.from({ length: 5 }, () => ctx.executeTool("leaf", {}));
          gate.resolve();
          return JSON.stringify(
            (await Promise.all(calls)).map(({ isError, failure }) => (isError ? failure : "ok")),
          );
        }),
        tool("leaf", async () => {
          await gate.promise;
          return "leaf";
        }),
      ],
      { limits: { maxConcurrent: 1, maxWaiting: 2 } },
    );
    expect(JSON.parse(textOf((await host.call("top", {})).result))).toEqual([
      "ok",
      "ok",
      "ok",
      "limit",
      "limit",
    ]);
  });

  it("leave the queue when their signal is aborted", async () => {
    const gate = deferred();
    const { host } = hostWith(
      [
        tool("top", async (_params, ctx) => {
          const controller = new AbortController();
          const first = ctx.executeTool("leaf", {});
          const second = ctx.executeTool("leaf", {}, { signal: controller.signal });
          const third = ctx.executeTool("leaf", {});
          controller.abort();
          const failure = (await second).failure;
          gate.resolve();
          await Promise.all([first, third]);
          return String(failure);
        }),
        tool("leaf", async () => {
          await gate.promise;
          return "leaf";
        }),
      ],
      { limits: { maxConcurrent: 1 } },
    );
    expect(textOf((await host.call("top", {})).result)).toBe("cancelled");
  });

  // contract A14
  it("exclude sequential calls from each other across root calls and depths", async () => {
    let inside = 0;
    let most = 0;
    const busy = async () => {
      most = Math.max(most, ++inside);
      await sleep(2);
      inside--;
      return "ok";
    };
    const { host } = hostWith([
      tool("shallow", (_params, ctx) => ctx.executeTool("seq", {}).then(({ result }) => textOf(result))),
      tool("deep", (_params, ctx) => ctx.executeTool("shallow", {}).then(({ result }) => textOf(result))),
      tool("seq", busy, { executionMode: "sequential" }),
    ]);
    const names = ["shallow", "deep", "seq", "deep", "shallow", "seq"];
    const outcomes = await Promise.all(names.map((name) => host.call(name, {})));
    expect(outcomes.map(({ result }) => textOf(result))).toEqual(names.map(() => "ok"));
    expect(most).toBe(1);
  });

  it("never deadlock, whatever calls whatever, with one place at every depth", async () => {
    // Every tree of depth three over parallel and sequential tools, four wide.
    const grow = async (
      params: { level?: unknown; seed?: unknown },
      ctx: ToolCallContext,
    ): Promise<string> => {
      const level = Number(params.level);
      const seed = Number(params.seed);
      if (level === 3) return "leaf";
      const answers = await Promise.all(
        [0, 1, 2, 3].map((n) =>
          ctx.executeTool((seed >> (level * 4 + n)) & 1 ? "seq" : "par", {
            level: level + 1,
            seed: (seed * 31 + n) % 65536,
          }),
        ),
      );
      return answers.every(({ isError }) => !isError) ? "ok" : "failed";
    };
    const { host } = hostWith([tool("par", grow), tool("seq", grow, { executionMode: "sequential" })], {
      limits: { maxConcurrent: 1 },
    });
    const outcomes = await Promise.all(
      Array.from({ length: 24 }, (_, seed) =>
        host.call(seed % 3 === 0 ? "seq" : "par", { level: 0, seed: seed * 2749 }),
      ),
    );
    expect(outcomes.map(({ result }) => textOf(result))).toEqual(outcomes.map(() => "ok"));
  });
});

describe("limits", () => {
  it("end a recursion at maxDepth, and a flood at maxCallsPerRoot", async () => {
    const { host } = hostWith(
      [
        tool("down", async (_params, ctx) => textOf((await ctx.executeTool("down", {})).result)),
        tool("flood", async (_params, ctx) => {
          let calls = 0;
          for (;;) {
            const outcome = await ctx.executeTool("leaf", {});
            if (outcome.failure === "limit") return `${calls} ${textOf(outcome.result)}`;
            calls++;
          }
        }),
        tool("leaf", () => "leaf"),
      ],
      { limits: { maxDepth: 5, maxCallsPerRoot: 20 } },
    );
    const down = await host.call("down", {});
    expect(textOf(down.result)).toBe("Tool down not called: calls may be nested 5 deep");
    expect(down.nestedCalls?.calls).toHaveLength(6);
    expect(textOf((await host.call("flood", {})).result)).toBe(
      "20 Tool leaf not called: one call may make 20 nested calls",
    );
  });

  // hostile 35
  it("refuse arguments that are too large, too deep, or that fight back", async () => {
    const { host } = hostWith([tool("leaf", () => "leaf")], {
      limits: { maxArgumentChars: 1_000, maxArgumentDepth: 50 },
    });
    let deep: unknown = "bottom";
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const hostile: unknown[] = [
      { deep },
      { s: "x".repeat(1_001) },
      { holes: Array.from({ length: 1_001 }) },
      { sparse: Object.assign([], { length: 4_000_000_000 }) },
      { n: Number.NaN },
      { s: Symbol("s") },
      { p: Promise.resolve() },
      { e: new Error("e") },
      {
        get trap(): never {
          throw new Error("secret");
        },
      },
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("secret");
          },
        },
      ),
      {
        toJSON: () => {
          throw new Error("secret");
        },
      },
      () => "function",
    ];
    for (const args of hostile) {
      const outcome = await host.call("leaf", args);
      expect(outcome.failure).toBe("invalid-arguments");
      expect(JSON.stringify(outcome)).not.toContain("secret");
    }
    // hostile 11
    const polluting = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as object;
    expect((await host.call("leaf", polluting)).isError).toBe(false);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    expect((await host.call("leaf", { at: new Date(0), gone: undefined })).toolCall.arguments).toEqual({
      at: "1970-01-01T00:00:00.000Z",
    });
  });

  it("drop updates beyond maxUpdates and keep the result", async () => {
    const { host, events } = hostWith(
      [
        tool("chatty", (_params, _ctx, { onUpdate }) => {
          for (let n = 0; n < 10; n++) onUpdate({ content: [], details: n });
          return "end";
        }),
      ],
      { limits: { maxUpdates: 3 } },
    );
    expect(textOf((await host.call("chatty", {})).result)).toBe("end");
    expect(events.filter(({ type }) => type === "tool_execution_update")).toHaveLength(3);
  });

  it("refuse an option out of range", () => {
    expect(() => hostWith([], { limits: { maxDepth: -1 } })).toThrow("limits.maxDepth");
    expect(() => hostWith([], { limits: { maxConcurrent: 0 } })).toThrow("limits.maxConcurrent");
    expect(() => hostWith([], { limits: { maxWaiting: Number.NaN } })).toThrow("limits.maxWaiting");
  });
});

describe("cancellation", () => {
  it("counts the given signal, the parent's and the host's", async () => {
    const waits = tool("waits", (_params, _ctx, { signal }) => {
      return new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Error("stopped"))),
      );
    });
    const ways: ((
      host: ReturnType<typeof hostWith>["host"],
      own: AbortController,
      root: AbortController,
    ) => void)[] = [
      (_host, own) => own.abort(),
      (_host, _own, root) => root.abort(),
      (host) => void host.close(),
    ];
    for (const way of ways) {
      const started = deferred();
      const own = new AbortController();
      const root = new AbortController();
      const { host } = hostWith([
        waits,
        tool("top", async (_params, ctx) => {
          const running = ctx.executeTool("waits", {}, { signal: own.signal });
          started.resolve();
          return (await running).failure ?? "none";
        }),
      ]);
      const running = host.call("top", {}, { signal: root.signal });
      await started.promise;
      await sleep(1);
      way(host, own, root);
      expect((await running).nestedCalls?.calls[0]).toMatchObject({
        status: "error",
        error: "stopped",
        cancelled: true,
      });
    }
  });

  it("ends the call of a tool that does not stop, after the grace, and ignores what the tool does later", async () => {
    const late = deferred<string>();
    const { host, events } = hostWith(
      [
        tool("deaf", async (_params, _ctx, { onUpdate }) => {
          const answer = await late.promise;
          onUpdate({ content: [], details: "late" });
          return answer;
        }),
      ],
      { limits: { cancelGraceMs: 20 } },
    );
    const controller = new AbortController();
    const running = host.call("deaf", {}, { signal: controller.signal });
    await sleep(1);
    controller.abort();
    const outcome = await running;
    expect(outcome).toMatchObject({ isError: true, failure: "cancelled" });
    const before = events.length;
    late.resolve("too late");
    await sleep(5);
    expect(events).toHaveLength(before);
  });

  it("tells a gate the end of what it allowed and what then never began", async () => {
    const told: unknown[] = [];
    const controller = new AbortController();
    let began = false;
    const { host } = hostWith([tool("leaf", () => String((began = true))), tool("last", () => "last")], {
      gate: {
        decide: async ({ tool: { name } }) => {
          // The second of the batch is judged once the first was allowed and waits for it.
          if (name === "last") controller.abort();
          return { effect: "allow", decision: { effect: "allow", rule: "r", layer: "user" }, reason: "" };
        },
        settled: ({ callId }, { isError }) => void told.push([callId, isError]),
      },
    });
    const { outcomes } = await host.batch(
      [
        { name: "leaf", args: {}, callId: "a" },
        { name: "last", args: {}, callId: "b" },
      ],
      { signal: controller.signal },
    );
    expect(outcomes.map(({ failure }) => failure)).toEqual(["cancelled", "cancelled"]);
    expect(began).toBe(false);
    expect(told).toContainEqual(["a", true]);
  });

  it("keeps a tool from beginning when the abort comes before it does", async () => {
    let began = false;
    const { host } = hostWith([
      tool("leaf", () => {
        began = true;
        return "leaf";
      }),
    ]);
    const controller = new AbortController();
    const running = host.call("leaf", {}, { signal: controller.signal });
    controller.abort();
    expect((await running).failure).toBe("cancelled");
    expect(began).toBe(false);
  });

  // Pi gives a handler the signal of the run; here it is the call's.
  it("does not wait for a handler or a gate that is still asking", async () => {
    const signals: AbortSignal[] = [];
    const { host } = hostWith([tool("leaf", () => "leaf")], {
      gate: {
        decide: (request) => {
          if (request.signal !== undefined) signals.push(request.signal);
          return new Promise(() => {});
        },
      },
    });
    for (const asking of ["gate", "handler"]) {
      if (asking === "handler") {
        host.on("tool_call", (_event, { signal }) => {
          signals.push(signal);
          return new Promise<undefined>(() => {});
        });
      }
      const controller = new AbortController();
      const running = host.call("leaf", {}, { signal: controller.signal });
      await sleep(1);
      controller.abort();
      expect((await running).failure).toBe("cancelled");
    }
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it("ends nested calls that nobody awaits, at every depth, before the calling tool's end is told", async () => {
    const { host, events } = hostWith([
      tool("top", async (_params, ctx) => {
        void ctx.executeTool("mid", {});
        await sleep(5);
        return "top";
      }),
      tool("mid", async (_params, ctx) => textOf((await ctx.executeTool("waits", {})).result)),
      tool("waits", (_params, _ctx, { signal }) => {
        return new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(new Error("stopped"))),
        );
      }),
    ]);
    const outcome = await host.call("top", {}, { callId: "C" });
    expect(outcome.isError).toBe(false);
    expect(outcome.nestedCalls?.calls.map(({ id, cancelled }) => [id, cancelled])).toEqual([
      ["C/1", undefined],
      ["C/1/1", true],
    ]);
    expect(
      events
        .filter(({ type }) => type === "tool_execution_end")
        .map((event) => "toolCallId" in event && event.toolCallId),
    ).toEqual(["C/1/1", "C/1", "C"]);
  });

  it("answers calls after the host was closed", async () => {
    const { host } = hostWith([tool("leaf", () => "leaf")]);
    const caller = host.caller({ callId: "s" });
    await host.close();
    expect((await host.call("leaf", {})).failure).toBe("cancelled");
    expect((await caller.executeTool("leaf", {})).isError).toBe(true);
    expect(caller.tools).toEqual([]);
  });
});

describe("ids", () => {
  it("are never given twice, though the root's id comes again or holds slashes", async () => {
    const { host, events } = hostWith([
      tool("top", async (_params, ctx) => {
        await ctx.executeTool("leaf", {});
        await ctx.executeTool("top2", {});
        return "top";
      }),
      tool("top2", async (_params, ctx) => {
        await ctx.executeTool("leaf", {});
        return "top2";
      }),
      tool("leaf", () => "leaf"),
    ]);
    for (const callId of ["C", "C", "C/2", "a/b"]) await host.call("top", {}, { callId });
    await host.caller({ callId: "C" }).executeTool("leaf", {});
    const started = events.flatMap((event) =>
      event.type === "tool_execution_start" && event.parentToolCallId !== undefined ? [event.toolCallId] : [],
    );
    expect(new Set(started).size).toBe(started.length);
  });

  it("stay unique though more ids came and went than are remembered", async () => {
    const { host, events } = hostWith(
      [
        tool("top", async (_params, ctx) => {
          await Promise.all([ctx.executeTool("slow", {}), ctx.executeTool("many", {})]);
          return "top";
        }),
        tool("slow", async (_params, ctx) => {
          await ctx.executeTool("leaf", {});
          await sleep(30);
          await ctx.executeTool("leaf", {});
          return "slow";
        }),
        tool("many", async (_params, ctx) => {
          for (let n = 0; n < 20; n++) await ctx.executeTool("one", {});
          return "many";
        }),
        tool("one", async (_params, ctx) => textOf((await ctx.executeTool("leaf", {})).result)),
        tool("leaf", () => "leaf"),
      ],
      { limits: { maxRememberedIds: 3 } },
    );
    await host.call("top", {});
    const started = events.flatMap((event) =>
      event.type === "tool_execution_start" ? [event.toolCallId] : [],
    );
    expect(started).toHaveLength(1 + 2 + 2 + 40);
    expect(new Set(started).size).toBe(started.length);
  });

  it("of two root calls that run at the same time have to differ", async () => {
    const { host } = hostWith([tool("slow", () => sleep(5).then(() => "slow"))]);
    const first = host.call("slow", {}, { callId: "same" });
    await expect(host.call("slow", {}, { callId: "same" })).rejects.toMatchObject({ code: "call-id-in-use" });
    expect((await first).isError).toBe(false);
    expect((await host.call("slow", {}, { callId: "same" })).isError).toBe(false);
  });
});
