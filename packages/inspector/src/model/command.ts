/** What a word may hold that a shell takes as it stands. */
const PLAIN = /^[\w@%+=:,./-]+$/;
/** Nothing that could end a line, move what stands beside it, or not be seen. */
const SHOWABLE = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]+$/u;
const MAX_CHARS = 2_000;

/**
 * A line for a shell. Undefined where a word cannot stand in one that a person reads and copies, or where an argument
 * would be read as an option.
 */
export function commandLine(words: readonly string[], args: readonly string[]): string | undefined {
  const all = [...words, ...args];
  if (words.length === 0 || args.some((arg) => arg.startsWith("-"))) return undefined;
  if (!all.every((word) => SHOWABLE.test(word))) return undefined;
  const line = all
    .map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(" ");
  return line.length <= MAX_CHARS ? line : undefined;
}
