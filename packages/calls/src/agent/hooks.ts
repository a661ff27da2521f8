import type {
  AfterToolCallContext,
  AfterToolCallResult,
  Agent,
  AgentMessage,
  BeforeToolCallContext,
} from "@earendil-works/pi-agent-core";
import type { JsonObject, JsonValue, ToolResult } from "@nestbox/tool";
import { decide } from "../decide.ts";
import type {
  ToolCallHandler,
  ToolCallHandlerEvent,
  ToolResultHandler,
  ToolResultHandlerEvent,
} from "../events.ts";
import { runToolCallHandlers, runToolResultHandlers } from "../handlers.ts";
import type { HostCore } from "../host-core.ts";
import { validate } from "../prepare.ts";
import type { RootCalls } from "./root-calls.ts";

type AssistantMessage = BeforeToolCallContext["assistantMessage"];

/**
 * Lets the agent's own hooks see nested calls, and the host's handlers and gate see the calls of the model. Order:
 * the agent's `beforeToolCall`, the handlers, the gate; after the call the agent's `afterToolCall`, then the handlers.
 * Returns how to undo it.
 */
export function installHooks(agent: Agent, core: HostCore, rootCalls: RootCalls): () => void {
  const { beforeToolCall, afterToolCall } = agent;
  const handlersBefore = { call: [...core.toolCallHandlers], result: [...core.toolResultHandlers] };

  const hookContextOf = (
    event: Pick<ToolCallHandlerEvent | ToolResultHandlerEvent, "toolCallId" | "toolName" | "input">,
  ): BeforeToolCallContext => ({
    assistantMessage: lastAssistantMessage(agent),
    toolCall: {
      type: "toolCall",
      id: event.toolCallId,
      name: event.toolName,
      arguments: event.input as never,
    },
    args: event.input,
    context: contextOf(agent),
  });
  const before: ToolCallHandler = async (event, { signal }) => {
    if (beforeToolCall === undefined) return;
    return beforeToolCall(hookContextOf(event), signal);
  };
  const after: ToolResultHandler = async (event, { signal }) => {
    if (afterToolCall === undefined) return;
    const context: AfterToolCallContext = {
      ...hookContextOf(event),
      result: resultOf(event) as AfterToolCallContext["result"],
      isError: event.isError,
    };
    return readAfter(await afterToolCall(context, signal));
  };
  // First of all, so that nested calls meet the hooks in the order in which the model's calls do.
  replace(
    core.toolCallHandlers,
    beforeToolCall === undefined ? handlersBefore.call : [before, ...handlersBefore.call],
  );
  replace(
    core.toolResultHandlers,
    afterToolCall === undefined ? handlersBefore.result : [after, ...handlersBefore.result],
  );

  agent.beforeToolCall = async ({ toolCall, args }, signal) => {
    const registration = core.registry.get(toolCall.name);
    if (registration === undefined) return { block: true, reason: `Tool ${toolCall.name} not found` };
    const spec = rootCalls.specOf(toolCall.id, toolCall.name, toolCall.arguments);
    const own = spec.cancellation.child(signal);
    try {
      const handled = await runToolCallHandlers(core, spec, args as JsonObject, own);
      if (handled.kind === "aborted") return { block: true, reason: "Operation aborted" };
      if (handled.kind === "blocked")
        return { block: true, reason: handled.reason, terminate: handled.terminate };
      const valid = validate(core, registration, handled.input, toolCall.name);
      if (valid.kind === "invalid") return { block: true, reason: valid.message };
      // The agent runs the very object that it validated: what handlers changed has to be changed in it.
      rewrite(args, valid.input);
      const decided = await decide(core, spec, registration, valid.input, own);
      if (decided.kind === "aborted") return { block: true, reason: "Operation aborted" };
      if (decided.decision !== undefined) rootCalls.remember(toolCall.id, decided.decision);
      if (decided.kind === "deny") return { block: true, reason: decided.reason };
      rootCalls.approve(toolCall.id, decided);
      return undefined;
    } finally {
      own.release();
    }
  };
  agent.afterToolCall = async ({ toolCall, args, result, isError }, signal) => {
    const spec = rootCalls.specOf(toolCall.id, toolCall.name, args);
    const own = spec.cancellation.child(signal);
    try {
      const input = args as JsonValue;
      const handled = await runToolResultHandlers(
        core,
        spec,
        input,
        { result: result as ToolResult, isError },
        own,
      );
      const { content, details, structuredContent, usage, terminate } = handled.result;
      return {
        content: [...content],
        details,
        isError: handled.isError,
        ...(structuredContent === undefined ? {} : { structuredContent }),
        ...(usage === undefined ? {} : { usage }),
        ...(terminate === undefined ? {} : { terminate }),
      };
    } finally {
      own.release();
    }
  };

  return () => {
    agent.beforeToolCall = beforeToolCall;
    agent.afterToolCall = afterToolCall;
  };
}

function replace<T>(set: Set<T>, items: readonly T[]): void {
  set.clear();
  for (const item of items) set.add(item);
}

/** In the order of the source: what was approved is compared as text. */
function rewrite(target: unknown, source: JsonObject): void {
  if (typeof target !== "object" || target === null) return;
  for (const key of Object.keys(target)) Reflect.deleteProperty(target, key);
  for (const key of Object.keys(source)) {
    const value = structuredClone(source[key]);
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  }
}

function resultOf(event: ToolResultHandlerEvent): ToolResult {
  return {
    content: event.content,
    details: event.details,
    ...(event.structuredContent === undefined ? {} : { structuredContent: event.structuredContent }),
    ...(event.usage === undefined ? {} : { usage: event.usage }),
  };
}

function readAfter(answer: AfterToolCallResult | undefined): ReturnType<ToolResultHandler> {
  if (answer === undefined) return undefined;
  const { content, details, structuredContent, isError, usage, terminate } = answer;
  return {
    ...(content === undefined ? {} : { content }),
    ...(details === undefined ? {} : { details }),
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === undefined ? {} : { isError }),
    ...(usage === undefined ? {} : { usage }),
    ...(terminate === undefined ? {} : { terminate }),
  };
}

function contextOf(agent: Agent): BeforeToolCallContext["context"] {
  return { messages: agent.state.messages, tools: agent.state.tools };
}

/** The message that issued the call; for a call that no message issued (`host.call`), one that says nothing. */
function lastAssistantMessage(agent: Agent): AssistantMessage {
  const found = agent.state.messages.findLast((message: AgentMessage) => message.role === "assistant");
  if (found?.role === "assistant") return found;
  const { api, provider, id } = agent.state.model;
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: "assistant",
    content: [],
    api,
    provider,
    model: id,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost },
    stopReason: "toolUse",
    timestamp: Date.now(),
  };
}
