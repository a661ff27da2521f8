import { subcommandName, type CompiledOption, type CompiledSpec } from "../programs/spec.ts";
import { expandsToMany, mayBeOption, wordTail, type ShellWord } from "./shell-word.ts";

export interface ParsedFlag {
  /** Canonical name, or the name as written when the table does not know it. */
  readonly name: string;
  readonly value?: ShellWord;
  readonly option: CompiledOption | undefined;
  /** The command words of an option that takes them all. */
  readonly rest?: readonly ShellWord[];
}

export interface ParsedArguments {
  readonly flags: readonly ParsedFlag[];
  readonly operands: readonly ShellWord[];
  /** For each operand, its index in the words given. */
  readonly positions: readonly number[];
  /** For each operand: it stands after `--`. */
  readonly afterDashes: readonly boolean[];
  readonly subcommand: readonly string[];
  /** The entry that applies: that of the subcommand, where there is one. */
  readonly spec: CompiledSpec | undefined;
  /** An option, or a subcommand, that the table does not have. */
  readonly unknown: boolean;
  /** A word before `--` that may turn out to be an option or a subcommand. */
  readonly uncertain: ShellWord | undefined;
}

/** A long option by its name or by an abbreviation of it. Where several fit, the one that does most. */
function findLong(spec: CompiledSpec, name: string): CompiledOption | undefined {
  const exact = spec.options.get(name);
  if (exact !== undefined || name.length < 3) return exact;
  let found: CompiledOption | undefined;
  for (const long of spec.longNames) {
    if (!long.startsWith(name)) continue;
    const option = spec.options.get(long);
    if (found === undefined || (option?.unsafe === true && !found.unsafe)) found = option;
  }
  return found;
}

function hasKnownLetter(spec: CompiledSpec, text: string): boolean {
  for (let at = 1; at < text.length; at++) if (spec.options.has(`-${text.charAt(at)}`)) return true;
  return false;
}

/** Reads a command's words (without the program) by the table's entry; total, and one pass. */
export function parseArguments(root: CompiledSpec | undefined, words: readonly ShellWord[]): ParsedArguments {
  const flags: ParsedFlag[] = [];
  const operands: ShellWord[] = [];
  const positions: number[] = [];
  const afterDashes: boolean[] = [];
  const subcommand: string[] = [];
  let spec = root;
  let wanted = root === undefined ? 0 : root.subcommands === undefined ? (root.subcommandWords ?? 0) : 1;
  let unknown = false;
  let uncertain: ShellWord | undefined;
  let ended = root?.noOptions === true;
  let index = 0;

  const addFlag = (name: string, option: CompiledOption | undefined, value?: ShellWord) => {
    flags.push(value === undefined ? { name, option } : { name, option, value });
    if (option === undefined) unknown = true;
  };

  /** The value of an option that takes the next word. */
  const takeNext = (): ShellWord | undefined => {
    const next = words[index + 1];
    if (next !== undefined) index++;
    // `-k $X`: what follows the first word of it is read as options again.
    if (next !== undefined && expandsToMany(next)) uncertain ??= next;
    return next;
  };

  /** The command words that follow, and those glued to the option. */
  const takeRest = (option: CompiledOption, glued: ShellWord | undefined): void => {
    const rest: ShellWord[] = glued === undefined ? [] : [glued];
    for (index++; index < words.length; index++) {
      const word = words[index];
      if (word === undefined || word.value === ";" || (word.value === "+" && rest.at(-1)?.value === "{}"))
        break;
      rest.push(word);
    }
    flags.push({ name: option.name, option, rest });
  };

  const readLong = (word: ShellWord, text: string) => {
    const equals = text.indexOf("=");
    const written = equals === -1 ? text : text.slice(0, equals);
    const option = spec === undefined ? undefined : findLong(spec, written);
    const name = option?.name ?? written;
    if (option?.takes === "rest") takeRest(option, equals === -1 ? undefined : wordTail(word, equals + 1));
    else if (equals !== -1) addFlag(name, option, wordTail(word, equals + 1));
    else if (word.value === undefined) {
      // `--out$X`: which option it is comes to light when it runs.
      uncertain ??= word;
      addFlag(name, option);
    } else if (option?.takes === "value") addFlag(name, option, takeNext());
    else addFlag(name, option);
  };

  const readShort = (word: ShellWord, text: string) => {
    if (spec === undefined) {
      addFlag(text, undefined);
      return;
    }
    const whole = spec.options.get(text);
    if (whole !== undefined && (text.length > 2 || whole.takes !== "glued")) {
      if (whole.takes === "rest") {
        takeRest(whole, undefined);
        return;
      }
      if (word.value === undefined && whole.takes !== "value") uncertain ??= word;
      if (whole.takes === "value" && word.value !== undefined) addFlag(whole.name, whole, takeNext());
      else if (whole.takes === "value") addFlag(whole.name, whole, wordTail(word, text.length));
      else addFlag(whole.name, whole);
      return;
    }
    if (spec.singleDashLong === true) {
      const equals = text.indexOf("=");
      const option = equals === -1 ? undefined : spec.options.get(text.slice(0, equals));
      const short =
        spec.glued?.includes(text.charAt(1)) === true ? spec.options.get(text.slice(0, 2)) : undefined;
      if (option !== undefined) addFlag(option.name, option, wordTail(word, equals + 1));
      else if (short !== undefined && text.length > 2) addFlag(short.name, short, wordTail(word, 2));
      else addFlag(text, undefined);
      if (word.value === undefined) uncertain ??= word;
      return;
    }
    if (text.length > 2 && word.value !== undefined && !hasKnownLetter(spec, text)) {
      // No letter of it is known: rather a long option with one dash than a cluster.
      addFlag(text, undefined);
      return;
    }
    for (let at = 1; at < text.length; at++) {
      const letter = text[at] ?? "";
      const option = spec.options.get(`-${letter}`);
      const name = option?.name ?? `-${letter}`;
      if (option === undefined || option.takes === "nothing") {
        addFlag(name, option);
        continue;
      }
      const glued = at + 1 < text.length || word.value === undefined;
      if (option.takes === "rest") {
        takeRest(option, glued ? wordTail(word, at + 1) : undefined);
        return;
      }
      if (glued) {
        const start =
          option.takes === "value" && text[at + 1] === "=" && spec.numeric === true ? at + 2 : at + 1;
        addFlag(name, option, wordTail(word, start));
      } else if (option.takes === "value") addFlag(name, option, takeNext());
      else addFlag(name, option);
      return;
    }
    if (word.value === undefined) uncertain ??= word;
  };

  const bundle = root?.bundle === true ? (words[0]?.value ?? "") : "";
  if (root !== undefined && /^[A-Za-z]+$/.test(bundle)) {
    // `tar xzf a.tgz`: the letters take their values from the words that follow, in order.
    for (const letter of bundle) {
      const option = root.options.get(`-${letter}`);
      addFlag(option?.name ?? `-${letter}`, option, option?.takes === "value" ? takeNext() : undefined);
    }
    index++;
  }

  for (; index < words.length; index++) {
    const word = words[index];
    if (word === undefined) break;
    const text = word.value ?? word.prefix;
    if (!ended && word.value === undefined && word.splits === true) uncertain ??= word;
    if (!ended && word.value === "--") {
      ended = true;
      continue;
    }
    if (!ended && text.length > 1 && text.startsWith("-")) {
      if (spec?.numeric === true && /^-\d+$/.test(text)) flags.push({ name: text, option: numericOption });
      else if (text.startsWith("--")) readLong(word, text);
      else readShort(word, text);
      continue;
    }
    if (!ended && spec?.numeric === true && /^\+\d+$/.test(text)) {
      flags.push({ name: text, option: numericOption });
      continue;
    }
    if (!ended && spec?.plusOptions === true && /^\+[A-Za-z]+$/.test(text)) {
      flags.push({ name: text, option: numericOption });
      if (/[oO]/.test(text)) takeNext();
      continue;
    }
    if (!ended && mayBeOption(word)) uncertain ??= word;
    if (wanted > 0 && spec !== undefined) {
      wanted--;
      if (word.value === undefined || word.glob === true) {
        uncertain ??= word;
        unknown = true;
      } else {
        const name = subcommandName(spec, word.value);
        const next = spec.subcommands?.get(name);
        const operand = next === undefined && spec.subcommandOptional === true;
        if (spec.subcommands !== undefined && next === undefined && spec === root && !operand) unknown = true;
        if (!operand && (next !== undefined || spec === root || spec.subcommands === undefined)) {
          if (next?.groups !== true) subcommand.push(name);
          if (next !== undefined) {
            spec = next;
            wanted = next.subcommands === undefined ? (next.subcommandWords ?? 0) : 1;
          }
          continue;
        }
      }
    }
    operands.push(word);
    positions.push(index);
    afterDashes.push(ended);
    if (spec?.posix === true) ended = true;
  }
  return { flags, operands, positions, afterDashes, subcommand, spec, unknown, uncertain };
}

const numericOption: CompiledOption = { name: "-NUM", takes: "nothing", role: "text", unsafe: false };
