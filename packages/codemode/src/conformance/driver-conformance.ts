/**
 * What every place that runs scripts must keep, as cases without a test framework: each is a promise with a title,
 * and rejects with what was wrong. Run them over a runner that is built on the driver in question.
 */
import type { ToolCallOutcome, ToolCaller } from "@nestbox/tool";
import type { ScriptEvent, ScriptOutcome, ScriptRequest, ScriptRunner } from "../types.ts";

export interface ConformanceCase {
  readonly title: string;
  /** Rejects with an error that says what was expected. */
  readonly run: () => Promise<void>;
}

export class ConformanceError extends Error {
  override readonly name = "ConformanceError";
}

/** Only a driver that hangs takes so long, on a busy machine as well. */
const MAX_WAIT_MS = 60_000;

/** Cases for one runner; it is used by one after the other and not closed. */
export function driverConformance(runner: ScriptRunner): readonly ConformanceCase[] {
  const run = (code: string, request: Partial<ScriptRequest> = {}): Promise<ScriptOutcome> =>
    runner.run({ code, caller: caller(), ...request, limits: { memoryMb: 64, ...request.limits } });
  /** A script that ends by no other means than its limit. */
  const endless = (code: string): Promise<ScriptOutcome> => run(code, { limits: { cpuMs: 500 } });

  const cases: [string, () => Promise<void>][] = [
    [
      "a script returns its value",
      async () => same(await value(run("return { a: [1, 'x', null, true] }")), { a: [1, "x", null, true] }),
    ],
    [
      "a call reaches the caller with the arguments as they were, and its value comes back",
      async () => {
        const made = caller();
        same(await value(run("return await tools.echo({ a: 1 })", { caller: made })), { a: 1 });
        same(made.made, [["echo", { a: 1 }]]);
      },
    ],
    [
      "`ctx.executeTool` gives the outcome itself",
      async () =>
        same(
          await value(
            run("const o = await ctx.executeTool('fail', {}); return [o.isError, o.toolCall.name]"),
          ),
          [true, "fail"],
        ),
    ],
    [
      "a failing call rejects in the script and can be caught",
      async () =>
        same(
          await value(run("try { await tools.fail({}) } catch (error) { return error.message }")),
          "failed",
        ),
    ],
    [
      "calls run at the same time",
      async () => {
        const outcome = await run("await Promise.all(Array.from({ length: 5 }, () => tools.meet({})))", {
          limits: { callTimeoutMs: MAX_WAIT_MS / 3 },
        });
        holds(outcome.ok, "five calls that wait for each other did not run at the same time");
      },
    ],
    [
      "a thousand calls one after the other all answer",
      async () =>
        same(
          await value(
            run("let n = 0; for (let i = 0; i < 1000; i++) n += (await tools.echo({ i })).i; return n"),
          ),
          499_500,
        ),
    ],
    [
      "output keeps its order and is told while the script runs",
      async () => {
        const events: ScriptEvent[] = [];
        const outcome = await run("text('a'); console.log('b'); await tools.echo({}); text('c')", {
          onEvent: (event) => events.push(event),
        });
        same(
          outcome.output.map((item) => (item.type === "image" ? "image" : item.text)),
          ["a", "b", "c"],
        );
        const order = events.flatMap((event) =>
          event.type === "output" ? ["output"] : event.type === "call" ? [event.call.status] : [],
        );
        same(order, ["output", "output", "running", "ok", "output"]);
      },
    ],
    [
      "an error names the script's line",
      async () => {
        const error = await failure(run("const a = 1;\nthrow new RangeError('boom')"));
        same([error.kind, error.name, error.message, error.line], ["script", "RangeError", "boom", 2]);
      },
    ],
    [
      "a source that cannot be read is a SyntaxError",
      async () => same((await failure(run("const = 1"))).name, "SyntaxError"),
    ],
    [
      "waiting for what nothing can settle fails at once",
      async () => same((await failure(run("await new Promise(() => {})"))).kind, "script"),
    ],
    [
      "timers fire",
      async () =>
        same(await value(run("await new Promise((r) => setTimeout(r, 5)); return 'slept'")), "slept"),
    ],
    [
      "an endless loop ends at the processor limit",
      async () => same((await failure(endless("while (true) {}"))).kind, "timeout"),
    ],
    [
      "a builtin that cannot be interrupted ends as well",
      async () => same((await failure(endless("let b = 2n; while (true) b = b * b"))).kind, "timeout"),
    ],
    [
      "a memory bomb is a typed error",
      async () => {
        const error = await failure(run("const a = []; while (true) a.push(new Array(1e5).fill(1.5))"));
        same(error.kind, "memory");
      },
    ],
    [
      "the wall limit ends a script and aborts its calls",
      async () => {
        const outcome = await run("await tools.hang({})", {
          // Its time counts from the call on: how soon the script is there is not what is asked.
          caller: caller({ pausedUntilCalled: true }),
          limits: { timeoutMs: 500 },
        });
        same([outcome.ok ? "" : outcome.error.kind, outcome.calls[0]?.status], ["timeout", "cancelled"]);
      },
    ],
    [
      "an abort ends a script",
      async () => {
        const controller = new AbortController();
        setTimeout(() => controller.abort(), 50);
        same((await failure(run("await tools.hang({})", { signal: controller.signal }))).kind, "aborted");
      },
    ],
    [
      "nothing is left for the next script",
      async () => {
        await run("globalThis.left = 1; Array.prototype.left = 2");
        same(await value(run("return [typeof left, typeof [].left]")), ["undefined", "undefined"]);
      },
    ],
    [
      "long strings cross whole in both directions",
      async () => {
        const length = 2_000_000;
        same(
          await value(
            run(`return (await tools.echo({ s: "é".repeat(${length}) })).s.length`, {
              limits: { memoryMb: 256 },
            }),
          ),
          length,
        );
      },
    ],
    ["a runner answers after all of that", async () => same(await value(run("return 'alive'")), "alive")],
  ];
  return cases.map(([title, test]) => ({ title, run: () => within(test(), title) }));
}

function caller({ pausedUntilCalled = false } = {}): ToolCaller & { readonly made: unknown[] } {
  const made: unknown[] = [];
  const five = Promise.withResolvers<void>();
  let pause = (_paused: boolean): void => undefined;
  const tools = ["echo", "fail", "meet", "hang"].map((name) => ({
    name,
    description: name,
    parameters: {},
    outputSchema: {},
  }));
  return {
    made,
    tools,
    pauses: {
      subscribe(listener) {
        pause = listener;
        if (pausedUntilCalled) listener(true);
        return () => undefined;
      },
    },
    async executeTool(name, args, options): Promise<ToolCallOutcome> {
      made.push([name, args]);
      if (pausedUntilCalled) pause(false);
      const toolCall = {
        type: "toolCall" as const,
        id: `c/${made.length}`,
        name,
        arguments: (args ?? {}) as never,
      };
      if (name === "meet") {
        if (made.length === 5) five.resolve();
        await five.promise;
      }
      if (name === "hang")
        await new Promise((resolve) => options?.signal?.addEventListener("abort", resolve, { once: true }));
      if (name === "fail") {
        return {
          toolCall,
          result: { content: [{ type: "text", text: "failed" }], details: {} },
          isError: true,
        };
      }
      return {
        toolCall,
        result: { content: [], details: {}, structuredContent: (args ?? {}) as never },
        isError: false,
      };
    },
  };
}

async function value(running: Promise<ScriptOutcome>): Promise<unknown> {
  const outcome = await running;
  if (!outcome.ok)
    throw new ConformanceError(`the script failed: ${outcome.error.kind}: ${outcome.error.message}`);
  return outcome.value;
}

async function failure(
  running: Promise<ScriptOutcome>,
): Promise<Extract<ScriptOutcome, { readonly ok: false }>["error"]> {
  const outcome = await running;
  if (outcome.ok) throw new ConformanceError("the script should have failed");
  return outcome.error;
}

export function same(actual: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new ConformanceError(`expected ${right}, got ${left}`);
}

export function holds(condition: boolean, problem: string): void {
  if (!condition) throw new ConformanceError(problem);
}

export async function within(test: Promise<void>, title: string, maxWaitMs = MAX_WAIT_MS): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new ConformanceError(`"${title}" did not end within ${maxWaitMs} ms`)),
      maxWaitMs,
    );
  });
  try {
    await Promise.race([test, late]);
  } finally {
    clearTimeout(timer);
  }
}
