import { randomUUID } from "node:crypto";

import type { ExtensionContext, ExtensionUIContext } from "@earendil-works/pi-coding-agent";

import { needsPi } from "./outside-pi.ts";

export interface ContextOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** What the extension tells a person. */
  readonly notify: (message: string) => void;
}

/**
 * Pi's context as far as it goes without a session: nobody to ask, no model, no trust, no entries. What needs more says
 * so when it is used.
 */
export function createExtensionContext({ cwd, signal, notify }: ContextOptions): ExtensionContext {
  const present = {
    ui: silentUi(notify),
    sessionManager: emptySession(cwd),
    get modelRegistry(): never {
      return needsPi("ctx.modelRegistry")();
    },
    mode: "print",
    hasUI: false,
    cwd,
    signal,
    model: undefined,
    scopedModels: [],
    isIdle: () => true,
    isProjectTrusted: () => false,
    hasPendingMessages: () => false,
    getContextUsage: () => undefined,
    getSystemPrompt: () => "",
    abort: needsPi("ctx.abort"),
    shutdown: needsPi("ctx.shutdown"),
    compact: needsPi("ctx.compact"),
  } satisfies Omit<ExtensionContext, "thinkingLevel">;
  return present;
}

/** A session in which nothing has happened, and whose entries nobody keeps. */
function emptySession(cwd: string): ExtensionContext["sessionManager"] {
  const id = randomUUID();
  const none = (): undefined => undefined;
  return {
    getCwd: () => cwd,
    getSessionDir: () => "",
    getSessionId: () => id,
    getSessionFile: none,
    getSessionName: none,
    getLeafId: () => null,
    getLeafEntry: none,
    getEntry: none,
    getLabel: none,
    getHeader: () => null,
    getBranch: () => [],
    getEntries: () => [],
    getTree: () => [],
    buildContextEntries: () => [],
    buildSessionProjection: needsPi("ctx.sessionManager.buildSessionProjection"),
  };
}

/** As Pi's own without a UI: a question has no answer, and what only draws does nothing. */
function silentUi(notify: (message: string) => void): ExtensionUIContext {
  const nothing = (): void => {};
  const unanswered = (): Promise<undefined> => Promise.resolve(undefined);
  const ui = {
    select: unanswered,
    confirm: () => Promise.resolve(false),
    input: unanswered,
    editor: unanswered,
    custom: unanswered,
    notify: (message: string) => notify(message),
    onTerminalInput: () => nothing,
    setStatus: nothing,
    setWorkingMessage: nothing,
    setWorkingVisible: nothing,
    setWorkingIndicator: nothing,
    setHiddenThinkingLabel: nothing,
    setWidget: nothing,
    setFooter: nothing,
    setHeader: nothing,
    setTitle: nothing,
    pasteToEditor: nothing,
    setEditorText: nothing,
    getEditorText: () => "",
    addAutocompleteProvider: nothing,
    setEditorComponent: nothing,
    getEditorComponent: () => undefined,
    getAllThemes: () => [],
    getTheme: () => undefined,
    setTheme: () => ({ success: false, error: "nestbox has no themes" }),
    getToolsExpanded: () => false,
    setToolsExpanded: nothing,
    // A theme cannot be made without Pi, and nothing is drawn.
    theme: undefined,
  } satisfies Record<keyof ExtensionUIContext, unknown>;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every member is there; what draws draws nothing
  return ui as unknown as ExtensionUIContext;
}
