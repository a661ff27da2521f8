import { oneLine } from "../report/safe-text.ts";

/**
 * A command that somebody may do next, to be pasted: it has the config that this one was given, without which the fleet
 * would not be found, and the words are quoted where a shell would read more in them.
 */
export function nextCommand(words: readonly string[], { config }: { readonly config?: string }): string {
  const all = config === undefined ? words : [...words, "--config", config];
  return ["nestbox", ...all.map(quoted)].join(" ");
}

function quoted(word: string): string {
  const shown = oneLine(word, 4_000);
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}
