import type { AgentTool } from "@earendil-works/pi-agent-core";
import type {
  ExtensionAPI,
  ExtensionFactory,
  ToolDefinition,
  ToolInfo,
} from "@earendil-works/pi-coding-agent";
import type { RunnableTool, ToolExposure } from "../definition.ts";
import { ToolError } from "../error.ts";
import { checkToolNames } from "../name.ts";
import { reportClashes } from "./clashes.ts";

export interface AgentToolOptions {
  /** Handed to every `execute` as its fifth argument, which the low-level agent does not have. */
  readonly context?: unknown;
}

/**
 * Route 1: a tool for the low-level agent (`Agent`, `agentLoop`), whose `execute` takes four arguments. That agent
 * knows no exposure and declares every tool it gets, so a tool that should not be declared is refused. Throws a
 * `ToolError` with code `wrong-route`.
 */
export function toAgentTool(tool: RunnableTool, options: AgentToolOptions = {}): AgentTool {
  const exposure = tool.exposure ?? "direct";
  if (!isDeclared(exposure)) {
    const why = `Tool "${tool.name}" has the exposure ${exposure}, and the low-level agent declares every tool it gets.`;
    throw new ToolError("wrong-route", `${why} Leave it out, or use a Pi session.`);
  }
  return {
    ...asPi(tool),
    // The agent validates the arguments, and the context is what the caller of this function hands in.
    execute: (toolCallId, params, signal, onUpdate) =>
      asPi(tool).execute(toolCallId, params, signal, onUpdate, options.context as never),
  };
}

/**
 * Route 1 for several tools: leaves out those that would not be declared, and checks the names of all together.
 * Throws a `ToolError` with code `bad-name`.
 */
export function toAgentTools(tools: readonly RunnableTool[], options: AgentToolOptions = {}): AgentTool[] {
  const declared = tools.filter(
    (tool) => isDeclared(tool.exposure ?? "direct") && tool.defaultActive !== false,
  );
  checkToolNames(declared.map(({ name }) => name));
  return declared.map((tool) => toAgentTool(tool, options));
}

/** Route 2: an entry of the SDK's `customTools`. The definition itself, every field untouched. */
export function toCustomTool(tool: RunnableTool): ToolDefinition {
  return asPi(tool);
}

/** Route 2 for several tools, with their names checked together. Throws a `ToolError` with code `bad-name`. */
export function toCustomTools(tools: readonly RunnableTool[]): ToolDefinition[] {
  checkToolNames(tools.map(({ name }) => name));
  return tools.map(asPi);
}

export interface RegisterToolsOptions {
  /** How a message about a clash calls this extension. Default: `this extension`. */
  readonly owner?: string;
}

/**
 * Route 3: registers tools from inside an extension. When the session starts, every name that another owner took is
 * told with both owners, as an error of this extension (contract B1). Called later, it throws that error itself: a
 * `ToolError` with code `name-clash`.
 */
export function registerTools(
  pi: ExtensionAPI,
  tools: readonly RunnableTool[],
  { owner = "this extension" }: RegisterToolsOptions = {},
): void {
  checkToolNames(tools.map(({ name }) => name));
  const definitions = tools.map(asPi);
  for (const definition of definitions) pi.registerTool(definition);
  pi.on("session_start", () => reportClashes(definitions, pi.getAllTools(), owner));
  // Registered late, from a handler: the session has started already.
  const present = toolsOfSession(pi);
  if (present !== undefined) reportClashes(definitions, present, owner);
}

/** Route 3 as an extension of its own. */
export function toolExtension(
  tools: readonly RunnableTool[],
  options: RegisterToolsOptions = {},
): ExtensionFactory {
  return (pi) => registerTools(pi, tools, options);
}

/** Takes a tool back: Pi cannot unregister one, so it is registered again as `hidden` (contract A2). */
export function withdrawTool(pi: ExtensionAPI, tool: RunnableTool): void {
  pi.registerTool({ ...asPi(tool), exposure: "hidden" });
}

/**
 * Which of these tools the session does not have, because its allow-list or deny-list left them out (contract B13).
 * Ask when the session has started.
 */
export function missingTools(
  pi: Pick<ExtensionAPI, "getAllTools">,
  names: readonly string[],
): readonly string[] {
  const there = new Set(pi.getAllTools().map(({ name }) => name));
  return names.filter((name) => !there.has(name));
}

/** `undefined` while extensions load, when Pi has no session to ask. */
function toolsOfSession(pi: ExtensionAPI): ToolInfo[] | undefined {
  try {
    return pi.getAllTools();
  } catch {
    return undefined;
  }
}

function isDeclared(exposure: ToolExposure): boolean {
  return exposure === "direct" || exposure === "model-only";
}

/** The same object where it has a label. Our fields are Pi's, read-only and with the parameter types forgotten. */
function asPi(tool: RunnableTool): ToolDefinition {
  const labelled = tool.label === undefined ? { ...tool, label: tool.name } : tool;
  return labelled as unknown as ToolDefinition;
}
