import type { ExtensionAPI, ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { createToolHost, type HostEvent, type HostTool, type ToolHost } from "@nestbox/calls";

import { createPiTools, toHostTool } from "./pi-tools.ts";
import type { GuardedRun } from "./policy-guard.ts";

export interface HandHostOptions {
  readonly pi: Pick<ExtensionAPI, "getAllTools" | "getActiveTools" | "getSettings">;
  /** The command's context: tools get it with the power to call others. */
  readonly context: ExtensionContext;
  /** The tools that this extension brought into the session. */
  readonly own: ReadonlyMap<string, ToolDefinition>;
  /** Undefined: the policy is switched off. */
  readonly guard: GuardedRun | undefined;
  readonly onEvent: (event: HostEvent) => void;
  /** Told of every call before it is judged, in the call's own async context. */
  readonly onCall: (callId: string) => void;
  /** The tool that the run begins with; callable although the session does not have it active. */
  readonly root: string;
}

/**
 * A host over Nestbox's tools and Pi's own, for a run that no model began. A tool of another extension cannot be
 * reached from a command: Pi hands its definition to nobody. It stands in the host all the same, found by search, and
 * its call says whose it is.
 */
export function createHandHost(options: HandHostOptions): ToolHost {
  const { pi, context, own, guard, root } = options;
  const builtin = createPiTools(context.cwd, pi.getSettings());
  const active = pi.getActiveTools();
  const unreachable = new Map<string, string>();
  const host = createToolHost({
    cwd: context.cwd,
    ...(guard === undefined ? {} : { gate: guard.gate }),
    handlers: {
      tool_call: [
        ({ toolName, toolCallId }) => {
          options.onCall(toolCallId);
          const reason = unreachable.get(toolName);
          return reason === undefined ? undefined : { block: true, reason };
        },
      ],
      ...(guard === undefined ? {} : guard.handlers),
    },
    onEvent(event) {
      guard?.onEvent(event);
      options.onEvent(event);
    },
  });
  for (const info of pi.getAllTools()) {
    const { source, path } = info.sourceInfo;
    const ours = own.get(info.name);
    const found =
      ours === undefined ? (source === "builtin" ? builtin.get(info.name) : undefined) : toHostTool(ours);
    if (found !== undefined) {
      host.register(inContext(found, context), {
        source: ours === undefined ? { kind: "builtin" } : { kind: "extension", id: path },
      });
      continue;
    }
    const reachable =
      info.exposure === "codemode" ||
      info.exposure === "deferred" ||
      (info.exposure === "direct" && active.includes(info.name));
    if (!reachable) continue;
    const why = `Tool ${info.name} belongs to ${path}. A command reaches Nestbox's tools and Pi's own only: ask the model to run the script.`;
    unreachable.set(info.name, why);
    host.register(
      {
        name: info.name,
        description: `Cannot be reached from a command: belongs to ${path}. ${info.description}`,
        parameters: {},
        exposure: "deferred",
        ...(info.namespace === undefined ? {} : { namespace: info.namespace }),
        execute: () => Promise.reject(new Error(why)),
      },
      { source: { kind: "extension", id: path } },
    );
  }
  host.setActiveTools([...active, root]);
  return host;
}

/** Tools of an extension expect Pi's context; the host's own gives the power to call and the place in the tree. */
function inContext(tool: HostTool, context: ExtensionContext): HostTool {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the arguments are validated by the host
  const execute = tool.execute as (...args: unknown[]) => ReturnType<HostTool["execute"]>;
  return {
    ...tool,
    execute: (callId: string, params: unknown, signal: unknown, onUpdate: unknown, calling: object) =>
      execute(
        callId,
        params,
        signal,
        onUpdate,
        Object.create(context, Object.getOwnPropertyDescriptors(onlyCalling(calling))),
      ),
  };
}

function onlyCalling(calling: object): object {
  const read = (key: string): unknown => Reflect.get(calling, key);
  return {
    get tools() {
      return read("tools");
    },
    executeTool: read("executeTool"),
    signal: read("signal"),
    toolCallId: read("toolCallId"),
    pauses: read("pauses"),
  };
}
