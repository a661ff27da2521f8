import { isAbsolute, relative, resolve } from "node:path";

import { type CallSubject, type CommandFact, type ResourceFact, showText, type Word } from "@nestbox/policy";

const MAX_COMMANDS = 12;
const MAX_RESOURCES = 12;
const MAX_LINE_CHARS = 400;

/**
 * The commands of a shell call as the policy read them, one a line: quotes removed where words are known, wrappers
 * named, and what they touch. Nothing for a single plain command, which already stands there as it is.
 */
export function commandLines(subject: CallSubject): readonly string[] {
  const { resources, doubts, request } = subject;
  // A plain wrapper has no effect of its own and stands with what it starts.
  const commands = subject.commands.filter(({ wrapper }) => wrapper !== "plain");
  const lines: string[] = [];
  const first = commands[0] ?? subject.commands[0];
  if (first === undefined) return lines;
  const plain = commands.length === 1 && first.wrappers.length === 0 && words(first) === first.source;
  if (!plain) {
    for (const command of commands.slice(0, MAX_COMMANDS)) lines.push(commandLine(command, request.cwd));
    const left = commands.length - MAX_COMMANDS;
    if (left > 0) lines.push(`… ${left} more commands`);
  }
  const touched = [
    ...new Set(
      resources
        .filter(({ action }) => action !== "read")
        .map((resource) => resourceText(resource, request.cwd)),
    ),
  ];
  for (const text of touched.slice(0, MAX_RESOURCES)) lines.push(`touches: ${text}`);
  if (touched.length > MAX_RESOURCES) lines.push(`… touches ${touched.length - MAX_RESOURCES} more`);
  for (const { message } of doubts.slice(0, 3)) lines.push(`not sure: ${message}`);
  return lines.map((line) => showText(line, MAX_LINE_CHARS));
}

function commandLine(command: CommandFact, cwd: string): string {
  const through = command.wrappers.length === 0 ? "" : ` (through ${command.wrappers.join(", ")})`;
  const hidden = command.opaque === undefined ? "" : ` · code that nobody can see into: ${command.opaque}`;
  return `runs: ${words(command)}${through}${place(command.cwd, cwd)}${hidden}`;
}

/** Where a command runs, when that is not the folder of the call. */
function place(folder: string | undefined, cwd: string): string {
  if (folder === undefined) return " in a folder that is not known";
  const short = inside(resolve(cwd, folder), cwd);
  return short === "" ? "" : ` in ${short}`;
}

/** Relative to the folder of the call where it is inside of it, else absolute. */
function inside(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short.startsWith("..") || isAbsolute(short) ? path : short;
}

function words(command: CommandFact): string {
  return command.argv.map(word).join(" ");
}

/** A known word as it is, in quotes where it would not be one word; one that is decided later as written. */
function word({ value, raw }: Word): string {
  if (value === undefined) return `‹${raw}›`;
  return /^[\w@%+=:,./~^-]+$/.test(value) ? value : JSON.stringify(value);
}

function resourceText({ action, kind, value, base, force }: ResourceFact, cwd: string): string {
  if (value === undefined) return `${action} something that is not known yet`;
  const plain = kind !== "path" || base === undefined || /^[~/]/.test(value);
  const what = plain ? value : inside(resolve(cwd, base, value), cwd);
  return `${action} ${kind === "path" ? "" : `${kind} `}${what}${force === true ? " by force" : ""}`;
}
