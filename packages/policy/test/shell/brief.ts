import type { CommandFact, ResourceFact } from "../../src/subject.ts";
import { analyzeCommand, type ShellFacts } from "../../src/shell/analyze.ts";
import type { AnalyzeOptions } from "../../src/shell/analysis.ts";

/** The layout that the cases share: working folder /w, home /home/u. */
export function analyze(text: string, options: AnalyzeOptions = {}): ShellFacts {
  return analyzeCommand(text, { cwd: "/w", home: "/home/u", ...options });
}

/** A resource in one line: `write out.txt`, `delete build (tree)`, `write ref main (force)`, `read a @/w/sub`. */
export function briefResource(resource: ResourceFact): string {
  const marks = [
    resource.extent !== undefined && resource.extent !== "exact" ? resource.extent : "",
    resource.force === true ? "force" : "",
    resource.possible === true ? "possible" : "",
  ].filter((mark) => mark !== "");
  const kind = resource.kind === "path" ? "" : `${resource.kind} `;
  const elsewhere = resource.kind === "path" && resource.base !== "/w" ? ` @${resource.base ?? "?"}` : "";
  const tail = marks.length > 0 ? ` (${marks.join(", ")})` : "";
  return `${resource.action} ${kind}${resource.value ?? "?"}${elsewhere}${tail}`;
}

/** A command in one line: wrappers, program, subcommand, flags with values, operands. */
export function briefCommand(command: CommandFact): string {
  const wrappers = command.wrappers.map((wrapper) => `${wrapper}>`).join("");
  const flags = command.flags.map((flag) =>
    flag.value === undefined ? flag.name : `${flag.name}=${flag.value.value ?? "?"}`,
  );
  const operands = command.operands.map((operand) => operand.value ?? "?");
  return [wrappers + (command.program ?? "?"), ...command.subcommand, ...flags, ...operands].join(" ");
}

export function commands(text: string, options?: AnalyzeOptions): string[] {
  return analyze(text, options).commands.map(briefCommand);
}

/** All resources that are sure, or with `possible` all. */
export function resources(text: string, options?: AnalyzeOptions): string[] {
  return analyze(text, options).resources.map(briefResource);
}

export function doubts(text: string, options?: AnalyzeOptions): string[] {
  return [...new Set(analyze(text, options).doubts.map((doubt) => doubt.kind))];
}

/** The first command of a text, where what it starts is not meant. */
export function first(text: string, options?: AnalyzeOptions): CommandFact {
  const found = analyze(text, options).commands[0];
  if (found === undefined) throw new Error(`no command in ${text}`);
  return found;
}

/** The last command of a text, where there must be one. */
export function last(text: string, options?: AnalyzeOptions): CommandFact {
  const found = analyze(text, options).commands.at(-1);
  if (found === undefined) throw new Error(`no command in ${text}`);
  return found;
}
