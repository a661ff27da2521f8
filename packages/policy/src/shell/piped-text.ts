import type { Command, CommandNode, ParsedScript, Word as ParsedWord } from "unbash";

import type { StandardInput } from "./analysis.ts";

/**
 * What a command is fed by the one before it in a pipeline: the text, where that one only prints what stands in the
 * line (`cat <<'E' | sh`, `echo text | sh`), else a pipe that nobody can see into.
 */
export function pipedText(before: CommandNode | undefined): StandardInput {
  if (before?.type !== "Command" || before.prefix.length > 0) return { kind: "pipe" };
  const name = literalText(before.name);
  if (name === "cat") return catText(before);
  if (name === "echo") return echoText(before);
  if (name === "printf") return printfText(before);
  return { kind: "pipe" };
}

/** The text that a whole script prints, where it is one command that only prints what stands in the line. */
export function printedText(script: ParsedScript | undefined): string | undefined {
  const [only, ...others] = script?.commands ?? [];
  if (only === undefined || others.length > 0 || only.command.type !== "Command") return undefined;
  const printed = pipedText(only.command);
  return printed.kind === "text" ? (printed.text ?? printed.guess) : undefined;
}

/** Rounds of a format that are written out; more words than that are not what a script is made of. */
const maxRounds = 64;

function printfText(command: Command): StandardInput {
  const words = command.suffix.map((item) => (item.type === "Word" ? literalText(item) : undefined));
  const [format, ...values] = words;
  if (format === undefined || values.includes(undefined) || command.redirects.length > 0)
    return { kind: "pipe" };
  if (format.startsWith("-") || /%[^s]|%$|\\[^n]|\\$/.test(format)) return { kind: "pipe" };
  let text = "";
  let at = 0;
  for (let round = 0; round === 0 || (at < values.length && format.includes("%s")); round += 1) {
    if (round >= maxRounds) return { kind: "pipe" };
    text += format.replaceAll("\\n", "\n").replaceAll("%s", () => values[at++] ?? "");
  }
  return { kind: "text", text };
}

function catText(command: Command): StandardInput {
  const [only, ...others] = command.suffix;
  if (others.length > 0 || only?.type !== "HereDoc" || only.descriptor !== undefined) return { kind: "pipe" };
  return { kind: "text", text: bodyText(only.body.parts, only.body.text), guess: only.body.text };
}

function echoText(command: Command): StandardInput {
  const words: string[] = [];
  let known = true;
  for (const item of command.suffix) {
    if (item.type !== "Word") return { kind: "pipe" };
    const text = literalText(item);
    // Options and escapes are read differently by every echo.
    const option = words.length === 0 && item.value.startsWith("-");
    if (option || item.value.includes("\\")) return { kind: "pipe" };
    known &&= text !== undefined;
    words.push(text ?? item.value);
  }
  const text = `${words.join(" ")}\n`;
  return { kind: "text", text: known ? text : undefined, guess: text };
}

/** The value of a word in which nothing is expanded. */
function literalText(word: ParsedWord | undefined): string | undefined {
  if (word === undefined) return undefined;
  const literal = (word.parts ?? []).every(
    (part) =>
      part.type === "Literal" ||
      part.type === "SingleQuoted" ||
      (part.type === "DoubleQuoted" && part.parts.every((child) => child.type === "Literal")),
  );
  return literal && !word.text.startsWith("~") ? word.value : undefined;
}

/** The text of a here-document in which nothing is expanded. */
export function bodyText(
  parts: readonly { readonly type: string; readonly value?: unknown }[] | undefined,
  text: string,
): string | undefined {
  if (parts === undefined) return text;
  let literal = "";
  for (const part of parts) {
    if (part.type !== "Literal" || typeof part.value !== "string") return undefined;
    literal += part.value;
  }
  return literal;
}
