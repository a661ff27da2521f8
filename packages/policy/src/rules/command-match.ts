import { analyzeCommand } from "../shell/analyze.ts";
import type { CommandFact, Word } from "../subject.ts";
import { regexOrFail } from "./call-filter.ts";
import type { Answer } from "../paths/match.ts";
import type { CommandMatch, ExactCommand, PredicateCommand, PrefixCommand } from "./types.ts";
import { anyWildcard, type TextTest, wildcard } from "./wildcard.ts";
import { quoteWord } from "./words.ts";

export interface CommandTest {
  /** Programs the test can match, lower case; `undefined`: any. */
  readonly programs: readonly string[] | undefined;
  /** What a deny or ask asks. */
  loose(command: CommandFact): Answer;
  /** What an allow asks. */
  strict(command: CommandFact): boolean;
  /** The rule speaks about these very words and so about all that they do. */
  readonly exact: boolean;
  /** Environment variables that the rule lets stand in front. */
  readonly env: readonly string[];
}

export interface CommandWorld {
  /** Folders whose programs are what their names say. */
  readonly programFolders: readonly string[];
}

const systemFolders: readonly string[] = [
  "/bin",
  "/usr/bin",
  "/sbin",
  "/usr/sbin",
  "/usr/local/bin",
  "/opt/homebrew/bin",
];

/** Compiles one command statement. A bad expression is told to `fail`. */
export function compileCommandMatch(
  match: CommandMatch,
  world: CommandWorld,
  fail: (message: string) => void,
): CommandTest {
  if ("exact" in match) return exactTest(match, world);
  if ("prefix" in match) return prefixTest(match, world);
  return predicateTest(match, world, fail);
}

function exactTest({ exact, env = [] }: ExactCommand, world: CommandWorld): CommandTest {
  const [program = "", ...rest] = exact;
  return {
    programs: [baseName(program)],
    exact: true,
    env,
    loose: (command) =>
      namesProgram(command, program) &&
      command.argv.length === exact.length &&
      rest.every((word, index) => command.argv[index + 1]?.value === word)
        ? "yes"
        : "no",
    strict: (command) =>
      isProgram(command, program, world) &&
      command.argv.length === exact.length &&
      rest.every((word, index) => command.argv[index + 1]?.value === word),
  };
}

function prefixTest({ prefix, env = [] }: PrefixCommand, world: CommandWorld): CommandTest {
  const [program = "", ...rest] = prefix;
  const options = rest.filter(isOption);
  const names = rest.filter((word) => !isOption(word));
  const [firstName] = names;
  const canonical = canonicalWords(program, names);
  const aliases = options.map((option) => flagNames(program, names, option));
  const hosts = hostsOf(prefix);
  return {
    programs: [baseName(program)],
    exact: false,
    env,
    loose(command) {
      if (!namesProgram(command, program)) return "no";
      if (firstName !== undefined && !mayHold(command, firstName) && command.subcommand[0] !== canonical[0])
        return "no";
      if (rest.every((word, index) => command.argv[index + 1]?.value === word)) return "yes";
      const flags = worst(aliases.map((all) => hasFlag(command, all)));
      if (flags === "no") return "no";
      const words = worse(
        startsWith(plainWords(command), names),
        startsWith([...command.subcommand, ...command.operands.map(valueOf)], canonical),
      );
      return words === "yes" ? flags : words;
    },
    strict(command) {
      if (!isProgram(command, program, world)) return false;
      // Who names a host in the words means that one.
      const others = command.resources.some(
        ({ kind, value }) => kind === "host" && !hosts.includes(value ?? ""),
      );
      if (hosts.length > 0 && others) return false;
      const skipped = quietOptions(command);
      return (
        rest.every((word, index) => command.argv[index + 1]?.value === word) ||
        (skipped > 0 && rest.every((word, index) => command.argv[index + 1 + skipped]?.value === word))
      );
    },
  };
}

/** Words behind a program with its subcommands by the names that they go by: `npm t` is `npm test`. */
function canonicalWords(program: string, words: readonly string[]): readonly string[] {
  if (words.length === 0 || [program, ...words].some((word) => /[*?]/.test(word))) return words;
  const line = [program, ...words].map(quoteWord).join(" ");
  const fact = analyzeCommand(line).commands.find(({ wrappers }) => wrappers.length === 0);
  const plain = fact?.operands.map(valueOf) ?? [];
  const all = [...(fact?.subcommand ?? []), ...plain].filter((word) => word !== undefined);
  return fact === undefined || all.length !== plain.length + fact.subcommand.length ? words : all;
}

/** The hosts that the words of a prefix name. */
function hostsOf(prefix: readonly string[]): readonly string[] {
  const { resources } = analyzeCommand(prefix.map(quoteWord).join(" "));
  return resources.flatMap(({ kind, value }) => (kind === "host" && value !== undefined ? [value] : []));
}

/** How many leading words are such that `git --no-pager -C sub log` is `git log`. */
function quietOptions(command: CommandFact): number {
  const { alone, folder } = quiet.get(command.program ?? "") ?? { alone: [], folder: [] };
  const words = command.argv.slice(1);
  let at = 0;
  for (; at < words.length; at += 1) {
    const value = words[at]?.value ?? "";
    if (alone.includes(value)) continue;
    const next = words[at + 1];
    if (!folder.includes(value) || next?.value === undefined || next.glob === true) break;
    at += 1;
  }
  return at;
}

/**
 * Leading options that change how something is shown, or the folder, which is judged as a path besides, so that a
 * command in a folder of the project is the same command. A setting that matters is a doubt of its own.
 */
const quiet: ReadonlyMap<string, { readonly alone: readonly string[]; readonly folder: readonly string[] }> =
  new Map([
    ["git", { alone: ["--no-pager", "--no-optional-locks", "-P"], folder: ["-C", "-c"] }],
    ["npm", { alone: ["--silent", "-s"], folder: ["--prefix"] }],
    ["pnpm", { alone: ["--silent", "-s"], folder: ["-C", "--dir"] }],
    ["yarn", { alone: ["--silent", "-s"], folder: ["--cwd"] }],
    ["make", { alone: ["-s", "--silent", "--no-print-directory"], folder: ["-C", "--directory"] }],
  ]);

function predicateTest(
  match: PredicateCommand,
  world: CommandWorld,
  fail: (message: string) => void,
): CommandTest {
  const { program, flags, operands, readOnly, regex, env = [] } = match;
  const written = match.subcommand ?? [];
  const subcommand = program.length === 1 ? canonicalWords(program[0] ?? "", written) : written;
  const open = program.some((name) => /[*?]/.test(name));
  const programTest = anyWildcard(program.map(baseName), { foldCase: true });
  const words = subcommand.map((word) => wildcard(word));
  const writtenWords = written.map((word) => wildcard(word));
  const literals = subcommand.filter((word) => !/[*?]/.test(word));
  const aliasesOf = (names: readonly string[] = []): readonly (readonly string[])[] =>
    names.map((name) => [
      ...new Set(
        program.flatMap((one) => flagNames(one, literals.length === subcommand.length ? literals : [], name)),
      ),
    ]);
  const firstName = subcommand[0] !== undefined && !/[*?]/.test(subcommand[0]) ? subcommand[0] : undefined;
  const any = aliasesOf(flags?.any);
  const all = aliasesOf(flags?.all);
  const none = aliasesOf(flags?.none);
  const only = flags?.only === undefined ? undefined : new Set(aliasesOf(flags.only).flat());
  const like = operands?.like === undefined ? undefined : anyWildcard(operands.like);
  const expression = regex === undefined ? undefined : regexOrFail(regex, fail);

  const loose = (command: CommandFact): Answer => {
    if (command.program === undefined || !programTest(command.program.toLowerCase())) return "no";
    const answers: Answer[] = [];
    if (words.length > 0) {
      if (firstName !== undefined && !mayHold(command, firstName) && command.subcommand[0] !== firstName)
        return "no";
      const found = worse(
        matchWords([...command.subcommand, ...command.operands.map(valueOf)], words),
        matchWords(plainWords(command), writtenWords),
      );
      if (found === "no") return "no";
      answers.push(found);
    }
    if (any.length > 0) answers.push(best(any.map((names) => hasFlag(command, names))));
    for (const names of all) answers.push(hasFlag(command, names));
    // A word that is not known may be the flag that would let the command off: it does not.
    if (none.some((names) => command.flags.some((flag) => names.includes(flag.name)))) return "no";
    if (only !== undefined && !command.flags.every((flag) => only.has(flag.name))) return "no";
    if (operands?.min !== undefined && command.operands.length < operands.min)
      answers.push(command.operands.some(isHidden) ? "maybe" : "no");
    if (operands?.max !== undefined && command.operands.length > operands.max) return "no";
    if (like !== undefined)
      answers.push(
        best(
          command.operands.map((word) =>
            word.value === undefined ? "maybe" : like(word.value) ? "yes" : "no",
          ),
        ),
      );
    if (readOnly !== undefined && command.readOnly !== readOnly) return "no";
    if (expression !== undefined && !expression(joined(command))) return "no";
    return worst(answers);
  };

  const strict = (command: CommandFact): boolean => {
    if (
      !program.some((name) =>
        /[*?]/.test(name) ? isBareMatch(command, name, world) : isProgram(command, name, world),
      )
    )
      return false;
    if (words.length > 0 && !strictWords(command, words)) return false;
    // The parser doubts a hidden word that may be an option; here also one that may be anything else that is asked for.
    const guarded = expression !== undefined || like !== undefined || operands?.max !== undefined;
    if (guarded && command.argv.some(isHidden)) return false;
    if (any.length > 0 && !any.some((names) => hasFlag(command, names) === "yes")) return false;
    if (!all.every((names) => hasFlag(command, names) === "yes")) return false;
    if (none.some((names) => hasFlag(command, names) !== "no")) return false;
    if (only !== undefined && !onlyFlags(command, only)) return false;
    if (operands?.min !== undefined && command.operands.length < operands.min) return false;
    if (operands?.max !== undefined && command.operands.length > operands.max) return false;
    if (like !== undefined && !command.operands.every((word) => word.value !== undefined && like(word.value)))
      return false;
    if (readOnly !== undefined && command.readOnly !== readOnly) return false;
    return expression === undefined || expression(joined(command));
  };
  return {
    programs: open ? undefined : program.map((name) => baseName(name).toLowerCase()),
    exact: false,
    env,
    loose,
    strict,
  };
}

/** The names that one option has for a program: as written, and the canonical one of its table. */
function flagNames(program: string, subcommand: readonly string[], option: string): readonly string[] {
  const written = option.replace(/=.*$/s, "");
  if (/[*?]/.test(program)) return [written];
  const line = [program, ...subcommand, option].map(quoteWord).join(" ");
  const fact = analyzeCommand(line).commands.find((command) => command.wrappers.length === 0);
  return [...new Set([written, ...(fact?.flags.map((flag) => flag.name) ?? [])])];
}

function hasFlag(command: CommandFact, names: readonly string[]): Answer {
  if (command.flags.some((flag) => names.includes(flag.name))) return "yes";
  let hidden = false;
  for (const word of command.argv.slice(1)) {
    if (word.value === undefined) {
      hidden = true;
      continue;
    }
    // An unknown program's clusters and glued values are read generously.
    if (!command.known && isOption(word.value) && names.some((name) => inCluster(word.value ?? "", name)))
      return "yes";
  }
  return hidden && command.argv.some(isHidden) ? "maybe" : "no";
}

function inCluster(word: string, name: string): boolean {
  if (word === name || word.startsWith(`${name}=`)) return true;
  return /^-[A-Za-z0-9]$/.test(name) && /^-[A-Za-z0-9]+$/.test(word) && word.includes(name.charAt(1));
}

function onlyFlags(command: CommandFact, only: ReadonlySet<string>): boolean {
  return (
    command.flags.every((flag) => only.has(flag.name)) &&
    command.argv
      .slice(1)
      .every((word) => word.value === undefined || !isOption(word.value) || command.flags.length > 0)
  );
}

/** Subcommand words where nothing uncertain stands before them: the program's table knows them, or they come first. */
function strictWords(command: CommandFact, tests: readonly TextTest[]): boolean {
  const fits = (words: readonly (string | undefined)[]): boolean =>
    tests.every((test, index) => {
      const word = words[index];
      return word !== undefined && test(word);
    });
  if (command.subcommand.length >= tests.length) return fits(command.subcommand);
  return fits(command.argv.slice(1).map(valueOf));
}

function matchWords(words: readonly (string | undefined)[], tests: readonly TextTest[]): Answer {
  let answer: Answer = "yes";
  for (const [index, test] of tests.entries()) {
    if (index >= words.length) return "no";
    const word = words[index];
    if (word === undefined) answer = "maybe";
    else if (!test(word)) return "no";
  }
  return answer;
}

function startsWith(words: readonly (string | undefined)[], wanted: readonly string[]): Answer {
  return matchWords(
    words,
    wanted.map((word) => (value: string) => value === word),
  );
}

/** The words after the program that are no options. */
function plainWords(command: CommandFact): readonly (string | undefined)[] {
  return command.argv
    .slice(1)
    .map(valueOf)
    .filter((word) => word === undefined || !isOption(word));
}

function namesProgram(command: CommandFact, program: string): boolean {
  return command.program !== undefined && command.program.toLowerCase() === baseName(program).toLowerCase();
}

/** The bare name, or the same file in a folder whose programs are what their names say; a path in the rule is literal. */
function isProgram(command: CommandFact, program: string, world: CommandWorld): boolean {
  const { value } = command.argv[0];
  if (value === undefined) return false;
  if (value === program) return true;
  return (
    !program.includes("/") &&
    inTrustedFolder(value, world) &&
    value.slice(value.lastIndexOf("/") + 1) === program
  );
}

function isBareMatch(command: CommandFact, pattern: string, world: CommandWorld): boolean {
  const { value } = command.argv[0];
  if (value === undefined) return false;
  const name = inTrustedFolder(value, world) ? value.slice(value.lastIndexOf("/") + 1) : value;
  return !name.includes("/") && wildcard(pattern)(name);
}

function inTrustedFolder(value: string, world: CommandWorld): boolean {
  const at = value.lastIndexOf("/");
  if (at < 0) return false;
  const folder = value.slice(0, at);
  return systemFolders.includes(folder) || world.programFolders.includes(folder);
}

/** The usual miss, told at once: a word that is nowhere in the command, of which no word is hidden. */
function mayHold(command: CommandFact, word: string): boolean {
  return command.argv.some(({ value }) => value === word || value === undefined);
}

function isHidden(word: Word): boolean {
  return word.value === undefined;
}

function valueOf(word: Word): string | undefined {
  return word.value;
}

function joined(command: CommandFact): string {
  return command.argv.map((word) => word.value ?? word.raw).join(" ");
}

function isOption(word: string): boolean {
  return word.startsWith("-") && word !== "-" && word !== "--";
}

function baseName(program: string): string {
  return program
    .slice(Math.max(program.lastIndexOf("/"), program.lastIndexOf("\\")) + 1)
    .replace(/\.(exe|cmd|bat|com)$/i, "");
}

const rank: Readonly<Record<Answer, number>> = { no: 0, maybe: 1, yes: 2 };

/** All must hold: the least sure. */
function worst(answers: readonly Answer[]): Answer {
  return answers.reduce<Answer>((found, answer) => (rank[answer] < rank[found] ? answer : found), "yes");
}

/** One must hold: the surest. */
function best(answers: readonly Answer[]): Answer {
  return answers.reduce<Answer>((found, answer) => (rank[answer] > rank[found] ? answer : found), "no");
}

function worse(first: Answer, second: Answer): Answer {
  return best([first, second]);
}
