import type { JsonValue } from "./json.ts";

export interface TextContent {
  readonly type: "text";
  readonly text: string;
}

export interface ImageContent {
  readonly type: "image";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

export type ToolContent = TextContent | ImageContent;

/** Token counts and cost in USD that a tool spent itself; Pi's `Usage` fits it. */
export interface ToolUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The part of `cacheWrite` that is kept for an hour, where the provider tells it. */
  readonly cacheWrite1h?: number;
  /** The part of `output` that was spent on thinking, where the provider tells it. */
  readonly reasoning?: number;
  readonly totalTokens: number;
  readonly cost: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly total: number;
    /** `total` is what the provider says it bills, no estimate from a price list. Absent: an estimate. */
    readonly totalFromProvider?: boolean;
  };
}

/** What `execute` resolves to: Pi's tool result. */
export interface ToolResult<TDetails = unknown> {
  /** What the model reads. */
  readonly content: ToolContent[];
  /** Data for rendering and logs. */
  readonly details: TDetails;
  /** Data for scripts and orchestrators; matches the tool's `outputSchema` (contract A9). */
  readonly structuredContent?: JsonValue;
  readonly usage?: ToolUsage;
  /** A failure with data (contract A10). Failure without data: throw. */
  readonly isError?: boolean;
  /** Asks to end the follow-up; needs every tool of the batch to agree (contract A13). */
  readonly terminate?: boolean;
}

/** Receives a complete partial result (contract B4). */
export type ToolUpdateCallback<TDetails = unknown> = (partial: ToolResult<TDetails>) => void;
