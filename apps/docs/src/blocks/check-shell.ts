/**
 * Reads the blocks of shell commands, with the parser that the policy reads them with; nothing is run. Each command has
 * to be one that a reader can give: the words of `nestbox` and of `pnpm` exist, and what is installed is a package.
 */
import { existsSync } from "node:fs";

import { createEngine } from "@nestbox/policy";

import type { Block } from "../markdown.ts";
import { root } from "../root.ts";
import { commandTree, wordsFault, type Command } from "./command-tree.ts";
import type { Fault } from "./fault.ts";
import { knownNames, type Known } from "./known.ts";

/** Programs that a reader has, whose words are their own. */
const PLAIN = new Set([
  "cat",
  "cd",
  "cp",
  "curl",
  "echo",
  "export",
  "git",
  "mkdir",
  "node",
  "printf",
  "source",
]);

export function isShell({ language }: Block): boolean {
  return language === "sh";
}

interface Tables {
  readonly tree: Command;
  readonly known: Known;
}

export function checkShell(blocks: readonly Block[]): readonly Fault[] {
  const tables: Tables = { tree: commandTree(), known: knownNames() };
  const engine = createEngine({ layers: [], home: "/home/reader" });
  return blocks.flatMap((block) => {
    const { subject } = engine.evaluate({
      callId: "block",
      chain: [],
      tool: { name: "bash", source: { kind: "builtin" } },
      input: { command: block.text },
      cwd: "/home/reader/project",
      actor: "agent",
    });
    const faults: Fault[] = [];
    for (const doubt of subject.doubts.filter(({ kind }) => kind === "syntax" || kind === "limit"))
      faults.push({ page: block.page, line: block.line, message: doubt.message });
    for (const command of subject.commands) {
      // What a wrapper starts is judged with the wrapper: `npx` and `npm exec` are.
      if (command.wrappers.length > 0) continue;
      const words = command.argv.map((word) => word.value ?? word.raw);
      const message = commandFault(words, tables);
      if (message === undefined) continue;
      const at = block.text.split("\n").findIndex((line) => line.includes(command.argv[0].raw));
      const exact = block.text
        .split("\n")
        .findIndex((line) => line.includes(command.source.split("\n")[0] ?? ""));
      faults.push({ page: block.page, line: block.line + Math.max(0, exact === -1 ? at : exact), message });
    }
    return faults;
  });
}

function commandFault([program = "", ...words]: readonly string[], tables: Tables): string | undefined {
  if (PLAIN.has(program)) return undefined;
  if (program === "nestbox") return wordsFault(tables.tree, words);
  if (program === "pnpm") return pnpmFault(words, tables);
  if (program === "npx") return npxFault(words, tables);
  if (program === "npm") return npmFault(words, tables.known);
  if (program === "pi") return piFault(words, tables.known);
  if (program === "bash") {
    const [file = ""] = words;
    return existsSync(root + file) ? undefined : `there is no ${file} to run`;
  }
  return `${program} is no command that this checker knows`;
}

function npxFault(words: readonly string[], tables: Tables): string | undefined {
  const [first = "", ...rest] = words.filter((word) => word !== "-y");
  if (/^pnpm@\d+$/.test(first)) return pnpmFault(rest, tables);
  if (first === "nestbox") return wordsFault(tables.tree, rest);
  return `npx ${first}: name pnpm with its version, or nestbox`;
}

function pnpmFault(words: readonly string[], { tree, known }: Tables): string | undefined {
  const [first = "", ...rest] = words;
  if (first === "add") return packagesFault(rest, known);
  if (first === "--filter") {
    const [name = "", script = ""] = rest;
    if (name === "@nestbox/example-<name>") return undefined;
    const scripts = known.scripts.get(name);
    if (scripts === undefined) return `there is no package ${name} in this workspace`;
    return scripts.has(script) ? undefined : `${name} has no script ${script}`;
  }
  if (first === "nestbox") return wordsFault(tree, rest);
  const script = first === "run" ? (rest[0] ?? "") : first;
  return known.scripts.get("")?.has(script) === true ? undefined : `there is no script ${script}`;
}

function npmFault(words: readonly string[], known: Known): string | undefined {
  const [first = "", ...rest] = words;
  if (first === "init" || first === "test") return undefined;
  if (first === "pkg" && rest[0] === "set") return undefined;
  if (first !== "install") return `npm ${first} is not looked at by this checker`;
  return packagesFault(rest, known);
}

function packagesFault(words: readonly string[], { packages }: Known): string | undefined {
  const names = words.filter((word) => !word.startsWith("-") && !/^[./~]|\.tgz$/.test(word));
  const unknown = names.find((name) => !packages.has(name));
  return unknown === undefined ? undefined : `${unknown} is a package that nothing here knows`;
}

/** Switches of Pi that take no value. */
const PI_SWITCHES = new Set(["--offline", "--no-session", "-p"]);

/** The commands that the extension brings: `/codemode return 1` needs no model. */
const PI_COMMANDS = new Set(["/codemode", "/review", "/trace", "/policy"]);

function promptFault([prompt = "", ...more]: readonly string[]): string | undefined {
  const [command = ""] = prompt.split(" ");
  if (more.length > 0) return `pi -p does not take ${more.join(" ")}`;
  return PI_COMMANDS.has(command) ? undefined : `${command} is no command of the extension`;
}

function piFault(words: readonly string[], { published }: Known): string | undefined {
  const [first = "", second = ""] = words;
  if (first === "-e") return undefined;
  const own = words.findIndex((word) => !PI_SWITCHES.has(word));
  // A prompt that is a command: what stands in front of it takes no value.
  if (words[own - 1] === "-p") return promptFault(words.slice(own));
  if (first !== "install") return `pi ${first} is not looked at by this checker`;
  if (/^[./~]/.test(second)) return undefined;
  const name = second.replace(/^npm:/, "");
  return second.startsWith("npm:") && published.has(name) ? undefined : `pi cannot install ${second}`;
}
