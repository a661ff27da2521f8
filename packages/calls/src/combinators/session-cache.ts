import type { ToolCallOptions, ToolCallOutcome } from "@nestbox/tool";
import { cacheKey, createCallCache, type CallCache } from "../call-cache.ts";
import { createCallWatch } from "../call-watch.ts";
import { defaultLimits } from "../limits.ts";
import { readArguments } from "../read-arguments.ts";
import { isExecutionEvent, type ExecutionEvent } from "../trace/events.ts";
import type { CallerOf } from "./group.ts";

export interface SessionCacheOptions {
  /**
   * Whether a tool changes nothing by itself; asked by name, because events carry no annotations. A tool that only calls
   * others, such as `codemode`, changes nothing by itself: what it calls is seen.
   */
  readonly changesNothing: (toolName: string) => boolean;
  /** Outcomes kept below one root call. Default 256. */
  readonly maxEntries?: number;
  /** Characters of the strings and keys in an outcome above which it is not kept. Default 1 Mi. */
  readonly maxChars?: number;
  /** Calls followed at a time. With more than these, nothing is kept until they have ended. Default 10,000. */
  readonly maxRunning?: number;
}

/** `cached` for a host that others own, such as a Pi session: it follows every call of the session by its events. */
export interface SessionCache {
  /**
   * Takes every `tool_execution_*` event of the session, of nested calls too, before the call runs and before its caller
   * goes on, as handlers of an extension and listeners of a session do. Never throws.
   */
  readonly onEvent: (event: unknown) => void;
  /**
   * The same caller, which answers a repeated call with the outcome it had below the same root call, while nothing can
   * have changed since. `callId` is the running call whose caller it is. Such an answer makes no event, meets no handler
   * and no policy, and is not on record: so it is given only where the same chain of tools got it. A call that the
   * events have not told of gets nothing but its caller.
   */
  cached<O extends ToolCallOutcome>(caller: CallerOf<O>, callId: string): CallerOf<O>;
}

interface Running {
  readonly rootId: string;
  readonly name: string;
  readonly parent: Running | undefined;
  readonly over: (() => void) | undefined;
}

export function createSessionCache(options: SessionCacheOptions): SessionCache {
  const limits = {
    maxCachedResults: options.maxEntries ?? defaultLimits.maxCachedResults,
    maxCachedChars: options.maxChars ?? defaultLimits.maxCachedChars,
  };
  const maxRunning = options.maxRunning ?? 10_000;
  const watch = createCallWatch();
  const running = new Map<string, Running>();
  const roots = new Map<string, CallCache<ToolCallOutcome>>();
  /** Calls that run and did not fit. */
  let unfollowed = 0;

  const changesNothing = (name: string): boolean => {
    try {
      const answer: unknown = options.changesNothing(name);
      return answer === true;
    } catch {
      return false;
    }
  };

  const forget = (callId: string): void => {
    const call = running.get(callId);
    if (call === undefined) return;
    running.delete(callId);
    call.over?.();
    if (call.rootId === callId) roots.delete(callId);
  };

  const start = ({ toolCallId, toolName, parentToolCallId }: ExecutionEvent): void => {
    // An id that comes again: the end of the first was not told.
    forget(toolCallId);
    if (running.size >= maxRunning) {
      unfollowed++;
      return;
    }
    const parent = parentToolCallId === undefined ? undefined : running.get(parentToolCallId);
    running.set(toolCallId, {
      rootId: parent?.rootId ?? parentToolCallId ?? toolCallId,
      name: toolName,
      parent,
      over: changesNothing(toolName) ? undefined : watch.begin(toolCallId),
    });
  };

  const end = ({ toolCallId }: ExecutionEvent): void => {
    if (running.has(toolCallId)) forget(toolCallId);
    else if (unfollowed > 0) unfollowed--;
  };

  return {
    onEvent: (event) => {
      if (isExecutionEvent(event)) {
        if (event.type === "tool_execution_start") start(event);
        else if (event.type === "tool_execution_end") end(event);
      } else if (isRunEnd(event)) {
        for (const callId of running.keys()) forget(callId);
        roots.clear();
        unfollowed = 0;
      }
    },
    cached<O extends ToolCallOutcome>(caller: CallerOf<O>, callId: string): CallerOf<O> {
      const executeTool = async (name: string, args: unknown, callOptions?: ToolCallOptions): Promise<O> => {
        const call = running.get(callId);
        const tool = caller.tools.find((one) => one.name === name);
        const plain = readArguments(args ?? {}, { maxArgumentChars: 64 * 1024, maxArgumentDepth: 50 });
        if (
          call === undefined ||
          tool === undefined ||
          unfollowed > 0 ||
          !plain.ok ||
          callOptions?.signal?.aborted === true ||
          !changesNothing(name)
        )
          return caller.executeTool(name, args, callOptions);
        const cache = roots.get(call.rootId) ?? createCallCache<ToolCallOutcome>(limits, watch);
        // A root that has ended meanwhile is not kept alive by a call that it left behind.
        if (running.has(call.rootId)) roots.set(call.rootId, cache);
        const key = cacheKey([...pathOf(call), name], plain.value);
        const found = await cache.get(key, tool, callId, async () => {
          const outcome = await caller.executeTool(name, plain.value, callOptions);
          return { value: outcome, keep: outcome.isError || unfollowed > 0 ? undefined : outcome };
        });
        // What is kept is what this caller, or one like it, gave: an `O`.
        return found.value as O;
      };
      return {
        get tools() {
          return caller.tools;
        },
        executeTool,
        ...(caller.pauses === undefined ? {} : { pauses: caller.pauses }),
      };
    },
  };
}

/** The names of the tools from the root to a call. */
function pathOf(call: Running): readonly string[] {
  const path: string[] = [];
  for (let one: Running | undefined = call; one !== undefined; one = one.parent) path.push(one.name);
  return path.toReversed();
}

function isRunEnd(event: unknown): boolean {
  return typeof event === "object" && event !== null && "type" in event && event.type === "agent_end";
}
