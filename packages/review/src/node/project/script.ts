/** What a package script runs, as far as its text tells. It is read, never put together again and run. */
export interface ScriptShape {
  /** Words of each command, quotes removed, leading `NAME=value` words dropped. */
  readonly commands: readonly (readonly string[])[];
  /** The commands follow one another with `&&` only, so that added arguments reach the last one. */
  readonly sequence: boolean;
}

const maxScriptChars = 4_000;

/** Splits a script into commands and words. Enough to recognise a runner; a shell knows more. */
export function readScript(script: string): ScriptShape {
  if (script.length > maxScriptChars) return { commands: [], sequence: false };
  const commands: string[][] = [[]];
  let sequence = true;
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  for (let index = 0; index < script.length; index += 1) {
    const character = script.charAt(index);
    if (character === '"' || character === "'") {
      const end = script.indexOf(character, index + 1);
      if (end === -1) return { commands: [], sequence: false };
      word = (word ?? "") + script.slice(index + 1, end);
      index = end;
    } else if (character === " " || character === "\t") endWord();
    else if (script.startsWith("&&", index)) {
      endWord();
      commands.push([]);
      index += 1;
    } else if ("|;&\n()<>`$#".includes(character)) {
      // Added arguments would not reach the command, or not as words.
      sequence = false;
      endWord();
      commands.push([]);
    } else if (character === "\\" && index + 1 < script.length) {
      word = (word ?? "") + script.charAt(index + 1);
      index += 1;
    } else word = (word ?? "") + character;
  }
  endWord();
  return {
    commands: commands.map(withoutAssignments).filter((words) => words.length > 0),
    sequence,
  };
}

function withoutAssignments(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  return first === -1 ? [] : words.slice(first);
}

/** The name of a program without folder and ending: `./node_modules/jest/bin/jest.js` is `jest`. */
export function programName(word: string): string {
  return (word.split(/[\\/]/).at(-1) ?? word).replace(/\.(?:[cm]?js|cmd|exe|ps1)$/, "");
}

export type ScriptRunner = "vitest" | "jest" | "mocha" | "playwright" | "bun" | "node:test" | "tap";

export type ScriptTarget =
  | { readonly kind: "runner"; readonly runner: ScriptRunner; readonly tap?: "tape" | "ava" | "tap" }
  /** Runs another script of the same package. */
  | { readonly kind: "script"; readonly name: string }
  /** Runs the script in every package of the workspace. */
  | { readonly kind: "workspaces" }
  | { readonly kind: "unknown" };

const named: Readonly<Record<string, ScriptRunner>> = {
  vitest: "vitest",
  jest: "jest",
  mocha: "mocha",
  _mocha: "mocha",
};
const managers: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);
const fanOut: ReadonlySet<string> = new Set(["turbo", "nx", "lerna", "wireit", "ultra"]);

/** What one command of a script starts: a test runner, another script, or every package of the workspace. */
export function scriptTarget(words: readonly string[], scriptNames: ReadonlySet<string>): ScriptTarget {
  const [first = "", second = ""] = words.map(programName);
  if (managers.has(first)) {
    const wide = words.some(
      (word) =>
        /^(?:-r|--recursive|--workspaces?|-ws|-w|--filter(?:=.*)?|-F|workspaces?|foreach)$/.test(word) ||
        word.startsWith("--filter"),
    );
    if (wide) return { kind: "workspaces" };
    if (first === "bun" && second === "test") return { kind: "runner", runner: "bun" };
    const name =
      second === "run" || second === "run-script"
        ? words[2]
        : second === "t" || second === "tst"
          ? "test"
          : words[1];
    if (name !== undefined && scriptNames.has(name)) return { kind: "script", name };
  }
  if (fanOut.has(first)) return { kind: "workspaces" };
  for (const [index, word] of words.entries()) {
    const name = programName(word);
    const next = words[index + 1];
    if (Object.hasOwn(named, name)) return { kind: "runner", runner: named[name] ?? "mocha" };
    if (name === "playwright" && next === "test") return { kind: "runner", runner: "playwright" };
    if (name === "react-scripts" && next === "test") return { kind: "runner", runner: "jest" };
    if (name === "bun" && next === "test") return { kind: "runner", runner: "bun" };
    if (name === "tape" || name === "ava" || name === "tap")
      return { kind: "runner", runner: "tap", tap: name };
    if (
      word === "--test" &&
      words.slice(0, index).some((before) => /^(?:node|tsx|ts-node|esrun)/.test(programName(before)))
    ) {
      return { kind: "runner", runner: "node:test" };
    }
  }
  return { kind: "unknown" };
}
