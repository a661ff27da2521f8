import type { CallDecision } from "./caller.ts";
import type { ToolAnnotations, ToolExposure, ToolNamespace } from "./definition.ts";
import type { JsonObject } from "./json.ts";
import type { ToolResult } from "./result.ts";

/** Where a tool comes from; decides whether its annotations count. */
export type ToolSource =
  | { readonly kind: "builtin" }
  | { readonly kind: "extension"; readonly id?: string }
  | { readonly kind: "module"; readonly path?: string }
  | { readonly kind: "sdk" }
  | { readonly kind: "mcp"; readonly server: string };

/** One call, as a gate sees it before it runs. */
export interface CallRequest {
  readonly callId: string;
  /** The calls that led to this one, root first, without this one. */
  readonly chain: readonly { readonly callId: string; readonly toolName: string }[];
  readonly tool: {
    readonly name: string;
    readonly source?: ToolSource;
    readonly namespace?: ToolNamespace;
    readonly exposure?: ToolExposure;
    readonly annotations?: ToolAnnotations;
    /** JSON Schema of the arguments, for a second validation after other handlers. */
    readonly parameters?: object;
  };
  /** Plain JSON, validated; what will run if the gate allows it. */
  readonly input: JsonObject;
  /** Working folder of the call. */
  readonly cwd: string;
  readonly actor?: "agent" | "person";
  readonly signal?: AbortSignal;
}

/** The gate's last word: an `ask` was already put to a person (or denied, when there was none). */
export interface CallVerdict {
  readonly effect: "allow" | "deny";
  /** On record: `effect` is `ask` only while undecided, so here it is `allow` or `deny`. */
  readonly decision: CallDecision;
  /** What the model is told: the rule and one way out. */
  readonly reason: string;
}

/** Decides every call. An implementation never throws and never rejects; a host that meets one that does, denies. */
export interface CallGate {
  decide(request: CallRequest): Promise<CallVerdict>;
  /** Told how an allowed call ended, for batches, loops and the audit. */
  settled?(request: CallRequest, end: CallEnd): void;
}

/** How an allowed call ended. */
export interface CallEnd {
  readonly isError: boolean;
  readonly durationMs?: number;
  /** What it gave, to tell whether the same call gives the same again; never kept. Absent when it did not run. */
  readonly result?: Pick<ToolResult, "content" | "structuredContent">;
}
