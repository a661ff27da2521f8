/**
 * Pi's extension API as far as it goes without a session. Tools and the handlers around their calls work; what only
 * changes how Pi looks is accepted and does nothing; what would change a session is refused by name. The README
 * lists the members.
 */
import type { EventEmitter } from "node:events";

import type { ExtensionAPI, ExtensionContext, ExtensionFactory } from "@earendil-works/pi-coding-agent";
import type { HandlerContext, HostTool, RegisteredTool, ToolHost } from "@nestbox/calls";
import { runCommand } from "@nestbox/tool/node";

import { messageOf } from "@nestbox/tool";
import { UsageError } from "../usage-error.ts";
import { needsPi, OutsidePiError } from "./outside-pi.ts";

export interface ExtensionRunOptions {
  readonly host: ToolHost;
  /** As it was named, for messages. */
  readonly name: string;
  readonly file: string;
  readonly cwd: string;
  readonly context: ExtensionContext;
  readonly shared: SharedSession;
  readonly warn: (message: string) => void;
}

/** What stands for the session that the extensions of one command share. */
export interface SharedSession {
  readonly bus: EventEmitter;
  /** What extensions registered, by name: the very objects, which Pi gives back too. */
  readonly tools: Map<string, HostTool>;
  /** Before that, nobody can ask about it, as in Pi. */
  begun: boolean;
}

/** An extension that has been loaded, and not yet told that anything begins. */
export interface RunningExtension {
  /** Its `session_start` handlers. Never rejects. */
  start(): Promise<void>;
  /** Its `session_shutdown` handlers, for at most five seconds together. Never rejects. */
  shutdown(): Promise<void>;
}

type Handler = (event: object, context: unknown) => unknown;

/** How long a command waits for an extension that tidies up, in milliseconds. */
const SHUTDOWN_MS = 5_000;
const EXEC_BYTES = 16 * 1024 * 1024;

/** Runs the extension's own function. Throws `UsageError` for one that throws. */
export async function runExtension(
  factory: ExtensionFactory,
  options: ExtensionRunOptions,
): Promise<RunningExtension> {
  const { host, name, context, warn } = options;
  const handlers = new Map<string, Handler[]>();
  try {
    await factory(createApi(options, handlers));
  } catch (cause) {
    throw new UsageError(`--extension ${name}: it stopped while it was loaded: ${messageOf(cause)}`, {
      cause,
    });
  }
  const complain = (what: string, error: unknown): void =>
    warn(`--extension ${name}: ${what}: ${messageOf(error)}`);
  const stop = host.subscribe((event) => {
    // What a host tells of its own problems is not an event of Pi's.
    if (event.type === "host_problem") return;
    for (const handler of handlers.get(event.type) ?? []) {
      const heard = async (): Promise<void> => void (await handler(event, context));
      heard().catch((error: unknown) => complain(event.type, error));
    }
  });
  const tell = async (event: { readonly type: string }): Promise<void> => {
    for (const handler of Array.from(handlers.get(event.type) ?? [])) {
      try {
        await handler(event, context);
      } catch (error) {
        complain(event.type, error);
      }
    }
  };
  return {
    start: () => tell({ type: "session_start", reason: "startup" } as { type: string }),
    async shutdown() {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        warn(`--extension ${name}: session_shutdown has not ended within ${SHUTDOWN_MS / 1_000} s`);
        late.resolve();
      }, SHUTDOWN_MS);
      await Promise.race([
        tell({ type: "session_shutdown", reason: "quit" } as { type: string }),
        late.promise,
      ]);
      clearTimeout(timer);
      stop();
    },
  };
}

function createApi(options: ExtensionRunOptions, handlers: Map<string, Handler[]>): ExtensionAPI {
  const { host, name, file, cwd, context, shared, warn } = options;
  const source = { kind: "extension", id: file } as const;
  const flags = new Map<string, unknown>();
  const told = new Set<string>();
  const nothing = (): void => {};
  /** Accepted, because the extension's tools may do without; told once, because they may not. */
  const without = (member: string) => (): void => {
    if (told.has(member)) return;
    told.add(member);
    warn(`--extension ${name}: pi.${member} has no effect outside Pi`);
  };
  const begun = <TArgs extends unknown[], TResult>(member: string, answer: (...args: TArgs) => TResult) => {
    return (...args: TArgs): TResult => {
      if (!shared.begun)
        throw new OutsidePiError(`pi.${member} cannot be called while extensions are loaded.`);
      return answer(...args);
    };
  };
  const around = (handler: Handler) => (event: object, call: HandlerContext) =>
    // Pi's own handlers answer in the shape that the host takes.
    handler(event, Object.create(context, { signal: { value: call.signal } })) as never;
  const api = {
    registerTool(tool: HostTool) {
      host.register(withContext(tool, context), { source });
      shared.tools.set(tool.name, tool);
    },
    on(event: string, handler: Handler) {
      if (event === "tool_call") return host.on("tool_call", around(handler));
      if (event === "tool_result") return host.on("tool_result", around(handler));
      const list = handlers.get(event) ?? [];
      list.push(handler);
      handlers.set(event, list);
      return () => {
        const at = list.indexOf(handler);
        if (at >= 0) list.splice(at, 1);
      };
    },
    getAllTools: begun("getAllTools", () =>
      host.registered().map((tool) => infoOf(tool, shared.tools.get(tool.name))),
    ),
    getActiveTools: begun("getActiveTools", () => [...host.getActiveTools()]),
    setActiveTools: begun("setActiveTools", (names: readonly string[]) => host.setActiveTools(names)),
    registerFlag(flag: string, { default: value }: { readonly default?: unknown }) {
      flags.set(flag, value);
    },
    getFlag: (flag: string) => flags.get(flag),
    exec: (command: string, args: readonly string[], opts: Parameters<ExtensionAPI["exec"]>[2] = {}) =>
      execute(command, args, opts, cwd),
    events: {
      emit: (channel: string, data: unknown) => void shared.bus.emit(channel, data),
      on(channel: string, handler: (data: unknown) => unknown) {
        const listener = (data: unknown): void => {
          const heard = async (): Promise<void> => void (await handler(data));
          heard().catch((error: unknown) =>
            warn(`--extension ${name}: events:${channel}: ${messageOf(error)}`),
          );
        };
        shared.bus.on(channel, listener);
        return () => void shared.bus.off(channel, listener);
      },
    },
    // What a session would answer, when nothing was set.
    getSettings: begun("getSettings", () => ({})),
    getSessionName: begun("getSessionName", () => undefined),
    getCommands: begun("getCommands", () => []),
    getThinkingLevel: begun("getThinkingLevel", () => "off"),
    getMcpServers: () => [],
    // Nothing is drawn and nobody types.
    registerCommand: nothing,
    registerShortcut: nothing,
    registerMessageRenderer: nothing,
    registerMarkdownTransformer: nothing,
    registerEntryRenderer: nothing,
    registerToolRenderer: nothing,
    registerProvider: without("registerProvider"),
    unregisterProvider: nothing,
    registerMcpServer: without("registerMcpServer"),
    unregisterMcpServer: nothing,
    registerVirtualModel: without("registerVirtualModel"),
    unregisterVirtualModel: nothing,
    sendMessage: needsPi("pi.sendMessage"),
    sendUserMessage: needsPi("pi.sendUserMessage"),
    appendEntry: needsPi("pi.appendEntry"),
    setSessionName: needsPi("pi.setSessionName"),
    setLabel: needsPi("pi.setLabel"),
    setModel: needsPi("pi.setModel"),
    setThinkingLevel: needsPi("pi.setThinkingLevel"),
  } satisfies Record<keyof ExtensionAPI, unknown>;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every member is there, checked just above
  return api as unknown as ExtensionAPI;
}

/** `registered` is there for a tool of an extension: its schema is the very object, by which extensions compare. */
function infoOf(tool: RegisteredTool, registered: HostTool | undefined): object {
  const { source, namespace, annotations, promptGuidelines } = tool;
  return {
    name: tool.name,
    description: tool.description,
    parameters: registered?.parameters ?? tool.parameters,
    exposure: tool.exposure,
    ...(namespace === undefined ? {} : { namespace }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(promptGuidelines === undefined ? {} : { promptGuidelines }),
    sourceInfo: {
      path: source.kind === "extension" ? (source.id ?? "") : source.kind,
      source: source.kind === "extension" ? "local" : source.kind,
      scope: "temporary",
      origin: "top-level",
    },
  };
}

/** Tools of an extension expect Pi's context; the host's own gives the power to call and the place in the tree. */
function withContext(tool: HostTool, context: ExtensionContext): HostTool {
  // The host refuses it, and says why.
  if (typeof tool.execute !== "function") return tool;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the arguments are validated by the host
  const execute = tool.execute as (...args: unknown[]) => ReturnType<HostTool["execute"]>;
  return {
    ...tool,
    execute: (callId: string, params: unknown, signal: unknown, onUpdate: unknown, calling: object) =>
      execute.call(tool, callId, params, signal, onUpdate, calledIn(context, calling)),
  };
}

function calledIn(context: ExtensionContext, calling: object): object {
  const {
    cwd: _cwd,
    hasUI: _hasUI,
    ...own
  } = Object.getOwnPropertyDescriptors<{ cwd?: unknown; hasUI?: unknown }>(calling);
  return Object.create(context, own);
}

async function execute(
  command: string,
  args: readonly string[],
  options: NonNullable<Parameters<ExtensionAPI["exec"]>[2]>,
  cwd: string,
): ReturnType<ExtensionAPI["exec"]> {
  const result = await runCommand(command, args, {
    cwd: options.cwd ?? cwd,
    envAllow: ["*"],
    maxBytes: options.maxBuffer ?? EXEC_BYTES,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout }),
  });
  const killed = result.kind === "timeout" || result.kind === "aborted";
  return {
    stdout: result.stdout,
    stderr: result.kind === "failed-to-start" ? result.message : result.stderr,
    code: result.kind === "exited" ? result.exitCode : killed ? 143 : 1,
    killed,
    truncated: result.truncated,
  };
}
