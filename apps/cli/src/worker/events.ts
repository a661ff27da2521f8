/** How a worker let go of one part of a run: of what it carried on without a break. */
export type PartEnd =
  | { readonly kind: "ended"; readonly outcome: RunOutcome }
  /** It waits for people or for a timer, and nothing of it is left here. */
  | { readonly kind: "parked" }
  /** It cannot go on by itself; `why` names no argument and no result. */
  | { readonly kind: "halted"; readonly why: HaltReason }
  /** Another worker has it now, or will. */
  | { readonly kind: "released" };

/** Kinds of errors of a script, `ok`, or `unknown` where the engine did not say. */
export type RunOutcome =
  | "ok"
  | "script"
  | "timeout"
  | "memory"
  | "limit"
  | "aborted"
  | "policy"
  | "sandbox"
  | "unknown";

export type HaltReason = "changed" | "diverged" | "other";

export type CallOutcome =
  | "ok"
  | "error"
  | "denied"
  | "asked"
  | "cancelled"
  | "invalid-arguments"
  | "not-found"
  | "limit";

/** What happens in a worker, for its log and its metrics. Nothing that a script or a tool has said is in it. */
export type WorkerEvent =
  | { readonly type: "run.begun"; readonly runId: string; readonly resumed: boolean }
  | {
      readonly type: "run.let-go";
      readonly runId: string;
      readonly end: PartEnd;
      /** `undefined`: nothing of it was run here, it only ended. */
      readonly durationMs: number | undefined;
    }
  | { readonly type: "isolate.taken"; readonly waitedMs: number }
  | { readonly type: "isolate.free" }
  | {
      readonly type: "call.ended";
      readonly toolName: string;
      readonly outcome: CallOutcome;
      /** `undefined`: the tool did not run. */
      readonly durationMs: number | undefined;
    }
  | { readonly type: "decision"; readonly effect: "allow" | "ask" | "deny" };

export type WorkerListener = (event: WorkerEvent) => void;
