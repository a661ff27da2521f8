import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";

/** One dialog that a person was shown, and what they answered. */
export interface DialogRecord {
  readonly kind: "confirm" | "select" | "input" | "editor" | "custom";
  readonly title: string;
  readonly message?: string;
  readonly options?: readonly string[];
  /** `undefined`: dismissed, by the person or by the dialog's signal. */
  readonly answer: unknown;
  readonly dismissedBySignal: boolean;
}

/** What a dialog shows. */
export interface DialogQuestion {
  readonly title: string;
  readonly message?: string;
  readonly options?: readonly string[];
}

/** A fixed answer, a list that is used one by one, or a function of the question. */
export type Answers<T> = T | readonly T[] | ((question: DialogQuestion) => T | Promise<T>);

/** A scripted person. Without an answer left, a dialog is dismissed: `confirm` is false, the others undefined. */
export interface ScriptedUiAnswers {
  readonly confirm?: Answers<boolean>;
  readonly select?: Answers<string | undefined>;
  readonly input?: Answers<string | undefined>;
  readonly editor?: Answers<string | undefined>;
  /** What `custom()` resolves to; its component is not drawn. */
  readonly custom?: (() => unknown) | undefined;
}

export interface ScriptedUi {
  /** `typeAheadMs` says to whoever guards dialogs against typing ahead that no keyboard feeds this UI. */
  readonly context: ExtensionUIContext & { readonly typeAheadMs: 0 };
  /** In the order in which they were answered. */
  readonly dialogs: readonly DialogRecord[];
  readonly notifications: readonly { readonly message: string; readonly type: string }[];
  /** The latest text of each status line. */
  readonly status: ReadonlyMap<string, string>;
  /** The latest lines of each widget that was given as lines. */
  readonly widgets: ReadonlyMap<string, readonly string[]>;
  /** Dialogs that are open now. */
  readonly open: () => number;
}

/** An answer that never comes: the dialog stays open until its signal closes it. */
export const never = (): Promise<never> => new Promise<never>(() => {});

/** A UI for `bindExtensions` that answers from a script and records what was shown. `base` is Pi's own without UI. */
export function createScriptedUi(answers: ScriptedUiAnswers, base: ExtensionUIContext): ScriptedUi {
  const dialogs: DialogRecord[] = [];
  const notifications: { message: string; type: string }[] = [];
  const status = new Map<string, string>();
  const widgets = new Map<string, readonly string[]>();
  let open = 0;

  async function ask<T>(
    kind: DialogRecord["kind"],
    question: DialogQuestion,
    next: (question: DialogQuestion) => T | Promise<T>,
    dismissed: T,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    open += 1;
    const bySignal = Symbol("closed");
    const { promise, resolve } = Promise.withResolvers<typeof bySignal>();
    const close = () => resolve(bySignal);
    signal?.addEventListener("abort", close, { once: true });
    if (signal?.aborted === true) close();
    try {
      const answer = await Promise.race([promise, Promise.resolve(next(question))]);
      const closed = answer === bySignal;
      const given = closed ? dismissed : answer;
      dialogs.push({ kind, ...question, answer: closed ? undefined : given, dismissedBySignal: closed });
      return given;
    } finally {
      signal?.removeEventListener("abort", close);
      open -= 1;
    }
  }

  const confirm = answerer(answers.confirm, false);
  const select = answerer(answers.select, undefined);
  const input = answerer(answers.input, undefined);
  const editor = answerer(answers.editor, undefined);
  const context: ScriptedUi["context"] = {
    ...base,
    typeAheadMs: 0,
    get theme() {
      return base.theme;
    },
    confirm: (title, message, options) => ask("confirm", { title, message }, confirm, false, options?.signal),
    select: (title, choices, options) =>
      ask("select", { title, options: choices }, select, undefined, options?.signal),
    input: (title, placeholder, options) =>
      ask(
        "input",
        placeholder === undefined ? { title } : { title, message: placeholder },
        input,
        undefined,
        options?.signal,
      ),
    editor: (title, prefill) =>
      ask(
        "editor",
        prefill === undefined ? { title } : { title, message: prefill },
        editor,
        undefined,
        undefined,
      ),
    // The caller's type cannot be known to a script: it gets what the test gives.
    custom: <T>() => ask("custom", { title: "" }, () => answers.custom?.() as T, undefined as T, undefined),
    notify: (message, type) => void notifications.push({ message, type: type ?? "info" }),
    setStatus: (key, text) => void (text === undefined ? status.delete(key) : status.set(key, text)),
    setWidget: (key: string, content: unknown) => {
      if (Array.isArray(content)) widgets.set(key, content.map(String));
      else widgets.delete(key);
    },
  };
  return { context, dialogs, notifications, status, widgets, open: () => open };
}

function answerer<T>(
  answers: Answers<T> | undefined,
  dismissed: T,
): (question: DialogQuestion) => T | Promise<T> {
  if (answers === undefined) return () => dismissed;
  if (isFunction(answers)) return answers;
  if (!isList(answers)) return () => answers;
  const left = [...answers];
  return () => (left.length === 0 ? dismissed : left.shift()) ?? dismissed;
}

function isFunction<T>(answers: Answers<T>): answers is (question: DialogQuestion) => T | Promise<T> {
  return typeof answers === "function";
}

function isList<T>(answers: Answers<T>): answers is readonly T[] {
  return Array.isArray(answers);
}
