import type { Word } from "../subject.ts";

/** A word while it is being judged: what rules see, and what only the analysis needs. */
export interface ShellWord extends Word {
  /** Literal text before the first expansion; the whole value of a literal word. */
  readonly prefix: string;
  /** An unquoted expansion can make several words of it, or none. */
  readonly splits?: boolean;
  /** It is `~` or starts with `~/`, unquoted, and the home folder is not known. */
  readonly tilde?: boolean;
  /** For a word that is not known: its text with the expansions in it, for a look at what it might be. */
  readonly guess?: string;
  /** It is a process substitution: a pipe, not a file. */
  readonly pipe?: boolean;
  /** The text that arrives through it, where the line shows it. */
  readonly prints?: string;
  /** It is a glob that matches no name which begins with a dash. */
  readonly noOption?: true;
  /** It is one of the names that an earlier command lists, or a piece of one. */
  readonly listed?: true;
  /** Its expansions can only be one word each that is no option: a number such as `$?`, or a hash. */
  readonly numeric?: boolean;
}

export function literalWord(value: string, raw: string = value): ShellWord {
  return { raw, value, prefix: value };
}

export function unknownWord(raw: string): ShellWord {
  return { raw, value: undefined, prefix: "", splits: true };
}

/** The shell may make several words of it. */
export function expandsToMany(word: ShellWord): boolean {
  return word.glob === true || (word.value === undefined && word.splits === true);
}

/** The word may turn out to be an option although nothing in it says so. */
export function mayBeOption(word: ShellWord): boolean {
  if (word.numeric === true || word.pipe === true) return false;
  if (word.value === undefined)
    return word.splits === true || word.prefix === "" || word.prefix.startsWith("-");
  return word.glob === true && word.noOption !== true && /^[*?[]/.test(word.value);
}

/** A word that stands for the rest of `word` from `start` on: the glued value of an option. */
export function wordTail(word: ShellWord, start: number): ShellWord {
  if (word.value === undefined) {
    return { ...word, prefix: word.prefix.slice(start) };
  }
  const value = word.value.slice(start);
  const tail = { raw: word.raw, value, prefix: value };
  return word.glob === true ? { ...tail, glob: true } : tail;
}

/** What a rule sees of a word. */
export function plainWord(word: ShellWord): Word {
  const plain: { -readonly [K in keyof Word]: Word[K] } = { raw: word.raw, value: word.value };
  if (word.glob === true) plain.glob = true;
  if (word.parts !== undefined && word.parts.length > 0) plain.parts = word.parts;
  return plain;
}
