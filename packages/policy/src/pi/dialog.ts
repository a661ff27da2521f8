import type { ApprovalAnswer, ApprovalPrompt, Approver, Remember } from "../gate/approver.ts";
import { PI_DIALOGS } from "./peers.ts";

/** What is used of Pi's dialogs. */
export interface DialogUi {
  select(
    title: string,
    options: string[],
    dialog?: { signal?: AbortSignal; timeout?: number },
  ): Promise<string | undefined>;
  input(
    title: string,
    placeholder?: string,
    dialog?: { signal?: AbortSignal; timeout?: number },
  ): Promise<string | undefined>;
  editor(title: string, prefill?: string): Promise<string | undefined>;
  /** A UI that no keyboard feeds says 0: nothing was typed ahead of its answers. */
  readonly typeAheadMs?: number;
}

export interface DialogApproverOptions {
  /** The dialogs of the session as it is now; undefined when there is no UI. */
  readonly ui: () => DialogUi | undefined;
  /** An approval that comes sooner was typed for something else. Default: what the UI says, else 250 ms. */
  readonly typeAheadMs?: number;
}

/** What a person can choose. The words are part of the interface: remote clients show and send them. */
export const CHOICES = {
  once: "Allow once",
  remember: "Allow and remember…",
  deny: "Deny",
  explain: "Deny and say why…",
  stop: "Deny and stop the run",
} as const;

export const SCOPES = {
  session: "For this session",
  hour: "For one hour",
  always: "Always",
} as const;

export const EDITS = { keep: "Save it as shown", edit: "Edit it first…" } as const;

const KINDS = { exact: "Exactly", command: "Command", path: "Files" } as const;
const HINTS = {
  exact: "",
  command: "`*` is one word, a last `...` any further words.",
  path: "`*` is any part of a name, `**` any folders.",
} as const;

const HOUR_MS = 3_600_000;

/** Asks with Pi's own dialogs, in the terminal or over RPC. Closing a dialog without a choice is a refusal. */
export function createDialogApprover(options: DialogApproverOptions): Approver {
  return {
    reaches: PI_DIALOGS,
    get typeAheadMs() {
      return options.typeAheadMs ?? options.ui()?.typeAheadMs ?? 250;
    },
    available: () => options.ui() !== undefined,
    async ask(prompt, { signal }) {
      const ui = options.ui();
      if (ui === undefined) return { kind: "unavailable" };
      const choice = await ui.select(promptText(prompt), choicesOf(prompt), { signal });
      // A UI that has gone away answers like a person who closed the dialog; only the second is a refusal.
      if (choice === undefined && options.ui() === undefined) return { kind: "unavailable" };
      const answer = await answerOf(choice, prompt, ui, signal);
      // The same holds for what is asked after the choice; a refusal that was chosen stays one.
      const chosen = choice === CHOICES.remember;
      return chosen && answer.kind === "declined" && options.ui() === undefined
        ? { kind: "unavailable" }
        : answer;
    },
  };
}

function choicesOf(prompt: ApprovalPrompt): string[] {
  const all = prompt.batch.length + 1;
  return [
    CHOICES.once,
    ...(prompt.batch.length > 0 ? [allowAll(all)] : []),
    ...(prompt.item.offers.length > 0 ? [CHOICES.remember] : []),
    CHOICES.deny,
    CHOICES.explain,
    ...(prompt.batch.length > 0 ? [denyAll(all)] : []),
    CHOICES.stop,
  ];
}

function allowAll(count: number): string {
  return `Allow all ${count} calls shown, once each`;
}

function denyAll(count: number): string {
  return `Deny all ${count} calls shown`;
}

async function answerOf(
  choice: string | undefined,
  prompt: ApprovalPrompt,
  ui: DialogUi,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const callIds = prompt.batch.map((item) => item.callId);
  switch (choice) {
    case CHOICES.once:
      return { kind: "approved" };
    case allowAll(callIds.length + 1):
      return callIds.length > 0 ? { kind: "approved", callIds } : { kind: "declined" };
    case denyAll(callIds.length + 1):
      return { kind: "declined", callIds };
    case CHOICES.remember:
      return remembering(prompt, ui, signal);
    case CHOICES.explain: {
      const comment = await ui.input("Why not? The model reads it.", "optional", { signal });
      return { kind: "declined", ...(comment === undefined ? {} : { comment }) };
    }
    case CHOICES.stop:
      return { kind: "stop" };
    default:
      return { kind: "declined" };
  }
}

/** For how long, what exactly, and the text that will be saved. Leaving any of these steps refuses the call. */
async function remembering(
  prompt: ApprovalPrompt,
  ui: DialogUi,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const scope = await ui.select("Remember for how long?", [SCOPES.session, SCOPES.hour, SCOPES.always], {
    signal,
  });
  if (scope === undefined) return { kind: "declined" };
  const labels = prompt.item.offers.map((offer) => `${KINDS[offer.kind]}: ${offer.shown}`);
  const label = await ui.select(
    `Remember what? It counts ${prompt.item.offers[0]?.bound ?? "here"}.`,
    labels,
    { signal },
  );
  const offer = label === undefined ? undefined : prompt.item.offers[labels.indexOf(label)];
  if (offer === undefined) return { kind: "declined" };
  let pattern = offer.pattern;
  if (offer.editable) {
    const wish = await ui.select(`This will be saved: ${offer.shown}`, [EDITS.keep, EDITS.edit], { signal });
    if (wish === undefined) return { kind: "declined" };
    if (wish === EDITS.edit) {
      const edited = await ui.editor(HINTS[offer.kind], pattern);
      // Pi's editor cannot be closed from here: what is typed after the end counts for nothing.
      if (edited === undefined || signal.aborted) return { kind: "declined" };
      pattern = edited.trim();
    }
  }
  return { kind: "approved", remember: rememberOf(scope, { pattern, offer: offer.kind }) };
}

function rememberOf(scope: string, what: Pick<Remember, "pattern" | "offer">): Remember {
  if (scope === SCOPES.always) return { kind: "always", ...what };
  if (scope === SCOPES.hour) return { kind: "time", ...what, forMs: HOUR_MS };
  return { kind: "session", ...what };
}

/** The text above the choices. Everything in it was escaped when the item was made. */
function promptText(prompt: ApprovalPrompt): string {
  const { item, batch, waiting } = prompt;
  const lines = [
    `Allow ${item.chain.join(" › ")}?`,
    ...item.lines.map((line) => `  ${line}`),
    `in ${item.folder} · ${item.inputChars} characters of arguments`,
    `${item.reason} (${item.rule}, ${item.layer})`,
  ];
  if (batch.length > 0) lines.push(`Also waiting in this call of ${item.chain[0]}:`);
  for (const other of batch) lines.push(`  ${other.chain.join(" › ")}: ${other.lines.join(" ⏎ ")}`);
  const behind = waiting - batch.length - 1;
  if (behind > 0) lines.push(`${behind} more behind these`);
  return lines.join("\n");
}
