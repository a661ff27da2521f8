import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createToolHost } from "@nestbox/calls";
import { tool } from "./support/tools.ts";

/** An abort signal that counts who listens to it. */
function countedSignal(): { controller: AbortController; listeners: () => number } {
  const controller = new AbortController();
  let listeners = 0;
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  Object.assign(signal, {
    addEventListener: (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    },
    removeEventListener: (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    },
  });
  return { controller, listeners: () => listeners };
}

/** Bytes of the heap after a collection; Node takes --expose-gc while it runs. */
async function heap(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  await new Promise((resolve) => setTimeout(resolve, 5));
  collect();
  return process.memoryUsage().heapUsed;
}

it(
  "runs 10,000 nested calls of 1 ms at concurrency 64, cancels all that is left half way, and leaves nothing behind",
  { timeout: 120_000 },
  async () => {
    const total = 10_000;
    const concurrency = 64;
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const starts = new Set<string>();
    const ends = new Set<string>();
    const rest = countedSignal();
    let ended = 0;
    let most = 0;
    let inside = 0;
    const host = createToolHost({
      cwd: "/project",
      onEvent: (event) => {
        if (event.type === "tool_execution_start") starts.add(event.toolCallId);
        if (event.type === "tool_execution_end") ends.add(event.toolCallId);
      },
    });
    host.register(
      tool("top", async (params, ctx) => {
        const counts = { ok: 0, cancelled: 0, other: 0 };
        const { signal } = rest.controller;
        await Promise.all(
          Array.from({ length: Number(params["calls"]) }, async (_, n) => {
            const outcome = await ctx.executeTool("leaf", { n }, { signal });
            if (!outcome.isError) counts.ok++;
            else if (outcome.failure === "cancelled") counts.cancelled++;
            else counts.other++;
          }),
        );
        return { content: [], details: counts };
      }),
    );
    host.register(
      tool("leaf", (_params, _ctx, { signal }) => {
        most = Math.max(most, ++inside);
        return new Promise((resolve, reject) => {
          const timer = setTimeout(() => {
            signal.removeEventListener("abort", stop);
            inside--;
            if (++ended === total / 2) rest.controller.abort();
            resolve({ content: [], details: {} });
          }, 1);
          const stop = (): void => {
            clearTimeout(timer);
            inside--;
            reject(new Error("stopped"));
          };
          signal.addEventListener("abort", stop, { once: true });
        });
      }),
    );
    // What is compiled and made once is no leak.
    await host.call("top", { calls: 500 });
    ended = 0;
    starts.clear();
    ends.clear();
    const before = { timers: timers(), heap: await heap() };

    const outcome = await host.call("top", { calls: total });
    const counts = outcome.result.details as { ok: number; cancelled: number; other: number };

    expect(counts.other).toBe(0);
    expect(counts.ok + counts.cancelled).toBe(total);
    // Those that were running when the signal came may have ended well in the same moment.
    expect(Math.abs(counts.cancelled - total / 2)).toBeLessThanOrEqual(concurrency);
    expect(most).toBe(concurrency);
    expect(inside).toBe(0);
    expect(starts.size).toBe(total + 1);
    expect(ends).toEqual(starts);
    expect(outcome.nestedCalls?.calls).toHaveLength(256);
    expect(outcome.nestedCalls?.dropped).toBe(total - 256);
    expect(outcome.nestedCalls?.complete).toBe(false);
    expect(rest.listeners()).toBe(0);
    expect(timers()).toBeLessThanOrEqual(before.timers);
    starts.clear();
    ends.clear();
    // Half a MiB as it is; the outcomes alone, where they were kept, would be 3.5.
    expect((await heap()) - before.heap).toBeLessThan(2 * 1024 * 1024);
  },
);

it(
  "keeps no more memory after the tenth thousand of calls than after the first",
  { timeout: 120_000 },
  async () => {
    const host = createToolHost({ cwd: "/project" });
    host.register(
      tool("top", async (_params, ctx) => {
        const controller = new AbortController();
        await Promise.all(
          Array.from({ length: 1_000 }, () =>
            ctx.executeTool("leaf", { s: "x".repeat(100) }, { signal: controller.signal }),
          ),
        );
        return "done";
      }),
    );
    host.register(tool("leaf", () => ({ content: [], details: { big: "y".repeat(1_000) } })));
    for (let round = 0; round < 3; round++) await host.call("top", {});
    const first = await heap();
    for (let round = 0; round < 10; round++) await host.call("top", {});
    expect((await heap()) - first).toBeLessThan(4 * 1024 * 1024);
  },
);
