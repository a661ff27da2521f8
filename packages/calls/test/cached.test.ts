import { describe, expect, it } from "vitest";
import {
  cached,
  createSessionCache,
  type CallerOf,
  type HostTool,
  type ToolCallContext,
} from "@nestbox/calls";
import type { CallGate, ToolCallOutcome } from "@nestbox/tool";
import { cacheHosts, reader, type Reading } from "./support/cache-hosts.ts";
import { fakeClock } from "./support/fake-clock.ts";
import { deferred, hostWith, lines, text, textOf, tool, usage } from "./support/tools.ts";

/** A thing that is read and written: what is read says how often, and what stood there. */
function store(): {
  readonly tools: readonly HostTool[];
  readonly write: () => void;
  readonly reads: () => number;
  /** While set, the next read waits for it after it has looked. */
  hold: Promise<void> | undefined;
} {
  let version = 1;
  let reads = 0;
  const made = {
    tools: [
      reader("read", async ({ path = "" }) => {
        const seen = `${String(path)}r${++reads} v${version}`;
        await made.hold;
        return seen;
      }),
      tool("write", () => `v${++version}`),
    ],
    write: () => void version++,
    reads: () => reads,
    hold: undefined as Promise<void> | undefined,
  };
  return made;
}

async function read(
  caller: Pick<CallerOf<ToolCallOutcome>, "executeTool">,
  args: object = {},
): Promise<string> {
  return textOf((await caller.executeTool("read", args)).result);
}

type Top = (ctx: ToolCallContext, caller: CallerOf<ToolCallOutcome>, toolCallId: string) => Promise<void>;

// The words: a cache for read-only tools inside one call tree.
describe.each(cacheHosts)("cached in $name", ({ run }) => {
  /** Runs one root tool that changes nothing by itself, with a cached caller. */
  const below = (more: (reading: Reading) => readonly HostTool[], top: Top): Promise<void> =>
    run(
      (reading) => [
        reader("top", async (_params, ctx, { toolCallId }) => {
          await top(ctx, reading(ctx, toolCallId), toolCallId);
          return "done";
        }),
        ...more(reading),
      ],
      ["top"],
    );

  it("answers the same read again, however its arguments were written, and no other", async () => {
    const { tools, reads } = store();
    const seen: string[] = [];
    await below(
      () => tools,
      async (_ctx, caller) => {
        seen.push(await read(caller, { path: "a", line: 1 }), await read(caller, { line: 1, path: "a" }));
        seen.push(await read(caller, { path: "b", line: 1 }), await read(caller, { path: "a", line: "1" }));
      },
    );
    expect([seen, reads()]).toEqual([["ar1 v1", "ar1 v1", "br2 v1", "ar3 v1"], 3]);
  });

  it("reads again after a call that may have changed it, by whichever caller", async () => {
    const { tools } = store();
    const seen: string[] = [];
    await below(
      () => tools,
      async (ctx, caller) => {
        seen.push(await read(caller), await read(caller));
        await caller.executeTool("write", {});
        seen.push(await read(caller), await read(caller));
        await ctx.executeTool("write", {});
        seen.push(await read(caller));
      },
    );
    expect(seen).toEqual(["r1 v1", "r1 v1", "r2 v2", "r2 v2", "r3 v3"]);
  });

  it("reads again after a tool that says it only reads, and calls one that does not", async () => {
    const { tools } = store();
    const seen: string[] = [];
    await below(
      () => [
        ...tools,
        reader("says-it-reads", async (_params, ctx) => textOf((await ctx.executeTool("write", {})).result)),
      ],
      async (_ctx, caller) => {
        seen.push(await read(caller));
        // Nor is such a call answered from the cache.
        for (let n = 0; n < 2; n++) await caller.executeTool("says-it-reads", {});
        seen.push(await read(caller));
      },
    );
    expect(seen).toEqual(["r1 v1", "r2 v3"]);
  });

  it("keeps nothing while something that may write runs elsewhere in the tree", async () => {
    const things = store();
    const [started, goOn, wrote, end] = [deferred(), deferred(), deferred(), deferred()];
    const seen: string[] = [];
    await below(
      () => [
        ...things.tools,
        reader("branch", async (_params, ctx) => {
          await ctx.executeTool("slow-write", {});
          return "branch";
        }),
        tool("slow-write", async () => {
          started.resolve();
          await goOn.promise;
          things.write();
          wrote.resolve();
          await end.promise;
          return "written";
        }),
      ],
      async (ctx, caller) => {
        seen.push(await read(caller));
        const branch = ctx.executeTool("branch", {});
        await started.promise;
        seen.push(await read(caller), await read(caller));
        goOn.resolve();
        await wrote.promise;
        seen.push(await read(caller));
        end.resolve();
        await branch;
        seen.push(await read(caller), await read(caller));
      },
    );
    expect(seen).toEqual(["r1 v1", "r2 v1", "r3 v1", "r4 v2", "r5 v2", "r5 v2"]);
  });

  it("does not keep what was being read while something was written", async () => {
    const things = store();
    const seen: string[] = [];
    await below(
      () => things.tools,
      async (ctx, caller) => {
        const hold = deferred();
        things.hold = hold.promise;
        const slow = read(caller);
        while (things.reads() === 0) await new Promise((resolve) => setImmediate(resolve));
        things.hold = undefined;
        await ctx.executeTool("write", {});
        hold.resolve();
        seen.push(await slow, await read(caller));
      },
    );
    expect(seen).toEqual(["r1 v1", "r2 v2"]);
  });

  it("gives calls of one tool in one tree the same answer, and the next root call a new one", async () => {
    const { tools } = store();
    const seen: string[] = [];
    for (const root of ["first", "second"]) {
      await below(
        (reading) => [
          ...tools,
          reader("helper", async (_params, ctx, { toolCallId }) => {
            seen.push(`${root} ${await read(reading(ctx, toolCallId))}`);
            return "read";
          }),
        ],
        async (ctx) => {
          await ctx.executeTool("helper", {});
          await ctx.executeTool("helper", {});
        },
      );
    }
    expect(seen).toEqual(["first r1 v1", "first r1 v1", "second r2 v1", "second r2 v1"]);
  });

  it("keeps nothing below a tool that may change things by itself between its calls", async () => {
    const things = store();
    const seen: string[] = [];
    await below(
      (reading) => [
        ...things.tools,
        reader("helper", async (_params, ctx, { toolCallId }) => {
          seen.push(await read(reading(ctx, toolCallId)));
          return "read";
        }),
        tool("edits", async (_params, ctx) => {
          await ctx.executeTool("helper", {});
          things.write();
          await ctx.executeTool("helper", {});
          return "edited";
        }),
      ],
      async (ctx) => {
        await ctx.executeTool("edits", {});
      },
    );
    expect(seen).toEqual(["r1 v1", "r2 v2"]);
  });

  it("gives a tool that changes things by itself only what was read since it began, and nobody what it read", async () => {
    const things = store();
    const seen: string[] = [];
    await below(
      (reading) => [
        ...things.tools,
        tool("edits", async (_params, ctx, { toolCallId }) => {
          const caller = reading(ctx, toolCallId);
          things.write();
          seen.push(await read(caller), await read(caller));
          things.write();
          return "edited";
        }),
      ],
      async (_ctx, caller) => {
        seen.push(await read(caller));
        await caller.executeTool("edits", {});
        seen.push(await read(caller));
      },
    );
    expect(seen).toEqual(["r1 v1", "r2 v2", "r2 v2", "r3 v3"]);
  });

  it("sees what another root call of the same message writes", async () => {
    const things = store();
    const [readOnce, mayRead] = [deferred(), deferred()];
    const seen: string[] = [];
    await run(
      (reading) => [
        reader("top", async (_params, ctx, { toolCallId }) => {
          const caller = reading(ctx, toolCallId);
          seen.push(await read(caller));
          readOnce.resolve();
          await mayRead.promise;
          seen.push(await read(caller));
          return "done";
        }),
        tool("other", async () => {
          await readOnce.promise;
          things.write();
          mayRead.resolve();
          return "other";
        }),
        ...things.tools,
      ],
      ["top", "other"],
    );
    expect(seen).toEqual(["r1 v1", "r2 v2"]);
  });

  it("keeps no failure, and hands out copies", async () => {
    const { tools } = store();
    let missing = 0;
    const seen: string[] = [];
    await below(
      () => [
        ...tools,
        reader("missing", () => {
          throw new Error(`missing ${++missing}`);
        }),
        reader("no", () => text(`no ${++missing}`, { isError: true })),
      ],
      async (_ctx, caller) => {
        for (const name of ["missing", "no", "missing", "no"])
          seen.push(textOf((await caller.executeTool(name, {})).result));
        for (let n = 0; n < 3; n++) {
          const { result } = await caller.executeTool("read", {});
          seen.push(textOf(result));
          Object.assign(result.content[0] ?? {}, { text: "changed" });
        }
      },
    );
    expect(seen).toEqual(["missing 1", "no 2", "missing 3", "no 4", "r1 v1", "r1 v1", "r1 v1"]);
  });

  it("keeps nothing that is not plain data", async () => {
    let reads = 0;
    const gives: Record<string, unknown> = {
      map: new Map([["a", 1]]),
      date: new Date(0),
      function: () => 1,
      getter: Object.defineProperty({}, "a", { get: () => 1, enumerable: true }),
    };
    const seen: number[] = [];
    await below(
      () => [reader("odd", ({ kind }) => text(`${++reads}`, { details: gives[String(kind)] }))],
      async (_ctx, caller) => {
        for (const kind of [...Object.keys(gives), ...Object.keys(gives)]) {
          await caller.executeTool("odd", { kind });
          seen.push(reads);
        }
      },
    );
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe("cached in a ToolHost", () => {
  // contract A15, A17, A18
  it("judges, tells and records a call that it answers, and counts what it cost once", async () => {
    const asked: string[] = [];
    const gate: CallGate = {
      decide: async ({ callId, input }) => {
        asked.push(`${callId} ${JSON.stringify(input)}`);
        const effect = asked.length > 2 ? "deny" : "allow";
        return { effect, decision: { effect, rule: "third", layer: "user" }, reason: "enough" };
      },
    };
    const { host, events } = hostWith([reader("read", () => text("text", { usage: usage(5) }))], {
      gate,
      handlers: {
        tool_result: [({ toolCallId }) => ({ content: [{ type: "text", text: `for ${toolCallId}` }] })],
      },
    });
    const own = host.caller({ callId: "s" });
    const caller = cached(own);
    const outcomes = [];
    for (let n = 0; n < 3; n++) outcomes.push(await caller.executeTool("read", { n: 1 }));
    expect(outcomes).toMatchObject([
      { isError: false, result: { content: [{ text: "for s/1" }] } },
      { isError: false, cached: true, durationMs: 0, result: { content: [{ text: "for s/2" }] } },
      { isError: true, failure: "denied" },
    ]);
    expect(outcomes[0]).not.toHaveProperty("cached");
    expect(asked).toEqual(['s/1 {"n":1}', 's/2 {"n":1}', 's/3 {"n":1}']);
    expect(lines(events).filter((line) => line.startsWith("end"))).toHaveLength(3);
    const { nestedCalls, usage: spent } = await own.close();
    expect(nestedCalls?.calls.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "s/1 ok",
      "s/2 ok",
      "s/3 error",
    ]);
    expect(spent?.input).toBe(5);
  });

  it("goes by what runs, where a handler changes the arguments", async () => {
    let reads = 0;
    const { host } = hostWith([reader("read", ({ path }) => `${String(path)}${++reads}`)], {
      handlers: { tool_call: [({ input }) => void (input["path"] = "same")] },
    });
    const caller = cached(host.caller({ callId: "s" }));
    expect([await read(caller, { path: "a" }), await read(caller, { path: "b" })]).toEqual([
      "same1",
      "same1",
    ]);
  });

  it("keeps as many outcomes as the limit says, the one unused for longest goes first, and none that is too long", async () => {
    let reads = 0;
    const { host } = hostWith([reader("read", ({ path }) => `${String(path)} ${++reads}`)], {
      limits: { maxCachedResults: 2, maxCachedChars: 100 },
    });
    const caller = cached(host.caller({ callId: "s" }));
    const seen: string[] = [];
    for (const path of ["a", "b", "a", "c", "a", "b"]) seen.push(await read(caller, { path }));
    expect(seen).toEqual(["a 1", "b 2", "a 1", "c 3", "a 1", "b 4"]);
    const long = "x".repeat(100);
    expect(await read(caller, { path: long })).not.toBe(await read(caller, { path: long }));
  });

  it("forgets what a tool gave that was registered again", async () => {
    const { host } = hostWith([reader("read", () => "old")]);
    const caller = cached(host.caller({ callId: "s" }));
    expect(await read(caller)).toBe("old");
    host.register(reader("read", () => "new"));
    expect(await read(caller)).toBe("new");
    host.register({ ...reader("read", () => "gone"), exposure: "hidden" });
    expect((await caller.executeTool("read", {})).isError).toBe(true);
  });

  it("keeps nothing while a cancelled tool runs on that may write", async () => {
    const things = store();
    const clock = fakeClock();
    const [started, stop] = [deferred(), deferred()];
    const { host } = hostWith(
      [
        ...things.tools,
        tool("stubborn", async () => {
          started.resolve();
          await stop.promise;
          things.write();
          return "at last";
        }),
      ],
      { clock, limits: { cancelGraceMs: 10 } },
    );
    const caller = cached(host.caller({ callId: "s" }));
    const controller = new AbortController();
    const stubborn = caller.executeTool("stubborn", {}, { signal: controller.signal });
    await started.promise;
    controller.abort();
    await clock.advance(10);
    expect((await stubborn).isError).toBe(true);
    expect([await read(caller), await read(caller)]).toEqual(["r1 v1", "r2 v1"]);
    stop.resolve();
    await clock.advance(0);
    expect([await read(caller), await read(caller)]).toEqual(["r3 v2", "r3 v2"]);
  });

  it("is cancelled like any other call, also where the answer is known", async () => {
    const { tools } = store();
    const { host } = hostWith(tools);
    const caller = cached(host.caller({ callId: "s" }));
    await read(caller);
    const outcome = await caller.executeTool("read", {}, { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ isError: true, failure: "cancelled" });
  });
});

describe("createSessionCache", () => {
  const event = (type: string, toolCallId: string, toolName: string, parentToolCallId?: string) => ({
    type: `tool_execution_${type}`,
    toolCallId,
    toolName,
    ...(parentToolCallId === undefined ? {} : { parentToolCallId }),
  });
  function counting(): CallerOf<ToolCallOutcome> & { readonly made: string[] } {
    const made: string[] = [];
    return {
      made,
      tools: [{ name: "read" }],
      async executeTool(name) {
        made.push(name);
        return {
          toolCall: { type: "toolCall", id: `${made.length}`, name, arguments: {} },
          result: text(`${made.length}`),
          isError: false,
        };
      },
    };
  }
  const changesNothing = (name: string): boolean => name !== "write";

  it("answers nothing for a call that the events have not told of, or that is over", async () => {
    const cache = createSessionCache({ changesNothing });
    const caller = counting();
    const own = cache.cached(caller, "C");
    await read(own);
    await read(own);
    cache.onEvent(event("start", "C", "top"));
    await read(own);
    await read(own);
    expect(caller.made).toHaveLength(3);
    cache.onEvent(event("end", "C", "top"));
    await read(own);
    expect(caller.made).toHaveLength(4);
    // The same id again, in a later run of the session.
    cache.onEvent(event("start", "C", "top"));
    await read(own);
    expect(caller.made).toHaveLength(5);
  });

  it("gives one chain of tools nothing that a policy let another one have", async () => {
    const cache = createSessionCache({ changesNothing });
    const caller = counting();
    cache.onEvent(event("start", "C", "top"));
    cache.onEvent(event("start", "C/1", "trusted", "C"));
    cache.onEvent(event("start", "C/2", "other", "C"));
    cache.onEvent(event("start", "C/3", "trusted", "C"));
    for (const id of ["C/1", "C/2", "C/3", "C"]) await read(cache.cached(caller, id));
    expect(caller.made).toHaveLength(3);
  });

  it("answers nothing while it cannot follow all that runs, and forgets at the end of a run", async () => {
    const cache = createSessionCache({ changesNothing, maxRunning: 2 });
    const caller = counting();
    for (const id of ["C", "D", "E"]) cache.onEvent(event("start", id, id === "E" ? "write" : "top"));
    const own = cache.cached(caller, "C");
    await read(own);
    await read(own);
    expect(caller.made).toHaveLength(2);
    cache.onEvent(event("end", "E", "write"));
    await read(own);
    await read(own);
    expect(caller.made).toHaveLength(3);
    cache.onEvent({ type: "agent_end" });
    await read(own);
    expect(caller.made).toHaveLength(4);
  });

  it("takes a tool for one that writes when nobody can say, and any event for what it is", async () => {
    const cache = createSessionCache({
      changesNothing: () => {
        throw new Error("careless");
      },
    });
    const caller = counting();
    for (const odd of [undefined, null, 1, "x", {}, { type: "tool_execution_start" }, { type: "agent_end" }])
      cache.onEvent(odd);
    cache.onEvent(event("start", "C", "top"));
    const own = cache.cached(caller, "C");
    await read(own);
    await read(own);
    expect(caller.made).toHaveLength(2);
  });
});
