import type { CommandCall } from "../effects.ts";
import { literalWord, unknownWord, type ShellWord } from "../shell-word.ts";
import { replaceMarker, startWords } from "../unwrap.ts";
import { foundNames } from "./find-names.ts";

/** Most names in an expression that are followed one by one. */
const maxNames = 16;

const leading = /^(-H|-L|-P|-E|-X|-d|-s|-x|-O\d?|-D)$/;

/** The folders a `find` starts from, the words before its expression, and the expression. */
function startingPoints(words: readonly ShellWord[]): {
  readonly points: readonly ShellWord[];
  readonly expression: readonly ShellWord[];
} {
  const points: ShellWord[] = [];
  let index = 1;
  for (; index < words.length; index++) {
    const text = words[index]?.value ?? words[index]?.prefix ?? "";
    if (!leading.test(text)) break;
    if (text === "-D") index++;
  }
  for (; index < words.length; index++) {
    const word = words[index];
    const text = word?.value ?? word?.prefix ?? "";
    if (word === undefined || /^(-.|\(|\)|!|,)/.test(text) || text === "-") break;
    points.push(word);
  }
  return { points: points.length > 0 ? points : [literalWord(".")], expression: words.slice(index) };
}

/** Files below the starting points that the names in the expression let through to what it does. */
function foundFiles(points: readonly ShellWord[], expression: readonly ShellWord[]): ShellWord[] {
  const found = foundNames(expression.map((word) => word.value));
  const names = found === undefined || found.length > maxNames ? [undefined] : found;
  return points.flatMap((point) => {
    if (point.value === undefined) return [unknownWord(point.raw)];
    const folder = point.value.replace(/\/+$/, "");
    return names.map((name) => {
      const value = `${folder === "" ? "" : folder}/**${name === undefined ? "" : `/${name}`}`;
      return {
        raw: "{}",
        value,
        prefix: value,
        glob: true,
        ...(point.tilde === true ? { tilde: true } : {}),
      };
    });
  });
}

function readFind(call: CommandCall): void {
  const { words, effects, parsed } = call;
  const { points, expression } = startingPoints(words);
  for (const point of points) effects.path("read", point, `find ${point.raw}`, { tree: true });
  const files = foundFiles(points, expression);
  for (const flag of parsed.flags) {
    if (flag.name === "-delete") for (const file of files) effects.path("delete", file, "find -delete");
    if (flag.rest === undefined || flag.rest.length === 0) continue;
    const elsewhere = flag.name.endsWith("dir");
    const only = files.length === 1 && !elsewhere ? files[0] : undefined;
    const command = flag.rest.map((word) =>
      word.value === "{}" && only !== undefined ? only : replaceMarker(word, "{}"),
    );
    startWords(call, command.map(notAnOption), [], elsewhere ? [undefined] : effects.base);
  }
}

/** A found name starts with the folder it was found from, so it is never an option. */
function notAnOption(word: ShellWord): ShellWord {
  return word.value === undefined && word.prefix === "" && word.splits !== true && word.raw.startsWith("{}")
    ? { ...word, prefix: "./" }
    : word;
}

const placeholder = /\{(\/|\/\/|\.|\/\.)?\}/;

/**
 * The files that `fd -e ts` names to what it starts: with that ending, below one folder. Without an ending its pattern
 * and the ignore files decide, which is not known.
 */
function filesOfFd({ parsed }: CommandCall): ShellWord | undefined {
  const values = (name: string) =>
    parsed.flags.flatMap((flag) => (flag.name === name ? [flag.value?.value] : []));
  const [place = ".", ...others] = [
    ...parsed.operands.slice(1).map((word) => word.value ?? "?"),
    ...values("--search-path").map((word) => word ?? "?"),
  ];
  const [ending, ...more] = values("--extension");
  if (others.length > 0 || more.length > 0 || /[*?[]/.test(place)) return undefined;
  if (ending === undefined || !/^[\w.]+$/.test(ending)) return undefined;
  const value = `${place.replace(/\/+$/, "")}/**/*.${ending.replace(/^\./, "")}`;
  return { raw: "{}", value, prefix: value, glob: true };
}

function readFd(call: CommandCall): void {
  const files = filesOfFd(call);
  for (const flag of call.parsed.flags) {
    const { rest } = flag;
    if (rest === undefined || rest.length === 0) continue;
    const placed = rest.some((word) => placeholder.test(word.value ?? ""));
    const command = rest.map((word) => {
      const marker = placeholder.exec(word.value ?? "")?.[0];
      if (word.value === "{}" && files !== undefined) return files;
      return marker === undefined ? word : notAnOption(replaceMarker(word, marker));
    });
    startWords(call, placed ? command : [...command, files ?? { raw: "{}", value: undefined, prefix: "./" }]);
  }
}

export const findSpecials: readonly (readonly [string, (call: CommandCall) => void])[] = [
  ["find", readFind],
  ["fd", readFd],
];
