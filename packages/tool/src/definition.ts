import type { ToolResult, ToolUpdateCallback } from "./result.ts";

/**
 * How a tool is reached (contract A1). "Callable" means callable from other tools.
 *
 * - `direct`: declared to the model while active, callable while active.
 * - `model-only`: declared while active, never callable.
 * - `codemode`: callable whenever registered, listed to scripts, not declared unless activated.
 * - `deferred`: like `codemode`, but not listed; found by search.
 * - `hidden`: registered and unreachable.
 */
export type ToolExposure = "direct" | "model-only" | "codemode" | "deferred" | "hidden";

/** Hints with the meaning of MCP tool annotations: the author's assertion, never proof (contract A6). */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A group of related tools (contract A21). */
export interface ToolNamespace {
  readonly name: string;
  /** Other names under which `describeNamespace()` and a search find the namespace. */
  readonly aliases?: readonly string[];
  /** Heads the list that scripts see. */
  readonly description?: string;
  /** Longer guidance, not listed; read with `describeNamespace(name)`. */
  readonly instructions?: string;
}

export type ToolExecutionMode = "sequential" | "parallel";

/**
 * The part of a tool that every host understands. `TContext` is what the host hands to `execute` as the
 * fifth argument: Pi's extension context, a {@link ToolCallContext} in a `ToolHost`, nothing in the
 * low-level agent.
 */
export interface RunnableTool {
  readonly name: string;
  readonly label?: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: object;
  /** JSON Schema of `structuredContent`. */
  readonly outputSchema?: object;
  readonly exposure?: ToolExposure;
  readonly namespace?: ToolNamespace;
  readonly annotations?: ToolAnnotations;
  readonly defaultActive?: boolean;
  readonly executionMode?: ToolExecutionMode;
  readonly promptGuidelines?: readonly string[];
  readonly prepareArguments?: (args: unknown) => unknown;
  readonly execute: (
    toolCallId: string,
    // The arguments were validated against `parameters`, whose type this host-side view does not know.
    params: never,
    signal: AbortSignal | undefined,
    onUpdate: ToolUpdateCallback | undefined,
    context: never,
  ) => Promise<ToolResult>;
}
