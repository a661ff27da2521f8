import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { Text } from "@earendil-works/pi-tui";
import type { RootCallOutcome } from "@nestbox/calls";
import { showText } from "@nestbox/policy";
import type { ToolContent } from "@nestbox/tool";

import { putErrorFirst } from "../error-first.ts";
import { isRecord } from "../is-record.ts";

/** Type of the messages that hold what a run by hand gave. */
export const RUN_MESSAGE = "nestbox-run";

const MAX_LINE_CHARS = 2_000;
const COLLAPSED_LINES = 20;

/** Draws such messages: text as it is, with control characters spelled out. */
export function registerRunMessages(pi: Pick<ExtensionAPI, "registerMessageRenderer">): void {
  pi.registerMessageRenderer(RUN_MESSAGE, (message, { expanded, outputPad }, theme) => {
    const failed = isRecord(message.details) && message.details["isError"] === true;
    const content = failed && !expanded ? errorFirst(message.content) : message.content;
    const [title = "", ...lines] = plainLines(textOf(content));
    const shown = expanded ? lines : lines.slice(0, COLLAPSED_LINES);
    const rest = lines.length - shown.length;
    if (rest > 0) shown.push(theme.fg("muted", `… ${rest} more lines`));
    return new Text([theme.bold(title), ...shown].join("\n"), outputPad, 0);
  });
}

/**
 * Puts what a run gave into the session, where the person sees it and the model reads it with the next prompt, as with
 * a command after `!`. Print mode shows no messages: there it goes to standard error.
 */
export function showRun(
  title: string,
  { result, isError }: RootCallOutcome,
  { pi, context }: { readonly pi: Pick<ExtensionAPI, "sendMessage">; readonly context: ExtensionContext },
): void {
  const content: ToolContent[] = [{ type: "text", text: title }, ...result.content];
  pi.sendMessage({
    customType: RUN_MESSAGE,
    content: content.map((part) => ({ ...part })),
    display: true,
    details: { isError },
  });
  if (context.mode === "print") console.error(plainLines(textOf(content)).join("\n"));
}

type MessageContent = string | readonly ToolContent[];

/** The title, and behind it what a failed script ended with before what it had put out. */
function errorFirst(content: MessageContent): MessageContent {
  if (typeof content === "string") return content;
  const [title, ...result] = content;
  const moved = putErrorFirst(result);
  return title === undefined || moved === undefined ? content : [title, ...moved];
}

function textOf(content: MessageContent): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
}

function plainLines(text: string): string[] {
  return text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => showText(line.replaceAll("\t", "  "), MAX_LINE_CHARS));
}
