import type {
  CallGate,
  JsonObject,
  ToolContent,
  ToolResult,
  ToolUpdateCallback,
  ToolUsage,
} from "@nestbox/tool";
import type { Handlers } from "../events.ts";
import type { HostTool } from "../registry.ts";
import type { Control, ScenarioContext, ScenarioOutcome, ScenarioSetup } from "./driver.ts";

/** What a host did, in lines that can be compared and read. */
export interface Observation {
  /** `start C/1 leaf {"a":1}`, `call …` and `result …` for the handlers, `update …`, `end C/1 leaf ok "text"`. */
  readonly events?: readonly string[];
  /** `C ok "text"`, then one indented line a nested call, then usage. */
  readonly results?: readonly string[];
  /** What the scenario's tools noted themselves. */
  readonly notes?: readonly string[];
  readonly terminated?: boolean;
  /** What the model was told of, `name: description`. */
  readonly declared?: readonly string[];
}

/** What a scenario's tools and handlers are made with. */
export interface ScenarioTools {
  readonly note: (line: string) => void;
  /** Only while a call runs. */
  readonly control: () => Control;
}

export interface Scenario {
  readonly id: string;
  /** The promise. */
  readonly title: string;
  /** Lines of the contract, for example `A16`. */
  readonly contract: readonly string[];
  readonly tools: (kit: ScenarioTools) => readonly HostTool[];
  readonly handlers?: (kit: ScenarioTools) => Handlers;
  /** Only in hosts that have a gate; Pi has none. */
  readonly gate?: (kit: ScenarioTools) => CallGate;
  readonly calls: ScenarioSetup["calls"];
  /** What has to be observed; only the given parts are compared. */
  readonly expect: Observation;
  /** A defect of Pi 1.6.0 that others do better than. `expect` is the better side. */
  readonly difference?: {
    readonly why: string;
    /** What Pi does, or `skip` when running it would end the process. */
    readonly pi: Observation | "skip";
  };
}

export type ScenarioBody = (
  params: JsonObject,
  context: ScenarioContext,
  extra: { readonly signal: AbortSignal; readonly onUpdate: ToolUpdateCallback; readonly toolCallId: string },
) => unknown;

/** A tool of a scenario: a string that the body returns becomes the text of its result. */
export function scenarioTool(
  name: string,
  body: ScenarioBody,
  more: Partial<Omit<HostTool, "name" | "execute">> = {},
): HostTool {
  const execute: HostTool["execute"] = async (
    toolCallId: string,
    params: JsonObject,
    signal: AbortSignal | undefined,
    onUpdate: ToolUpdateCallback | undefined,
    context: ScenarioContext,
  ) => {
    const value = await body(params, context, {
      signal: signal ?? new AbortController().signal,
      onUpdate: onUpdate ?? (() => {}),
      toolCallId,
    });
    return typeof value === "string" ? textResult(value) : (value as ToolResult);
  };
  return {
    name,
    label: name,
    description: `The ${name} tool.`,
    parameters: { type: "object" },
    ...more,
    execute,
  };
}

export function textResult(text: string, more: Partial<ToolResult> = {}): ToolResult {
  return { content: [{ type: "text", text }], details: {}, ...more };
}

/** The text of a result or an outcome. */
export function textIn(value: ScenarioOutcome | { readonly content: readonly ToolContent[] }): string {
  const content = "result" in value ? value.result.content : value.content;
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

/** `ok "text"` or `error "text"`. */
export function outcomeLine(outcome: ScenarioOutcome): string {
  return `${outcome.isError ? "error" : "ok"} ${JSON.stringify(textIn(outcome))}`;
}

/** A usage of so many input tokens, at one dollar a token. */
export function spent(tokens: number): ToolUsage {
  return {
    input: tokens,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: tokens,
    cost: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, total: tokens },
  };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
