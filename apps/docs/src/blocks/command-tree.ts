/** The words of the command line, as the program itself declares them. */
import { PassThrough } from "node:stream";

import { createProgram } from "nestbox/src/program.ts";

export type Command = ReturnType<typeof createProgram>;

/** The program with all of its commands; nothing of it is carried out. */
export function commandTree(): Command {
  return createProgram({
    streams: { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() },
    signal: new AbortController().signal,
    done: () => {},
  });
}

/** Every command below `command` that a person may see, with its full name, in the order of the help. */
export function commandsBelow(
  command: Command,
  prefix = command.name(),
): readonly { readonly name: string; readonly command: Command }[] {
  return command.commands.flatMap((one) => {
    const name = `${prefix} ${one.name()}`;
    return [{ name, command: one }, ...commandsBelow(one, name)];
  });
}

/** What is wrong with the words after `nestbox`; `undefined` when the program would take them. */
export function wordsFault(tree: Command, words: readonly string[]): string | undefined {
  let command = tree;
  let rest = words;
  for (;;) {
    const [first] = rest;
    const next = command.commands.find((one) => one.name() === first);
    if (next === undefined) break;
    command = next;
    rest = rest.slice(1);
  }
  const name = [tree.name(), ...words.slice(0, words.length - rest.length)].join(" ");
  if (rest.includes("--help") || rest.includes("-h")) return undefined;
  if (command === tree && (rest[0] === "--version" || rest[0] === "help")) return undefined;
  if (command.commands.length > 0) return `${name} has no command ${rest[0] ?? "(none is given)"}`;
  const operands: string[] = [];
  let ended = false;
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] ?? "";
    if (ended || word === "-" || !word.startsWith("-")) {
      operands.push(word);
      continue;
    }
    if (word === "--") {
      ended = true;
      continue;
    }
    const [flag, glued] = word.startsWith("--") ? word.split(/=(.*)/s) : [word];
    const option = command.options.find(({ long, short }) => long === flag || short === flag);
    if (option === undefined) return `${name} has no option ${flag}`;
    if (!option.required && !option.optional) continue;
    const value = glued ?? rest[(index += 1)];
    if (value === undefined) return `${name} ${flag} needs a value`;
    if (option.argChoices?.includes(value) === false) return `${name} ${flag} does not take ${value}`;
    try {
      option.parseArg?.(value, undefined as never);
    } catch (error) {
      return `${name} ${flag} ${value}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  for (const option of command.options) {
    const given = rest.some((word) => word.split("=")[0] === option.long || word === option.short);
    if (option.mandatory && !given) return `${name} needs ${option.long}`;
  }
  const expected = command.registeredArguments;
  const missing = expected.slice(operands.length).find((argument) => argument.required);
  if (missing) return `${name} needs <${missing.name()}>`;
  if (operands.length > expected.length && expected.at(-1)?.variadic !== true)
    return `${name} does not take ${operands[expected.length]}`;
  for (const [index, argument] of expected.entries()) {
    const value = operands[index];
    if (value !== undefined && argument.argChoices?.includes(value) === false)
      return `${name} does not take ${value}`;
  }
  return undefined;
}
