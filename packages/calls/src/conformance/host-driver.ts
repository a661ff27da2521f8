import { createToolHost } from "../host.ts";
import type { ToolHostOptions } from "../host-parts.ts";
import type { ConformanceDriver } from "./driver.ts";

/** The driver of a `ToolHost`. */
export function createHostDriver(options: Partial<ToolHostOptions> = {}): ConformanceDriver {
  return {
    name: "ToolHost",
    side: "nestbox",
    async run({ tools, handlers, gate, calls, onEvent, onReady }) {
      const host = createToolHost({
        cwd: "/project",
        ...options,
        ...(gate === undefined ? {} : { gate }),
        handlers,
        onEvent,
      });
      for (const tool of tools) host.register(tool);
      const run = new AbortController();
      const declared = host.declared();
      onReady({
        register: (tool) => host.register(tool),
        getActiveTools: () => host.getActiveTools(),
        setActiveTools: (names) => host.setActiveTools(names),
        abort: () => run.abort(),
      });
      const batch = await host.batch(
        calls.map(({ id, name, args }) => ({ callId: id, name, args })),
        { signal: run.signal },
      );
      await host.close();
      return {
        declared,
        terminated: batch.terminate,
        results: batch.outcomes.map(({ toolCall, isError, result, nestedCalls, usage }) => ({
          toolCallId: toolCall.id,
          isError,
          content: result.content,
          ...(nestedCalls === undefined ? {} : { nestedCalls }),
          ...(usage === undefined ? {} : { usage }),
        })),
      };
    },
  };
}
