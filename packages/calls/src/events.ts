import type { CallDecision, JsonValue, SchemaError, ToolResult, ToolUsage } from "@nestbox/tool";

/** Why a call that failed did so. */
export type CallFailure =
  /** No such tool, or not reachable for this caller. */
  | "not-found"
  /** Not JSON, or refused by the schema or by `prepareArguments`. */
  | "invalid-arguments"
  /** Blocked by a handler or by the gate. */
  | "denied"
  /** Threw, or returned `isError: true`. */
  | "failed"
  /** The signal was aborted, or the calling tool ended first. */
  | "cancelled"
  /** A limit of the host. */
  | "limit";

export interface ToolExecutionStart {
  readonly type: "tool_execution_start";
  readonly toolCallId: string;
  readonly toolName: string;
  /** As the caller gave them, as plain JSON. */
  readonly args: JsonValue;
  readonly parentToolCallId?: string;
}

export interface ToolExecutionUpdate {
  readonly type: "tool_execution_update";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: JsonValue;
  readonly partialResult: ToolResult;
  readonly parentToolCallId?: string;
}

export interface ToolExecutionEnd {
  readonly type: "tool_execution_end";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly result: ToolResult;
  readonly isError: boolean;
  /** Milliseconds `execute()` took; absent when the tool did not run. */
  readonly durationMs?: number;
  readonly parentToolCallId?: string;
  readonly decision?: CallDecision;
  readonly failure?: CallFailure;
  /** What the tool got, when a handler changed it after validation. */
  readonly ranWith?: JsonValue;
  /** The tool did not run: this is what the same call gave before below the same root call. */
  readonly cached?: true;
  /** Where `structuredContent` does not fit the tool's `outputSchema`. The tool has acted all the same. */
  readonly outputErrors?: readonly SchemaError[];
}

/** Something that is not a call went wrong and was ignored: a loadout hook, a result handler. */
export interface HostProblem {
  readonly type: "host_problem";
  readonly where: "prepare_loadout" | "tool_result" | "tool_call" | "gate";
  readonly toolName: string;
  readonly message: string;
}

export type HostEvent = ToolExecutionStart | ToolExecutionUpdate | ToolExecutionEnd | HostProblem;

/** Told of everything that happens. One that throws or rejects is ignored. */
export type HostListener = (event: HostEvent) => void;

/** Context of a handler. `signal` is the call's own, so that a dialog can close with it. */
export interface HandlerContext {
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly hasUI: false;
}

/** Before a call runs. A change to `input`, in place, is validated again before it runs. */
export interface ToolCallHandlerEvent {
  readonly type: "tool_call";
  readonly toolName: string;
  readonly toolCallId: string;
  readonly parentToolCallId?: string;
  input: Record<string, unknown>;
}

export interface ToolCallHandlerResult {
  readonly block?: boolean;
  readonly reason?: string;
  readonly terminate?: boolean;
}

export interface ToolResultHandlerEvent {
  readonly type: "tool_result";
  readonly toolName: string;
  readonly toolCallId: string;
  readonly parentToolCallId?: string;
  readonly input: JsonValue;
  content: ToolResult["content"];
  details: unknown;
  structuredContent?: JsonValue;
  isError: boolean;
  usage?: ToolUsage;
}

/** Replaces field by field. New `content` without `structuredContent` drops the old structured content. */
export interface ToolResultHandlerResult {
  readonly content?: ToolResult["content"];
  readonly details?: unknown;
  readonly structuredContent?: JsonValue;
  readonly isError?: boolean;
  readonly usage?: ToolUsage;
  readonly terminate?: boolean;
}

type MaybePromise<T> = T | Promise<T>;

/** The first that blocks has the last word; one that throws blocks. */
export type ToolCallHandler = (
  event: ToolCallHandlerEvent,
  context: HandlerContext,
) => MaybePromise<ToolCallHandlerResult | undefined | void>;

/** One that throws withholds the result: a redaction that fails must not let the secret through. */
export type ToolResultHandler = (
  event: ToolResultHandlerEvent,
  context: HandlerContext,
) => MaybePromise<ToolResultHandlerResult | undefined | void>;

export interface Handlers {
  readonly tool_call?: readonly ToolCallHandler[];
  readonly tool_result?: readonly ToolResultHandler[];
}
