import { truncateText, type TruncatedText } from "@nestbox/tool";

import type { OutputFile } from "../text/output-file.ts";

/* oxlint-disable no-control-regex -- terminal sequences are what these patterns are there to remove */
// A string sequence (title, link, clipboard) without an end is not followed: it must not swallow what comes after it.
const sequences =
  /\u001B(?:[\]PX^_][^\u0007\u001B\n]{0,4096}(?:\u0007|\u001B\\)|\[[0-?]{0,64}[ -/]{0,8}[@-~]?|[ -/]{0,8}[0-~]?)|\u009B[0-?]{0,64}[ -/]{0,8}[@-~]?/g;
const controls = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;
/** Characters that reorder or hide text on a screen. */
const deceivers = /[\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g;
/* oxlint-enable no-control-regex */

/**
 * Text without terminal sequences, control characters and characters that reorder what is seen: colours, titles,
 * cursor movements and links of a program's output never reach a screen or a model. A carriage return starts the
 * line again, as a terminal would show it.
 */
export function plainText(text: string): string {
  return text
    .replace(sequences, "")
    .replaceAll("\r\n", "\n")
    .replace(/^.*\r(?=[^\n\r])/gm, "")
    .replaceAll("\r", "")
    .replace(controls, "")
    .replace(deceivers, "");
}

/** The head of a text, at most `maxBytes` of it, with a marker that says how much is gone. */
export function cutEnd(text: string, maxBytes: number): string {
  return truncateText(text, { maxBytes, maxLines: Infinity, keep: "head" }).text;
}

/** The first and the last part of a text around a marker, at most `maxBytes` together. */
export function cutMiddle(text: string, maxBytes: number, where: OutputFile = {}): TruncatedText {
  return truncateText(text, {
    maxBytes,
    maxLines: Infinity,
    ...(where.fullOutputPath === undefined ? {} : { fullOutputPath: where.fullOutputPath }),
    ...(where.fullOutputIncomplete === undefined ? {} : { fullOutputIncomplete: where.fullOutputIncomplete }),
  });
}
