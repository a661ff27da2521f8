import { describe, expect, it } from "vitest";
import {
  all,
  cached,
  deadline,
  fallback,
  map,
  race,
  retry,
  settled,
  type Call,
  type CallerOf,
  type HostTool,
} from "@nestbox/calls";
import type { ToolCallOutcome, ToolResult } from "@nestbox/tool";
import { call, scriptedPiSession } from "@nestbox/tool/testing";
import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { fakeClock } from "./support/fake-clock.ts";
import { deferred, hostWith, text, textOf, tool } from "./support/tools.ts";

interface Asked {
  readonly signal: AbortSignal;
  readonly onUpdate: (partial: ToolResult) => void;
}

/** One call by way of each combinator. */
const ways: readonly (readonly [
  name: string,
  run: (caller: CallerOf<ToolCallOutcome>, one: Call, asked: Asked) => Promise<ToolCallOutcome>,
])[] = [
  [
    "all",
    async (caller, one, asked) => {
      const result = await all(caller, [one], asked);
      return result.ok ? result.outcomes[0] : result.outcome;
    },
  ],
  ["settled", async (caller, one, asked) => (await settled(caller, [one], asked))[0]],
  ["map", async (caller, one, asked) => only(await map(caller, [one], (item) => item, asked))],
  [
    "race",
    async (caller, one, asked) => {
      const result = await race(caller, [one], asked);
      return result.ok ? result.outcome : only(result.outcomes);
    },
  ],
  [
    "fallback",
    async (caller, one, asked) => {
      const result = await fallback(caller, [one], asked);
      return result.ok ? result.outcome : only(result.outcomes);
    },
  ],
  ["retry", async (caller, one, asked) => (await retry(caller, one, asked)).outcome],
  [
    "deadline",
    async (caller, one, asked) =>
      (await deadline(caller, one, { ...asked, timeoutMs: 1_000, clock: fakeClock() })).outcome,
  ],
  ["cached", async (caller, one, asked) => cached(caller).executeTool(one.name, one.args, asked)],
];

function only<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length !== 1) throw new Error(`${items.length} items`);
  return item;
}

// Repeatable and read-only, so that retry and cached do all that they can.
const annotations = { readOnlyHint: true, idempotentHint: true };

describe.each(ways)("%s in a ToolHost", (_name, run) => {
  // contract B3
  it("is cancelled by the signal it was given, together with the call that runs", async () => {
    const started = deferred();
    let starts = 0;
    let stops = 0;
    const { host } = hostWith([
      tool(
        "waits",
        (_params, _ctx, { signal }) => {
          starts++;
          started.resolve();
          return new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              stops++;
              reject(new Error("stopped"));
            });
          });
        },
        { annotations },
      ),
    ]);
    const controller = new AbortController();
    const caller = host.caller({ callId: "s" });
    const running = run(caller, { name: "waits" }, { signal: controller.signal, onUpdate: () => {} });
    await started.promise;
    controller.abort();
    expect(await running).toMatchObject({ isError: true, failure: "cancelled" });
    expect([starts, stops]).toEqual([1, 1]);
  });

  // contract B3
  it("is cancelled with the tool that uses it", async () => {
    const started = deferred();
    let stops = 0;
    const { host } = hostWith([
      tool("top", async (_params, ctx) => {
        const never = new AbortController();
        return textOf(
          (await run(ctx, { name: "waits" }, { signal: never.signal, onUpdate: () => {} })).result,
        );
      }),
      tool(
        "waits",
        (_params, _ctx, { signal }) => {
          started.resolve();
          return new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              stops++;
              reject(new Error("stopped"));
            });
          });
        },
        { annotations },
      ),
    ]);
    const controller = new AbortController();
    const running = host.call("top", {}, { signal: controller.signal });
    await started.promise;
    controller.abort();
    // The tool itself goes on to its end, and reads what became of its call.
    expect(textOf((await running).result)).toBe("stopped");
    expect(stops).toBe(1);
  });

  // contract B4
  it("lets progress through to its caller, in order, however careless the callback", async () => {
    const { host } = hostWith([
      tool(
        "steps",
        (_params, _ctx, { onUpdate }) => {
          onUpdate(text("one"));
          onUpdate(text("two"));
          return "done";
        },
        { annotations },
      ),
    ]);
    const seen: string[] = [];
    const outcome = await run(
      host.caller({ callId: "s" }),
      { name: "steps" },
      {
        signal: new AbortController().signal,
        onUpdate: (partial) => {
          seen.push(textOf(partial));
          throw new Error("careless");
        },
      },
    );
    expect([textOf(outcome.result), seen]).toEqual(["done", ["one", "two"]]);
  });
});

/** The shape of a tool is Pi's own; only the types of the schemas differ. */
function definition(one: HostTool): ToolDefinition {
  return one as unknown as ToolDefinition;
}

describe("in a tool of a Pi session", () => {
  // contract A15, A16, A17, B3
  it("all, race and deadline cancel what they end, and every call is on record", async () => {
    const log: string[] = [];
    const clock = fakeClock();
    const started = deferred();
    const tools = [
      tool("top", async (_params, ctx, { signal }) => {
        const first = await all(ctx, [{ name: "waits", args: { n: 1 } }, { name: "fails" }], { signal });
        log.push(first.ok ? "all ok" : `all ${first.index} ${textOf(first.outcome.result)}`);
        const seen: string[] = [];
        const second = await race(ctx, [{ name: "waits", args: { n: 2 } }, { name: "quick" }], {
          signal,
          onUpdate: (partial, index) => {
            seen.push(`${index} ${textOf(partial)}`);
            // Pi's own would end the process.
            throw new Error("careless");
          },
        });
        log.push(second.ok ? `race ${second.index}` : "race lost", seen.join());
        const third = deadline(ctx, { name: "waits", args: { n: 3 } }, { signal, timeoutMs: 100, clock });
        await started.promise;
        await clock.advance(100);
        const { outcome, timedOut } = await third;
        log.push(`deadline ${timedOut} ${textOf(outcome.result)}`);
        return "done";
      }),
      tool("waits", ({ n }, _ctx, { signal }) => {
        if (n === 3) started.resolve();
        return new Promise((_resolve, reject) => {
          const stop = (): void => {
            log.push(`stopped ${Number(n)}`);
            reject(new Error("stopped"));
          };
          if (signal.aborted) stop();
          else signal.addEventListener("abort", stop);
        });
      }),
      tool("quick", (_params, _ctx, { onUpdate }) => {
        onUpdate(text("half"));
        return "quick";
      }),
      tool("fails", () => {
        throw new Error("no luck");
      }),
    ];
    await using pi = await scriptedPiSession({
      noTools: "builtin",
      extensions: [
        (api) => {
          for (const one of tools) api.registerTool(definition(one));
        },
      ],
    });
    await pi.prompt("go", [call("top"), "Done."]);

    expect(log).toEqual([
      "stopped 1",
      "all 1 no luck",
      "stopped 2",
      "race 1",
      "1 half",
      "stopped 3",
      "deadline true stopped",
    ]);
    const record = pi.nestedCalls().get("call-1");
    expect(record?.calls.map(({ id, name, status }) => `${id} ${name} ${status}`)).toEqual([
      "call-1/1 waits error",
      "call-1/2 fails error",
      "call-1/3 waits error",
      "call-1/4 quick ok",
      "call-1/5 waits error",
    ]);
  });
});
