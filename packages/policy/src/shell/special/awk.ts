/**
 * Whether an awk program only reads its input and prints: no `system`, pipe, `getline`, redirection, indirect call or
 * extension outside its strings, patterns and comments. Where a `/` could be a division or a pattern, the answer is no.
 */
export function onlyPrints(program: string): boolean {
  if (!/system|getline|[|@>]|ARGV|ARGC/.test(program)) return true;
  const bare = bareProgram(program);
  if (bare === undefined || /\bsystem\b|\bgetline\b|[|@]|\bARGV\b|\bARGC\b/.test(bare.replaceAll("||", " ")))
    return false;
  // A `>` before the end of a print statement may be where its output goes.
  return !/\bprintf?\b[^;{}]*>/.test(bare);
}

/** The shell lines that stand in an awk program as whole strings: in `system("…")` and on either side of a pipe. */
export function linesOf(program: string): readonly string[] {
  const found = program.matchAll(
    /(?:\bsystem\s*\(\s*|\|&?\s*)"((?:[^"\\\n]|\\.)*)"|"((?:[^"\\\n]|\\.)*)"\s*\|&?\s*getline/g,
  );
  return [...found]
    .slice(0, maxLines)
    .map(([, run, fed]) => (run ?? fed ?? "").replace(/\\(["\\])/g, "$1"))
    .filter((line) => line !== "");
}

/** More lines than this in one program are not read one by one. */
const maxLines = 32;

/** After these a `/` starts a pattern; after a name, a number or a closing bracket it divides. */
const beforePattern: ReadonlySet<string> = new Set(["", "(", ",", "~", "!", "{", "}", ";", "&", "|", "\n"]);

function bareProgram(program: string): string | undefined {
  let bare = "";
  // The last character that is not blank.
  let previous = "";
  for (let at = 0; at < program.length; at++) {
    const char = program[at] ?? "";
    if (char === "\\" && program[at + 1] === "\n") {
      bare += " ";
      at++;
    } else if (char === '"') {
      const end = closing(program, at, '"');
      if (end === undefined) return undefined;
      bare += '""';
      at = end;
    } else if (char === "#") {
      while (at + 1 < program.length && program[at + 1] !== "\n") at++;
    } else if (char === "/") {
      if (!beforePattern.has(previous)) return undefined;
      const end = closing(program, at, "/");
      if (end === undefined) return undefined;
      bare += "0";
      at = end;
    } else bare += char;
    // What stands at this place now: the end of a string or a pattern, a comment's last character, or the character.
    const last = program[at] ?? "";
    if (char !== "#" && last !== " " && last !== "\t" && !(char === "\\" && last === "\n")) {
      previous = char === "/" ? "0" : last;
    }
  }
  return bare;
}

function closing(program: string, start: number, delimiter: string): number | undefined {
  for (let at = start + 1; at < program.length; at++) {
    const char = program[at];
    if (char === "\\") at++;
    else if (char === "\n") return undefined;
    else if (char === delimiter) return at;
    // `[/]`: inside brackets some awks end the pattern here and some do not.
    else if (char === "[" && delimiter === "/") {
      const end = program.indexOf("]", at + 2);
      if (end === -1 || program.slice(at, end).includes("/")) return undefined;
      at = end;
    }
  }
  return undefined;
}
