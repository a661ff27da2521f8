/**
 * What the sandbox process needs of an engine: one realm for one script, entered only from outside, one turn at a
 * time. `isolated-vm.ts` is the implementation.
 */
import type { Segment } from "../runner/frames.ts";
import type { ColumnShift } from "../source/edits.ts";

export interface Vm {
  /** What it was configured with; undefined before that. */
  readonly setup: string | undefined;
  /** Says once what the script may use: tools, host functions, limits, as JSON text for the prelude. */
  configure(setup: string): void;
  /** Makes ready what nearly every script needs; whether that was still to be done. */
  warm(): boolean;
  /** Compiles the program and begins it with what is this run's own: its store and environment, as JSON text. */
  start(program: Program, own: string, timeoutMs: number): TurnEnd;
  /** Hands answers in and runs until the script waits again. */
  settle(answers: string, now: number, segments: readonly Segment[], timeoutMs: number): TurnEnd;
  /** Runs timers that are due. */
  tick(now: number, timeoutMs: number): TurnEnd;
  /** What the script has queued for the host since the last time. */
  drain(): string;
  /** What it had queued before it was stopped: `segments;rows`. */
  partial(): string;
  takeSegment(index: number): string;
  /** Bytes on the heap and beside it; undefined when the engine is gone. */
  memoryBytes(): number | undefined;
  dispose(): void;
}

export interface Program {
  readonly text: string;
  /** Added to the engine's line numbers. */
  readonly lineOffset: number;
  readonly trailing: boolean;
  /** Work that the script does not await may go on after its end: the end is told before the turn is over. */
  readonly mayGoOn: boolean;
  /** Where the engine's columns are too large. */
  readonly shift?: ColumnShift | undefined;
}

/** How a turn ended. Everything but `waiting` means that the realm is of no further use. */
export type TurnEnd =
  | { readonly kind: "waiting" }
  /** A promise was rejected and nobody handled it; `isError`: with an error. */
  | { readonly kind: "rejection"; readonly message: string; readonly isError: boolean }
  | { readonly kind: "syntax"; readonly name: string; readonly message: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "memory"; readonly message: string };

export interface VmHooks {
  /** Output and short results, in the middle of a turn. */
  readonly emit: (text: string, segments: readonly Segment[]) => void;
  readonly service: (operation: string, args: readonly unknown[]) => unknown;
}

export interface VmFactory {
  /** Makes a realm with the prelude in it; hooks are attached when a script takes it. */
  create(hooks: () => VmHooks | undefined): Vm;
  /** Makes a realm, has it rehearsed, and makes the next ones faster by what was learnt; nothing of it is kept. */
  learn(rehearse: (vm: Vm) => void, hooks: () => VmHooks | undefined): void;
}
