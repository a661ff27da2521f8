import type { RunnableTool } from "./definition.ts";
import type { JsonObject } from "./json.ts";
import type { ToolResult, ToolUpdateCallback } from "./result.ts";

/** A tool as the one who may call it sees it: no `execute`, so that nobody skips validation and the gate. */
export type CallableTool = Pick<
  RunnableTool,
  | "name"
  | "label"
  | "description"
  | "parameters"
  | "outputSchema"
  | "exposure"
  | "namespace"
  | "annotations"
  | "promptGuidelines"
>;

export interface ToolCallOptions {
  /** Combined with the caller's own signal; it never replaces it. */
  readonly signal?: AbortSignal;
  /** Partial results of the nested tool. */
  readonly onUpdate?: ToolUpdateCallback;
}

/** How one nested call ended (contract A19): never a rejection for a tool's failure. */
export interface ToolCallOutcome {
  readonly toolCall: {
    readonly type: "toolCall";
    readonly id: string;
    readonly name: string;
    readonly arguments: JsonObject;
  };
  readonly result: ToolResult;
  readonly isError: boolean;
  /** Milliseconds `execute()` took; absent when the tool did not run. */
  readonly durationMs?: number;
  /** How a gate decided, where the host knows. */
  readonly decision?: CallDecision;
}

/** What stands on record of a decision: names only, so that it fits a log line. */
export interface CallDecision {
  readonly effect: "allow" | "ask" | "deny";
  /** Id of the deciding rule. */
  readonly rule: string;
  /** Layer of the deciding rule, for example `managed`, `user`, `project`, `built-in`. */
  readonly layer: string;
}

/** Tells when a person is being asked, so that clocks stop. */
export interface PauseSource {
  /** Calls `listener(true)` when waiting begins and `listener(false)` when it ends. Returns how to unsubscribe. */
  subscribe(listener: (paused: boolean) => void): () => void;
}

/**
 * The power to call other tools. Pi's tool context (`ctx`) and the `ToolHost` of `@nestbox/calls` both fit it
 * as they are.
 */
export interface ToolCaller {
  /** The tools that can be called, exposure applied. */
  readonly tools: readonly CallableTool[];
  executeTool(name: string, args: unknown, options?: ToolCallOptions): Promise<ToolCallOutcome>;
  readonly pauses?: PauseSource;
}
