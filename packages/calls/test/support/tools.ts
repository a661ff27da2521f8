import {
  createToolHost,
  type HostEvent,
  type HostTool,
  type ToolCallContext,
  type ToolHost,
  type ToolHostOptions,
} from "@nestbox/calls";
import type { JsonObject, ToolResult, ToolUpdateCallback, ToolUsage } from "@nestbox/tool";

export type Body = (
  params: JsonObject,
  context: ToolCallContext,
  extra: { readonly signal: AbortSignal; readonly onUpdate: ToolUpdateCallback; readonly toolCallId: string },
) => unknown;

/** A tool whose body is given; a string it returns becomes its text. */
export function tool(
  name: string,
  body: Body,
  more: Partial<Omit<HostTool, "execute" | "name">> = {},
): HostTool {
  const execute = async (
    toolCallId: string,
    params: JsonObject,
    signal: AbortSignal = AbortSignal.abort("no signal"),
    onUpdate: ToolUpdateCallback = () => {},
    context: never,
  ): Promise<ToolResult> => {
    const value = await body(params, context, { signal, onUpdate, toolCallId });
    // Bodies of tests return whatever a careless tool could.
    return (typeof value === "string" ? text(value) : value) as ToolResult;
  };
  return { name, description: `The ${name} tool.`, parameters: { type: "object" }, ...more, execute };
}

export function text(value: string, more: Partial<ToolResult> = {}): ToolResult {
  return { content: [{ type: "text", text: value }], details: {}, ...more };
}

export function textOf(result: ToolResult): string {
  return result.content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

export function usage(tokens: number): ToolUsage {
  return {
    input: tokens,
    output: tokens,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 2 * tokens,
    cost: { input: tokens, output: tokens, cacheRead: 0, cacheWrite: 0, total: 2 * tokens },
  };
}

/** A host with the given tools and a list of all its events. */
export function hostWith(
  tools: readonly HostTool[],
  options: Partial<ToolHostOptions> = {},
): { readonly host: ToolHost; readonly events: HostEvent[] } {
  const events: HostEvent[] = [];
  const host = createToolHost({ cwd: "/project", ...options, onEvent: (event) => events.push(event) });
  for (const one of tools) host.register(one);
  return { host, events };
}

/** Events in one line each: `start a/1 echo`. */
export function lines(events: readonly HostEvent[]): string[] {
  return events.map((event) => {
    if (event.type === "host_problem") return `problem ${event.where} ${event.toolName}`;
    return `${event.type.replace("tool_execution_", "")} ${event.toolCallId} ${event.toolName}`;
  });
}

/** A promise that is settled by hand. */
export function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
