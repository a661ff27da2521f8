import { showText } from "@nestbox/policy";

/** A name or a message that a script chose, on one line: nothing in it moves the cursor or hides what follows. */
export function oneLine(text: string, maxChars = 300): string {
  return showText(text, maxChars);
}

// Control characters but tab and line feed, and the marks that reorder what is read.
const commands = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text of many lines for a terminal: what a terminal would obey is spelled out. A pipe gets every byte instead. */
export function forTerminal(text: string, isTTY: boolean | undefined): string {
  if (isTTY !== true) return text;
  return text.replace(commands, (char) => (char === "\n" || char === "\t" ? char : showText(char)));
}
