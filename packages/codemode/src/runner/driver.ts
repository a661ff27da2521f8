import type { Frame, Segment } from "./frames.ts";

/** What a place that runs isolates is asked to be. Two equal specs may share a sandbox, one script at a time. */
export interface SandboxSpec {
  readonly memoryMb: number;
  readonly timeZone: string;
  readonly locale: string;
  readonly jit: boolean;
  /** Isolates kept ready. */
  readonly stock: number;
  readonly maxFrameBytes: number;
  /** Processor time after which the system may end it, whatever it is doing; unset: an hour. */
  readonly cpuSeconds?: number;
}

/** Why a sandbox is gone. */
export interface SandboxExit {
  readonly message: string;
  /** It died of want of memory, as far as can be told. */
  readonly outOfMemory: boolean;
}

export interface SandboxEvents {
  readonly frame: (frame: Frame) => void;
  /** Told exactly once, also when the sandbox never came up. No frame comes after it. */
  readonly exit: (exit: SandboxExit) => void;
}

/** One running sandbox, as the pool holds it. */
export interface SandboxLink {
  send(type: number, run: number, header: string, segments?: readonly Segment[]): void;
  /** Looks a few microseconds long whether an answer is there already; frames go to the listener. */
  poll?(): void;
  /** Ends it at once, whatever it is doing. */
  kill(): void;
  /** Asks it to end by itself. */
  close(): void;
  /** Resident memory of the whole sandbox, where the system tells. */
  memoryBytes(): number | undefined;
  /** Whether the host process stays alive for it. */
  hold(held: boolean): void;
}

/**
 * A place where sandboxes run: an own process of this machine, or anything else that carries frames. What it must
 * keep is in `@nestbox/codemode/conformance`.
 */
export interface SandboxDriver {
  start(spec: SandboxSpec, events: SandboxEvents): SandboxLink;
}
