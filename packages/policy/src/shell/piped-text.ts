import type { Command, CommandNode, Word as ParsedWord } from "unbash";

import type { StandardInput } from "./analysis.ts";
import { bodyText } from "./redirections.ts";

/**
 * What a command is fed by the one before it in a pipeline: the text, where that one only prints what stands in the
 * line (`cat <<'E' | sh`, `echo text | sh`), else a pipe that nobody can see into.
 */
export function pipedText(before: CommandNode | undefined): StandardInput {
  if (before?.type !== "Command" || before.prefix.length > 0) return { kind: "pipe" };
  const name = literalText(before.name);
  if (name === "cat") return catText(before);
  if (name === "echo") return echoText(before);
  return { kind: "pipe" };
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
