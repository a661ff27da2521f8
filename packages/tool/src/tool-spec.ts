import type { Static } from "@earendil-works/pi-schema";
import type { ToolCaller } from "./caller.ts";
import type { ToolAnnotations, ToolExecutionMode, ToolExposure, ToolNamespace } from "./definition.ts";
import type { JsonValue } from "./json.ts";
import type { ToolResult, ToolUpdateCallback } from "./result.ts";

/** What `execute` gets as its fifth argument where a host has one: Pi's tool context fits it, and a `ToolHost`'s. */
export interface ToolContext extends ToolCaller {
  /** Working folder of the session. */
  readonly cwd: string;
}

/** The value type of a tool's structured content: that of `outputSchema`, or any JSON without one. */
export type StructuredOf<TOutput extends object | undefined> = TOutput extends object
  ? Static<TOutput>
  : JsonValue;

/** The same value, not to be changed: what an author may return for a type. */
export type DeepReadonly<T> = T extends readonly (infer TItem)[]
  ? readonly DeepReadonly<TItem>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** What `execute` may return as structured content. */
type Returned<TOutput extends object | undefined> = TOutput extends object
  ? DeepReadonly<Static<TOutput>>
  : JsonValue;

/** A result whose structured content is typed by `outputSchema`. */
export interface TypedResult<TDetails, TStructured> extends Omit<ToolResult<TDetails>, "structuredContent"> {
  readonly structuredContent?: TStructured;
}

/**
 * What an author writes. Every field of Pi's tool definition may stand here and is passed on untouched; those that
 * only Pi understands (renderers, loadout) have their types in `@nestbox/tool/pi`.
 *
 * `TContext` may be annotated at `execute`. The low-level agent has no context, so by default it can be missing.
 */
export interface ToolSpec<
  TParams extends object,
  TOutput extends object | undefined = undefined,
  TDetails = unknown,
  TContext = ToolContext | undefined,
> {
  /** 1 to 64 of `a-z`, `A-Z`, `0-9`, `_` and `-`. */
  readonly name: string;
  /** Default: the name. */
  readonly label?: string;
  /** When to call the tool, what it accepts, what it returns, what to use instead (contract A24). */
  readonly description: string;
  /** JSON Schema of the arguments: pi-schema's builders, TypeBox or a plain object. */
  readonly parameters: TParams;
  /** JSON Schema of `structuredContent`. A tool that declares it always returns it. */
  readonly outputSchema?: TOutput;
  /** Default: `direct`. */
  readonly exposure?: ToolExposure;
  readonly namespace?: ToolNamespace;
  readonly annotations?: ToolAnnotations;
  readonly defaultActive?: boolean;
  readonly executionMode?: ToolExecutionMode;
  readonly promptSnippet?: string;
  readonly promptGuidelines?: readonly string[];
  /** Repairs raw arguments before they are validated. */
  readonly prepareArguments?: (args: unknown) => Static<TParams>;
  readonly constrainedSampling?: unknown;
  readonly renderShell?: "default" | "self";
  readonly reachesTools?: (input: Record<string, unknown>) => "all" | readonly string[];
  readonly prepareLoadout?: (loadout: never) => unknown;
  readonly renderCall?: (...args: never) => unknown;
  readonly renderResult?: (...args: never) => unknown;
  /** Low-level agent: whether a call whose outcome is unknown may be repeated. */
  readonly replay?: "never" | "safe";
  readonly execute: (
    toolCallId: string,
    params: Static<TParams>,
    signal: AbortSignal | undefined,
    onUpdate: ToolUpdateCallback | undefined,
    context: TContext,
  ) => Promise<TypedResult<TDetails, Returned<TOutput>>>;
}

/** A tool as `defineTool` gives it: every field of the spec, a label, and an `execute` that keeps the promises. */
export interface DefinedTool<
  TParams extends object = object,
  TOutput extends object | undefined = object | undefined,
  TDetails = unknown,
  TContext = never,
> extends Omit<ToolSpec<TParams, TOutput, TDetails, TContext>, "execute"> {
  readonly label: string;
  readonly execute: (
    toolCallId: string,
    params: Static<TParams>,
    signal: AbortSignal | undefined,
    onUpdate: ToolUpdateCallback<TDetails> | undefined,
    context: TContext,
  ) => Promise<ToolResult<TDetails>>;
}
