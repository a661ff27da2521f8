/**
 * Splits the command of an `exact` or `prefix` rule into words: spaces separate, single and double quotes group, a
 * backslash takes the next character. `undefined` when a quote is open or a shell operator stands unquoted: such a
 * rule would promise what it cannot keep.
 */
export function splitWords(source: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let index = 0; index < source.length; index += 1) {
    const char = source.charAt(index);
    if (char === " " || char === "\t") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "'" || char === '"') {
      const end = source.indexOf(char, index + 1);
      if (end < 0) return undefined;
      word = (word ?? "") + source.slice(index + 1, end);
      index = end;
    } else if (char === "\\") {
      index += 1;
      if (index >= source.length) return undefined;
      word = (word ?? "") + source.charAt(index);
    } else if (";&|<>()`$\n\r".includes(char)) {
      return undefined;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (word !== undefined) words.push(word);
  return words.length === 0 ? undefined : words;
}

/** A word in single quotes, so that a shell reads it as it is. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
