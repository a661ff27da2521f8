import type { JsonValue } from "@nestbox/tool";

/**
 * What keeps one run: three functions over keys of that run. Everything is JSON. A durable engine of any kind is an
 * adapter of this; what it must keep is in `@nestbox/codemode/durable/conformance`.
 */
export interface RunJournal {
  readonly runId: string;
  /**
   * Runs `execute` once and keeps what it resolves to; from then on, in whatever process, it gives that back and runs
   * nothing. The first step of a `RunJournal` takes the run over: one that held it before can keep nothing any more.
   * Rejects when nothing can be kept; a rejection of `execute` is handed on and keeps nothing.
   */
  step(key: string, execute: () => Promise<JsonValue>, options?: StepOptions): Promise<Step>;
  /**
   * Gives the value that was woken under this key, or a promise of it. `question` is what somebody is shown who is to
   * give it; `null` asks nobody.
   */
  wait(key: string, question: JsonValue, options: { readonly signal: AbortSignal }): Promise<Wait>;
  /** Keeps the value first and wakes second. The first value counts, whoever comes later is told. */
  wake(key: string, value: JsonValue): Promise<Woken>;
}

export interface StepOptions {
  /**
   * `execute` may run again when it had begun in a process that is gone. Default false: such a step is `interrupted`,
   * and stays so.
   */
  readonly repeatable?: boolean;
  /**
   * Kept, where the step is not repeatable, with what says that it has begun: for whoever looks while it is under way,
   * or after its process has died. Nothing is decided by it, and an engine may leave it out.
   */
  readonly begun?: JsonValue;
}

export type Step =
  | { readonly kind: "done"; readonly value: JsonValue; readonly replayed: boolean }
  /** It had begun, and nobody knows whether it has had its effect. */
  | { readonly kind: "interrupted" }
  /** Of a recording only, which runs nothing: there is no such step. */
  | { readonly kind: "missing" };

export type Wait =
  | { readonly kind: "woken"; readonly value: JsonValue }
  | { readonly kind: "waiting"; readonly woken: Promise<JsonValue> };

export type Woken = { readonly kind: "stored" } | { readonly kind: "already"; readonly value: JsonValue };

/** Keys that are not those of calls: a run's start, its engine, its end, and the wish that it ends. */
export const KEY = { start: "start", engine: "engine", end: "end", cancel: "cancel" } as const;
