import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import {
  all,
  deadline,
  fallback,
  map,
  race,
  retry,
  settled,
  type HostCaller,
  type ToolHost,
} from "@nestbox/calls";
import type { ToolCaller } from "@nestbox/tool";
import { deferred, hostWith, text, textOf, tool } from "./support/tools.ts";
import { fakeClock } from "./support/fake-clock.ts";

function setup() {
  const log: string[] = [];
  const started = deferred();
  const made = hostWith([
    tool("echo", (params) => {
      log.push(`echo ${String(params["n"])}`);
      return text(String(params["n"]), { structuredContent: { n: params["n"] ?? null } });
    }),
    tool("fails", () => {
      log.push("fails");
      throw new Error("failed");
    }),
    tool("waits", (params, _ctx, { signal, onUpdate }) => {
      onUpdate(text("waiting"));
      log.push(`waits ${String(params["n"])}`);
      started.resolve();
      return new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          log.push(`stopped ${String(params["n"])}`);
          reject(new Error(signal.reason instanceof Error ? signal.reason.message : "stopped"));
        }),
      );
    }),
  ]);
  const caller = made.host.caller({ callId: "s" });
  return { ...made, caller, log, started };
}

describe("all", () => {
  it("does not begin what waits its turn when one has failed", async () => {
    const made: string[] = [];
    const caller = {
      tools: [],
      executeTool: async (name: string) => {
        made.push(name);
        const toolCall = { type: "toolCall", id: name, name, arguments: {} } as const;
        return { toolCall, result: text(name), isError: name === "fails" };
      },
    };
    const result = await all(caller, [{ name: "good" }, { name: "fails" }, { name: "never" }], {
      concurrency: 1,
    });
    expect([result.ok, made]).toEqual([false, ["good", "fails"]]);
  });

  it("gives every outcome in order, typed as many as there are calls", async () => {
    const { caller } = setup();
    const result = await all(caller, [
      { name: "echo", args: { n: 1 } },
      { name: "echo", args: { n: 2 } },
    ]);
    if (!result.ok) throw new Error("failed");
    const [first, second] = result.outcomes;
    expect([first.result.structuredContent, second.result.structuredContent]).toEqual([{ n: 1 }, { n: 2 }]);
    // @ts-expect-error there is no third outcome
    expect(result.outcomes[2]).toBeUndefined();
  });

  it("ends with the first failure, cancels what runs and never starts what waits", async () => {
    const { caller, log } = setup();
    const result = await all(
      caller,
      [{ name: "waits", args: { n: 1 } }, { name: "fails" }, { name: "echo", args: { n: 3 } }],
      { concurrency: 2 },
    );
    expect(result).toMatchObject({ ok: false, index: 1, outcome: { isError: true } });
    await caller.close();
    expect(log).toEqual(["waits 1", "fails", "stopped 1"]);
  });
});

describe("settled and map", () => {
  it("run everything to its end, whatever comes of it", async () => {
    const { caller } = setup();
    const [one, two] = await settled(caller, [{ name: "fails" }, { name: "echo", args: { n: 2 } }]);
    expect([one.isError, two.isError]).toEqual([true, false]);
  });

  it("keep the limit and the order", async () => {
    let inside = 0;
    let most = 0;
    const { host } = hostWith([
      tool("slow", async (params) => {
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setTimeout(resolve, Number(params["n"]) % 3));
        inside--;
        return String(params["n"]);
      }),
    ]);
    const items = Array.from({ length: 30 }, (_, n) => n);
    const outcomes = await map(host.caller({ callId: "s" }), items, (n) => ({ name: "slow", args: { n } }), {
      concurrency: 3,
    });
    expect(outcomes.map(({ result }) => textOf(result))).toEqual(items.map(String));
    expect(most).toBe(3);
  });

  it("keep progress and the abort chain: a careless callback and an outer signal", async () => {
    const { caller, started } = setup();
    const controller = new AbortController();
    const seen: unknown[] = [];
    const running = settled(caller, [{ name: "waits", args: { n: 1 } }], {
      signal: controller.signal,
      onUpdate: (partial, index) => {
        seen.push([textOf(partial), index]);
        throw new Error("careless");
      },
    });
    await started.promise;
    controller.abort();
    expect((await running)[0]).toMatchObject({ isError: true, failure: "cancelled" });
    expect(seen).toEqual([["waiting", 0]]);
  });

  // In Pi a given signal replaces the tool's own
  it("count the caller's own signal next to the given one", async () => {
    const own = new AbortController();
    const given: AbortSignal[] = [];
    const pi: ToolCaller & { signal: AbortSignal } = {
      tools: [],
      signal: own.signal,
      executeTool: async (name, _args, options) => {
        if (options?.signal !== undefined) given.push(options.signal);
        own.abort();
        return {
          toolCall: { type: "toolCall", id: "C/1", name, arguments: {} },
          result: text("ok"),
          isError: false,
        };
      },
    };
    await settled(pi, [{ name: "x" }], { signal: new AbortController().signal });
    expect(given[0]?.aborted).toBe(true);
  });
});

describe("race and fallback", () => {
  it("give the first success and cancel the losers", async () => {
    const { caller, log } = setup();
    const result = await race(caller, [
      { name: "waits", args: { n: 1 } },
      { name: "fails" },
      { name: "echo", args: { n: 3 } },
    ]);
    expect(result).toMatchObject({ ok: true, index: 2 });
    await caller.close();
    expect(log).toContain("stopped 1");
    expect(caller.summary().nestedCalls?.calls.map(({ status, cancelled }) => [status, cancelled])).toEqual([
      ["error", true],
      ["error", undefined],
      ["ok", undefined],
    ]);
  });

  it("tell of every failure when nobody succeeds", async () => {
    const { caller } = setup();
    for (const way of [race, fallback]) {
      const result = await way(caller, [{ name: "fails" }, { name: "unknown" }]);
      expect(result.ok ? [] : result.outcomes.map((outcome) => outcome.failure)).toEqual([
        "failed",
        "not-found",
      ]);
    }
  });

  it("try one after the other, and no further than the first success", async () => {
    const { caller, log } = setup();
    const result = await fallback(caller, [
      { name: "fails" },
      { name: "echo", args: { n: 2 } },
      { name: "echo", args: { n: 3 } },
    ]);
    expect(result).toMatchObject({ ok: true, index: 1 });
    expect(log).toEqual(["fails", "echo 2"]);
  });

  it("do not go on to the next when they were cancelled", async () => {
    const { caller, log, started } = setup();
    const controller = new AbortController();
    const running = fallback(caller, [{ name: "waits", args: { n: 1 } }, { name: "echo" }], {
      signal: controller.signal,
    });
    await started.promise;
    controller.abort();
    const result = await running;
    expect(result.ok ? [] : result.outcomes.map(({ toolCall }) => toolCall.name)).toEqual(["waits"]);
    expect(log).toEqual(["waits 1", "stopped 1"]);
  });

  it("let go of the signal that was handed in", async () => {
    const { caller } = setup();
    const { signal } = new AbortController();
    for (const way of [race, fallback]) {
      await way(caller, [{ name: "echo", args: { n: 1 } }], { signal });
      expect(getEventListeners(signal, "abort")).toEqual([]);
    }
  });
});

describe("retry", () => {
  function flaky(
    failures: number,
    annotations?: object,
  ): { caller: HostCaller; host: ToolHost; tries: () => number } {
    let tries = 0;
    const { host } = hostWith([
      tool(
        "flaky",
        () => {
          if (++tries <= failures) throw new Error("not yet");
          return "at last";
        },
        annotations === undefined ? {} : { annotations },
      ),
    ]);
    return { host, caller: host.caller({ callId: "s" }), tries: () => tries };
  }

  it("repeats idempotent tools with a growing wait", async () => {
    const clock = fakeClock();
    const { caller, tries } = flaky(3, { idempotentHint: true });
    const running = retry(
      caller,
      { name: "flaky" },
      { attempts: 5, backoffMs: 100, maxBackoffMs: 250, random: () => 1, clock },
    );
    await clock.advance(99);
    expect(tries()).toBe(1);
    await clock.advance(1);
    expect(tries()).toBe(2);
    await clock.advance(200);
    expect(tries()).toBe(3);
    await clock.advance(250);
    const { outcome, attempts } = await running;
    expect([textOf(outcome.result), attempts, clock.pending()]).toEqual(["at last", 4, 0]);
  });

  it.each([undefined, {}, { idempotentHint: false }, { readOnlyHint: true }])(
    "never repeats a tool with the hints %j",
    async (hints) => {
      const { caller, tries } = flaky(1, hints);
      expect((await retry(caller, { name: "flaky" }, { clock: fakeClock() })).outcome.isError).toBe(true);
      expect(tries()).toBe(1);
    },
  );

  it("does not repeat what was blocked, nor go on after a cancellation", async () => {
    const clock = fakeClock();
    const blocked = flaky(9, { idempotentHint: true });
    blocked.host.on("tool_call", () => ({ block: true, reason: "no" }));
    expect((await retry(blocked.caller, { name: "flaky" }, { clock })).attempts).toBe(1);

    const controller = new AbortController();
    const { caller, tries } = flaky(9, { idempotentHint: true });
    const running = retry(caller, { name: "flaky" }, { clock, signal: controller.signal });
    await clock.advance(0);
    controller.abort();
    expect((await running).attempts).toBe(1);
    expect([tries(), clock.pending()]).toEqual([1, 0]);
  });
});

describe("deadline", () => {
  it("cancels the call when the time is over, without the time in which a person was asked", async () => {
    const clock = fakeClock();
    const { caller, host, started } = setup();
    let over = false;
    const running = deadline(caller, { name: "waits", args: { n: 1 } }, { timeoutMs: 100, clock }).then(
      (result) => {
        over = true;
        return result;
      },
    );
    await started.promise;
    await clock.advance(60);
    host.pause();
    await clock.advance(1_000);
    expect(over).toBe(false);
    host.resume();
    await clock.advance(39);
    expect(over).toBe(false);
    await clock.advance(1);
    const { outcome, timedOut } = await running;
    expect([timedOut, textOf(outcome.result), clock.pending()]).toEqual([
      true,
      "waits did not end within 100 ms",
      0,
    ]);
  });

  it("leaves no timer behind when the call is in time", async () => {
    const clock = fakeClock();
    const { caller } = setup();
    const { outcome, timedOut } = await deadline(
      caller,
      { name: "echo", args: { n: 1 } },
      { timeoutMs: 100, clock },
    );
    expect([outcome.isError, timedOut, clock.pending()]).toEqual([false, false, 0]);
  });
});
