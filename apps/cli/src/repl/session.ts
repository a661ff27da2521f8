/**
 * One script that lives as long as the session: a loop in the sandbox that asks the host for the next entry and
 * evaluates it in its own global scope. What an entry declares is there for the next one; when the sandbox ends,
 * everything is gone with it.
 */
import {
  createDiscovery,
  type ScriptError,
  type ScriptEvent,
  type ScriptLimits,
  type ScriptRunner,
} from "@nestbox/codemode";
import type { JsonValue, ToolCaller } from "@nestbox/tool";

const LOOP = `
const { next, interrupted } = __repl;
globalThis.ctx = ctx;
const stopped = {};
let answer = { kind: "ready" };
for (;;) {
  const code = await next(answer);
  if (typeof code !== "string") return;
  try {
    const running = (0, eval)("(async (__repl) => {" + code + "\\n})()");
    const value = await Promise.race([running, interrupted().then((yes) => (yes ? stopped : running))]);
    if (value === stopped) answer = { kind: "interrupted" };
    else {
      globalThis._ = value;
      answer = { kind: "value", type: typeof value, value };
    }
  } catch (error) {
    const isError = error instanceof Error;
    answer = { kind: "error", name: isError ? String(error.name) : "Thrown", message: isError ? String(error.message) : String(error) };
  }
}`;

/** An entry that does not stop when it is asked to is stopped with the sandbox. */
const STOP_MS = 1_000;

export type Answer =
  | { readonly kind: "value"; readonly type: string; readonly value?: JsonValue }
  | { readonly kind: "error"; readonly name: string; readonly message: string }
  | { readonly kind: "interrupted" }
  /** The sandbox has ended, and what was declared is gone. */
  | { readonly kind: "ended"; readonly error?: ScriptError };

export interface SessionOptions {
  readonly runner: ScriptRunner;
  readonly caller: ToolCaller;
  readonly limits: Partial<ScriptLimits>;
  readonly onEvent: (event: ScriptEvent) => void;
}

export interface Session {
  /** One at a time. Never rejects. */
  evaluate(code: string): Promise<Answer>;
  /** Stops the entry that runs: its calls are cancelled. */
  interrupt(): void;
  close(): Promise<void>;
}

export function startSession({ runner, caller, limits, onEvent }: SessionOptions): Session {
  const whole = new AbortController();
  let entry = new AbortController();
  let feed: ((code: string | null) => void) | undefined;
  let waiting: ((answer: Answer) => void) | undefined;
  let release: ((yes: boolean) => void) | undefined;
  let queued: string | null | undefined;
  let ended: Answer | undefined;

  const settle = (answer: Answer): void => {
    const told = waiting;
    waiting = undefined;
    told?.(answer);
  };
  const give = (code: string | null): void => {
    if (feed === undefined) queued = code;
    else {
      feed(code);
      feed = undefined;
    }
  };
  const discovery = createDiscovery(caller.tools);
  const running = runner
    .run({
      code: LOOP,
      caller: {
        tools: caller.tools,
        ...(caller.pauses === undefined ? {} : { pauses: caller.pauses }),
        executeTool: (name, args, options) =>
          caller.executeTool(name, args, {
            ...options,
            signal: AbortSignal.any([
              entry.signal,
              ...(options?.signal === undefined ? [] : [options.signal]),
            ]),
          }),
      },
      globals: [
        ...discovery.globals,
        {
          name: "__repl.next",
          execute: ([answer]) => {
            release?.(false);
            // What the loop says is shown and nothing else; its shape is that of LOOP.
            settle(answer as unknown as Answer);
            return new Promise((resolve) => {
              feed = resolve;
              if (queued !== undefined) give(queued);
              queued = undefined;
            });
          },
        },
        {
          name: "__repl.interrupted",
          execute: () =>
            new Promise((resolve) => {
              release = resolve;
            }),
        },
      ],
      describe: discovery.describe,
      limits,
      signal: whole.signal,
      onEvent,
    })
    .then((outcome) => {
      ended = outcome.ok ? { kind: "ended" } : { kind: "ended", error: outcome.error };
      settle(ended);
    });

  return {
    evaluate(code) {
      if (ended !== undefined) return Promise.resolve(ended);
      entry = new AbortController();
      return new Promise((resolve) => {
        // The first answer of the loop says that it is ready; it is nobody's.
        waiting = (answer) => {
          if ((answer.kind as string) === "ready") waiting = resolve;
          else resolve(answer);
        };
        give(code);
      });
    },
    interrupt() {
      entry.abort(new Error("interrupted"));
      release?.(true);
      const pending = waiting;
      const timer = setTimeout(() => {
        if (pending !== undefined && waiting === pending) whole.abort(new Error("interrupted"));
      }, STOP_MS);
      timer.unref();
    },
    async close() {
      give(null);
      whole.abort(new Error("closed"));
      await running;
    },
  };
}
