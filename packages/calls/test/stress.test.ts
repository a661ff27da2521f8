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

it(
  "runs 10,000 nested calls of 1 ms at concurrency 64, half of them cancelled, and leaves nothing behind",
  { timeout: 120_000 },
  async () => {
    const total = 10_000;
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const before = timers();
    const half = countedSignal();
    const whole = countedSignal();
    let ended = 0;
    let most = 0;
    let inside = 0;
    const starts = new Set<string>();
    const ends = new Set<string>();
    const host = createToolHost({
      cwd: "/project",
      onEvent: (event) => {
        if (event.type === "tool_execution_start") starts.add(event.toolCallId);
        if (event.type === "tool_execution_end") ends.add(event.toolCallId);
      },
    });
    host.register(
      tool("top", async (_params, ctx) => {
        const counts = { ok: 0, cancelled: 0, other: 0 };
        await Promise.all(
          Array.from({ length: total }, async (_, n) => {
            const { signal } = n % 2 === 0 ? half.controller : whole.controller;
            const outcome = await ctx.executeTool("leaf", { n }, { signal });
            if (!outcome.isError) counts.ok++;
            else if (outcome.failure === "cancelled") counts.cancelled++;
            else counts.other++;
          }),
        );
        return JSON.stringify(counts);
      }),
    );
    host.register(
      tool("leaf", (_params, _ctx, { signal }) => {
        most = Math.max(most, ++inside);
        return new Promise((resolve, reject) => {
          const timer = setTimeout(() => {
            signal.removeEventListener("abort", stop);
            inside--;
            if (++ended === total / 4) half.controller.abort();
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
    const outcome = await host.call("top", {});
    const counts = JSON.parse(
      outcome.result.content[0]?.type === "text" ? outcome.result.content[0].text : "{}",
    ) as Record<string, number>;

    expect(counts["other"]).toBe(0);
    expect((counts["ok"] ?? 0) + (counts["cancelled"] ?? 0)).toBe(total);
    expect(counts["cancelled"]).toBeGreaterThan(total / 4);
    expect(most).toBeLessThanOrEqual(64);
    expect(starts.size).toBe(total + 1);
    expect(ends).toEqual(starts);
    expect(outcome.nestedCalls?.calls).toHaveLength(256);
    expect(outcome.nestedCalls?.dropped).toBe(total - 256);
    expect(outcome.nestedCalls?.complete).toBe(false);
    expect(half.listeners()).toBe(0);
    expect(whole.listeners()).toBe(0);
    expect(timers()).toBeLessThanOrEqual(before);
  },
);

it(
  "keeps no more memory after the tenth thousand of calls than after the first",
  { timeout: 120_000 },
  async () => {
    // Node takes --expose-gc while it runs.
    const { setFlagsFromString } = await import("node:v8");
    const { runInNewContext } = await import("node:vm");
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
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
    const heap = async (): Promise<number> => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      collect();
      return process.memoryUsage().heapUsed;
    };
    for (let round = 0; round < 3; round++) await host.call("top", {});
    const first = await heap();
    for (let round = 0; round < 10; round++) await host.call("top", {});
    expect((await heap()) - first).toBeLessThan(4 * 1024 * 1024);
  },
);
