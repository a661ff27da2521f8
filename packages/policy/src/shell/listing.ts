import type { CommandFact } from "../subject.ts";
import { foundNames } from "./special/find-names.ts";
import { literalWord, unknownWord, type ShellWord } from "./shell-word.ts";

/** The names that a command prints, as far as its words tell: some of what these globs match. */
export interface Listing {
  readonly words: readonly ShellWord[];
  /** Each name ends in NUL, so none is taken for two. */
  readonly nul: boolean;
}

/** Most places that a listing is followed through. */
const maxPlaces = 16;

const globWord = (value: string): ShellWord => ({ raw: "…", value, prefix: value, glob: true, listed: true });

const passing: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "grep",
    new Set(
      "--invert-match --ignore-case --extended-regexp --fixed-strings --regexp --word-regexp --line-regexp --perl-regexp --basic-regexp --null-data".split(
        " ",
      ),
    ),
  ],
  ["head", new Set(["--lines", "--zero-terminated"])],
  ["tail", new Set(["--lines", "--zero-terminated"])],
  [
    "sort",
    new Set(
      "--unique --reverse --version-sort --numeric-sort --zero-terminated --ignore-case --random-sort".split(
        " ",
      ),
    ),
  ],
  ["uniq", new Set<string>()],
  ["cat", new Set<string>()],
  ["tac", new Set<string>()],
]);

/** Options of `ls` that keep it to one bare name a line. */
const bareNames: ReadonlySet<string> = new Set(
  "-1 --all --almost-all --reverse -t -S -U -v -X -c -u -f --directory --group-directories-first --ignore".split(
    " ",
  ),
);

/** What a command of a pipeline hands on; `before`: what it was handed. */
export function listingOf(fact: CommandFact, before: Listing | undefined): Listing | undefined {
  if (!fact.known || !fact.readOnly || fact.wrappers.length > 0 || fact.env.length > 0) return undefined;
  if (!fact.redirections.every(({ fd, action }) => fd === 2 && action === "none")) return undefined;
  // Then the names are relative to another folder than the one that the next command works in.
  if (hasFlag(fact, "-C", "--base-directory")) return undefined;
  if (fact.argv.some(({ value }) => value === undefined)) return undefined;
  if (before !== undefined) return passedOn(fact, before);
  const places = listedPlaces(fact);
  if (places === undefined || places.length > maxPlaces) return undefined;
  return { words: places.map(globWord), nul: hasFlag(fact, "-print0", "-z", "--null", "--print0") };
}

function hasFlag(fact: CommandFact, ...names: readonly string[]): boolean {
  return fact.flags.some(({ name }) => names.includes(name));
}

/** A filter hands on some of the names that it is handed. */
function passedOn(fact: CommandFact, before: Listing): Listing | undefined {
  const { program, operands } = fact;
  if (program === "tr") {
    const [from, to] = operands;
    const ends =
      fact.flags.length === 0 && operands.length === 2 && from?.value === "\\n" && to?.value === "\\0";
    return ends ? { words: before.words, nul: true } : undefined;
  }
  const allowed = passing.get(program ?? "");
  if (allowed === undefined) return undefined;
  const patterns = program === "grep" && !hasFlag(fact, "--regexp") ? 1 : 0;
  if (operands.length !== patterns) return undefined;
  if (!fact.flags.every(({ name }) => allowed.has(name) || /^-\d+$/.test(name))) return undefined;
  // Lines of a list that ends its names with NUL are no names.
  const lines = !hasFlag(fact, "--zero-terminated", "--null-data") && program !== "cat";
  return before.nul && lines ? undefined : before;
}

function listedPlaces(fact: CommandFact): readonly string[] | undefined {
  const { program, operands, flags } = fact;
  switch (program) {
    case "find": {
      if (hasFlag(fact, "-printf", "-ls", "-files0-from")) return undefined;
      const points = fact.resources.filter(({ extent }) => extent === "tree").map(({ value }) => value);
      const words = fact.argv.map(({ value }) => value);
      const start = words.findIndex((word, index) => index > 0 && /^(-[a-z]{2}|[(!,])/.test(word ?? ""));
      const names = start === -1 ? undefined : foundNames(words.slice(start));
      if (names === undefined) return below(points, "", false);
      const lists = names.map((name) => below(points, `/${name}`, false));
      return lists.some((list) => list === undefined) ? undefined : lists.flatMap((list) => list ?? []);
    }
    case "ls":
      // The names in a folder are printed without it.
      return flags.every(({ name }) => bareNames.has(name))
        ? [
            ...operands.flatMap(({ value, glob }) => (glob === true && value !== undefined ? [value] : [])),
            "*",
          ]
        : undefined;
    case "git":
      if (fact.subcommand[0] !== "ls-files" || operands.some(({ value }) => value?.includes("..") === true))
        return undefined;
      return hasFlag(
        fact,
        "-s",
        "--stage",
        "-t",
        "-v",
        "--verbose",
        "--eol",
        "--format",
        "-u",
        "-r",
        "--full-name",
      )
        ? undefined
        : operands.length === 0
          ? ["**"]
          : operands.flatMap(({ value }) => pathspec(value ?? ""));
    case "rg": {
      const only = hasFlag(fact, "--files", "--files-with-matches", "--files-without-match");
      return only ? below(treesOf(fact), "", true) : undefined;
    }
    case "grep": {
      const recursive = hasFlag(fact, "--recursive", "--dereference-recursive");
      const only = hasFlag(fact, "--files-with-matches", "--files-without-match");
      if (!only || (!recursive && operands.length < 2)) return undefined;
      return recursive
        ? below(treesOf(fact), "", operands.length < 2)
        : fact.resources.map(({ value }) => value ?? "").filter((value) => value !== "");
    }
    case "fd":
    case "fdfind":
      return hasFlag(fact, "--list-details", "--format") ? undefined : below(treesOf(fact), "", true);
    default:
      return undefined;
  }
}

/** What `git ls-files` lists for a pathspec; its `*` goes through folders. */
function pathspec(text: string): readonly string[] {
  const plain = text.replace(/^\.\//, "").replace(/\/+$/, "");
  if (/^\*\.[\w.-]+$/.test(plain)) return [`**/${plain}`];
  return plain === "" || plain === "." || /[*?[:\\]/.test(plain) ? ["**"] : [plain, `${plain}/**`];
}

function treesOf(fact: CommandFact): readonly (string | undefined)[] {
  return fact.resources
    .filter(({ extent, kind }) => kind === "path" && extent === "tree")
    .map(({ value }) => value);
}

/** Everything below some places; `bare`: what is below the working folder is printed without `./`. */
function below(
  places: readonly (string | undefined)[],
  name: string,
  bare: boolean,
): readonly string[] | undefined {
  if (places.length === 0 || places.some((place) => place === undefined)) return undefined;
  return places.map((place) => {
    const folder = (place ?? "").replace(/\/+$/, "");
    const start = folder === "." && bare ? "" : `${folder}/`;
    return `${start}**${name}`;
  });
}

/** The words that `xargs` adds. Unless NUL ends each name, one with a blank in it becomes several. */
export function addedWords(listing: Listing, splitsAtNul: boolean): readonly ShellWord[] {
  if (listing.nul && splitsAtNul) return listing.words;
  return [...listing.words, { ...unknownWord("…"), listed: true }];
}

/** The words of a text that `xargs` reads, where nothing in it is quoted. */
export function textWords(text: string): readonly ShellWord[] | undefined {
  if (/['"\\]/.test(text) || text.length > 8_192) return undefined;
  return text
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => literalWord(word));
}
