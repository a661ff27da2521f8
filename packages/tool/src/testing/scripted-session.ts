import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fauxProvider } from "@earendil-works/pi-ai/providers/faux";
import {
  InMemoryCredentialStore,
  type AssistantMessage,
  type Message,
  type ToolResultMessage,
} from "@earendil-works/pi-ai";
import {
  createAgentSession,
  DefaultResourceLoader,
  initTheme,
  ModelRuntime,
  SessionManager,
  SettingsManager,
  type AgentSession,
  type AgentSessionEvent,
  type CreateAgentSessionOptions,
  type ExtensionContext,
  type InlineExtension,
  type LoadExtensionsResult,
  type ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import { ToolError } from "../error.ts";
import { holdAgentDir, type AgentDirHold } from "./agent-dir.ts";
import { toStep, type ScriptedReply } from "./scripted-model.ts";
import { readCalls, type SessionCall } from "./session-calls.ts";
import { createScriptedUi, type ScriptedUi, type ScriptedUiAnswers } from "./scripted-ui.ts";

export interface ScriptedPiSessionOptions {
  /** Extensions, as functions of `pi`, loaded in this order. */
  readonly extensions?: readonly InlineExtension[];
  /** Extension files, loaded after them. */
  readonly extensionPaths?: readonly string[];
  readonly customTools?: readonly ToolDefinition[];
  /** Working folder. Default: an empty one, which is removed at the end. */
  readonly cwd?: string;
  /** Pi's folder of the user, with what the test put there. Default: an empty one, which is removed at the end. */
  readonly agentDir?: string;
  /** As in Pi's SDK: allow-list, deny-list, and what is on by default. */
  readonly tools?: readonly string[];
  readonly excludeTools?: readonly string[];
  readonly noTools?: "all" | "builtin";
  /** A scripted person. Without it there is no UI: `hasUI` is false. */
  readonly ui?: ScriptedUiAnswers;
  /** Default: `tui` with a UI, `print` without. */
  readonly mode?: ExtensionContext["mode"];
  /** Default: true. */
  readonly projectTrusted?: boolean;
  /** Entries to start from: a session that is resumed. Default: a new one in memory. */
  readonly sessionManager?: SessionManager;
  /** Any of Pi's settings, on top of: no retries, no compaction, no cache warming. */
  readonly settings?: Parameters<typeof SettingsManager.inMemory>[0];
}

export interface ScriptedPromptOptions {
  /** The person presses Escape at the first event for which this is true. */
  readonly abortWhen?: (event: AgentSessionEvent) => boolean;
}

/** A real Pi session whose model is a script. Dispose of it, or declare it with `await using`. */
export interface ScriptedPiSession extends AsyncDisposable {
  readonly session: AgentSession;
  readonly cwd: string;
  /** Pi's folder for this session alone; never the user's. Extensions find it with `getAgentDir()`. */
  readonly agentDir: string;
  /** Everything that Pi emitted, in order. */
  readonly events: readonly AgentSessionEvent[];
  /** Errors of extensions: while loading, and in handlers. */
  readonly errors: readonly { readonly source: string; readonly event?: string; readonly message: string }[];
  /** What Pi loaded, for `findRouteClashes`. */
  readonly extensions: LoadExtensionsResult["extensions"];
  /** The scripted person, when there is one. */
  readonly ui: ScriptedUi | undefined;
  /**
   * Sends a user's message and plays the replies, one for each turn. Resolves when the run is over. Rejects with a
   * `ToolError` (`bad-script`) when a turn finds no reply, or when replies are left and the run was not aborted.
   */
  prompt(text: string, replies: readonly ScriptedReply[], options?: ScriptedPromptOptions): Promise<void>;
  /** Every call of every depth in the order of its start: what an audit would hold. */
  calls(): readonly SessionCall[];
  /** The messages of the session, as they are stored. */
  transcript(): readonly Message[];
  /** The results that the model read, in the order of the transcript. */
  toolResults(): readonly ToolResultMessage[];
  /** The text of one result; throws when there is none. Default: the last. */
  resultText(toolCallId?: string): string;
  /** The records of nested calls by the id of the calling tool (contract A17). */
  nestedCalls(): ReadonlyMap<string, NonNullable<ToolResultMessage["nestedCalls"]>>;
  /** The tools that are active now, by name. */
  activeTools(): readonly string[];
  /** Ends the session as Pi does when it quits, and removes every folder that was made. */
  dispose(): Promise<void>;
}

/**
 * Starts a real Pi session with extensions, tools and handlers, and a script in place of the model. Touches no
 * network, no settings and no credentials of the user: Pi's folder is a new one or that of the test, everything else is
 * in memory.
 *
 * `PI_CODING_AGENT_DIR` names that folder until the session is disposed of, so that extensions write there, too. Where
 * sessions of one process overlap, they start one after the other, each with its own; what looks the folder up later
 * finds that of the session that was started or prompted last.
 */
export async function scriptedPiSession(options: ScriptedPiSessionOptions = {}): Promise<ScriptedPiSession> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "nestbox-pi-")));
  const remove = () => rm(root, { recursive: true, force: true, maxRetries: 3 });
  let hold: AgentDirHold | undefined;
  try {
    const agentDir = options.agentDir ?? (await makeFolder(root, "agent-"));
    const held = (hold = await holdAgentDir(agentDir));
    return await start(options, { root, agentDir, hold, end: () => (held.release(), remove()) });
  } catch (error) {
    hold?.release();
    await remove();
    throw error;
  } finally {
    hold?.started();
  }
}

interface Place {
  readonly root: string;
  readonly agentDir: string;
  readonly hold: AgentDirHold;
  readonly end: () => Promise<void>;
}

async function start(
  options: ScriptedPiSessionOptions,
  { root, agentDir, hold, end }: Place,
): Promise<ScriptedPiSession> {
  const cwd = options.cwd ?? (await makeFolder(root, "project-"));
  const settingsManager = SettingsManager.inMemory(
    { retry: { enabled: false }, compaction: { enabled: false }, cacheWarming: "off", ...options.settings },
    { projectTrusted: options.projectTrusted ?? true },
  );
  const faux = fauxProvider();
  const modelRuntime = await ModelRuntime.create({
    credentials: new InMemoryCredentialStore(),
    modelsPath: null,
    allowModelNetwork: false,
    refreshOnCreate: false,
  });
  modelRuntime.registerNativeProvider(faux.provider);
  const resourceLoader = new DefaultResourceLoader({
    cwd,
    agentDir,
    settingsManager,
    extensionFactories: [...(options.extensions ?? [])],
    additionalExtensionPaths: [...(options.extensionPaths ?? [])],
    noSkills: true,
    noPromptTemplates: true,
    noThemes: true,
    noContextFiles: true,
  });
  skipDiscovery(resourceLoader);
  await resourceLoader.reload();

  const { session, extensionsResult } = await createAgentSession({
    cwd,
    agentDir,
    modelRuntime,
    model: faux.getModel(),
    thinkingLevel: "off",
    resourceLoader,
    settingsManager,
    sessionManager: options.sessionManager ?? SessionManager.inMemory(cwd),
    ...sdkTools(options),
  });
  const events: AgentSessionEvent[] = [];
  const errors: { source: string; event?: string; message: string }[] = extensionsResult.errors.map(
    ({ path, error }) => ({ source: path, message: error }),
  );
  session.subscribe((event) => void events.push(event));
  // The theme of a scripted person's terminal; Pi keeps one for the whole process.
  if (options.ui !== undefined) initTheme("dark");
  const ui =
    options.ui === undefined
      ? undefined
      : createScriptedUi(options.ui, session.extensionRunner.getUIContext());
  await session.bindExtensions({
    ...(ui === undefined ? {} : { uiContext: ui.context }),
    mode: options.mode ?? (ui === undefined ? "print" : "tui"),
    onError: ({ extensionPath, event, error }) =>
      void errors.push({ source: extensionPath, event, message: error }),
  });

  let count = 0;
  const nextId = () => `call-${(count += 1)}`;
  let disposed = false;
  const transcript = (): Message[] =>
    session.sessionManager
      .getBranch()
      .flatMap((entry) => (entry.type === "message" ? [entry.message as Message] : []));
  const toolResults = () =>
    transcript().flatMap((message) => (message.role === "toolResult" ? [message] : []));

  const scripted: ScriptedPiSession = {
    session,
    cwd,
    agentDir,
    events,
    errors,
    extensions: extensionsResult.extensions,
    ui,
    transcript,
    toolResults,
    activeTools: () => session.getActiveToolNames(),
    calls: () => readCalls(events),
    async prompt(text, replies, { abortWhen } = {}) {
      hold.use();
      faux.setResponses(replies.map((reply) => toStep(reply, nextId)));
      const [seen, stored] = [events.length, transcript().length];
      let aborted = false;
      const unsubscribe = session.subscribe((event) => {
        if (aborted || abortWhen?.(event) !== true) return;
        aborted = true;
        void session.abort();
      });
      try {
        await session.prompt(text);
      } finally {
        unsubscribe();
      }
      const failed = transcript().slice(stored).find(isFailure);
      if (failed !== undefined)
        throw new ToolError("bad-script", `The scripted model failed: ${failed.errorMessage}`);
      const left = faux.getPendingResponseCount();
      aborted ||= events.slice(seen).some((event) => event.type === "agent_settled" && event.aborted);
      if (left > 0 && !aborted)
        throw new ToolError("bad-script", `${left} of ${replies.length} replies were not used.`);
    },
    resultText(toolCallId) {
      const results = toolResults();
      const result =
        toolCallId === undefined
          ? results.at(-1)
          : results.find((message) => message.toolCallId === toolCallId);
      if (result === undefined)
        throw new ToolError("bad-script", `No result of ${toolCallId ?? "any call"}.`);
      return result.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    },
    nestedCalls: () =>
      new Map(
        toolResults().flatMap(({ toolCallId, nestedCalls }) =>
          nestedCalls === undefined ? [] : [[toolCallId, nestedCalls] as const],
        ),
      ),
    async dispose() {
      if (disposed) return;
      disposed = true;
      try {
        await session.abort();
        await session.extensionRunner.emit({ type: "session_shutdown", reason: "quit" });
      } finally {
        session.dispose();
        await end();
      }
    },
    [Symbol.asyncDispose]: () => scripted.dispose(),
  };
  return scripted;
}

function isFailure(message: Message): message is AssistantMessage {
  return message.role === "assistant" && message.stopReason === "error";
}

function sdkTools(options: ScriptedPiSessionOptions): Partial<CreateAgentSessionOptions> {
  return {
    ...(options.customTools === undefined ? {} : { customTools: [...options.customTools] }),
    ...(options.tools === undefined ? {} : { tools: [...options.tools] }),
    ...(options.excludeTools === undefined ? {} : { excludeTools: [...options.excludeTools] }),
    ...(options.noTools === undefined ? {} : { noTools: options.noTools }),
  };
}

function makeFolder(root: string, prefix: string): Promise<string> {
  return mkdtemp(join(root, prefix));
}

/** Pi's loader would list the user's own resources before it leaves them out: it finds none instead. */
function skipDiscovery(loader: DefaultResourceLoader): void {
  // Private to Pi. Where it is gone, Pi lists those folders and the session works all the same.
  const manager: unknown = Reflect.get(loader, "packageManager");
  if (typeof manager !== "object" || manager === null) return;
  Reflect.set(manager, "resolve", () =>
    Promise.resolve({ extensions: [], skills: [], prompts: [], themes: [], installFailures: [] }),
  );
}
