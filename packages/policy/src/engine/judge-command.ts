import type { CallRequest } from "@nestbox/tool";

import type { PartDecision } from "../decision.ts";
import { showText } from "../explain/escape.ts";
import type { Part, Resource } from "../rules/compiled-match.ts";
import { quoteWord } from "../rules/words.ts";
import { analyzeCommand } from "../shell/analyze.ts";
import type { CommandFact, ResourceFact } from "../subject.ts";
import { askRules, partOf } from "./ask-rule.ts";
import { judgeResource } from "./judge-resource.ts";
import type { CommandRules, CompiledRule, EngineParts } from "./parts.ts";

export interface CommandJudgement {
  readonly parts: readonly PartDecision[];
  /** Environment variables that the rule which allows the command lets stand in front of it. */
  readonly env: readonly string[];
}

/**
 * Judges one command and what it touches. `otherwise` is what holds for a command that no rule names: the tool's own
 * permission.
 */
export function judgeCommand(
  engine: EngineParts,
  request: CallRequest,
  commands: readonly CommandFact[],
  index: number,
  resources: readonly Resource[],
  otherwise: PartDecision,
): CommandJudgement {
  const command = commands[index];
  if (command === undefined) return { parts: [], env: [] };
  const matched = (): string => showText(command.source);
  const part: Part = { request, command, resources };
  const { against, allows } = askRules(rulesFor(engine.commandRules, command), part, matched);
  const [allow] = allows;
  const own: PartDecision =
    allow !== undefined
      ? partOf(allow, matched())
      : otherwise.effect === "ask" && isShellsOwn(command)
        ? {
            effect: "allow",
            rule: "default.shell",
            layer: "built-in",
            matched: matched(),
            reason: "It only tells the shell how to go on with this line",
          }
        : otherwise.effect !== "allow" && startsAnother(commands, index)
          ? {
              effect: "allow",
              rule: "default.wrapper",
              layer: "built-in",
              matched: matched(),
              reason: "It only starts the command that is judged beside it",
            }
          : { ...otherwise, matched: matched() };
  const tests = allows.flatMap((rule) => rule.match.commands?.filter((one) => one.strict(command)) ?? []);
  // A rule of these very words means all that they do, and one that says which paths it means was asked about each.
  const exact = tests.some((test) => test.exact);
  const named = allows.some(({ rule }) => rule.path !== undefined);
  const granted = against.length === 0 && own.effect === "allow" ? own : undefined;
  const touched = resources.flatMap((resource) =>
    judgeResource(engine, request, resource, command, {
      otherwise: granted,
      // The rule names the program, wherever it stands; words of a rule say nothing about where the output goes.
      exact:
        named ||
        (exact && resource.fact.redirected !== true) ||
        (allow !== undefined && isProgramItself(command, resource)),
      // A fallback is a permission for whatever the tool does; a rule about a command is one for its operands.
      natural: otherwise.effect === "allow" || (allow !== undefined && isOwnBusiness(command, resource)),
    }),
  );
  return {
    parts: [...(against.length > 0 ? against : [own]), ...touched],
    env: tests.flatMap(({ env }) => env),
  };
}

/** The rules that can match a command. */
export function rulesFor(rules: CommandRules, command: CommandFact): readonly CompiledRule[] {
  const own = command.program === undefined ? undefined : rules.byProgram.get(command.program.toLowerCase());
  if (own === undefined) return rules.open;
  return rules.open.length === 0 ? own : [...own, ...rules.open];
}

/** Words that steer the shell of one line and reach nothing beyond it. */
const steering: ReadonlySet<string> = new Set(
  ": true false [[ [ test (( let set export declare local readonly read shift getopts break continue exit return wait".split(
    " ",
  ),
);
/** Those that print what the shell knows, secrets among it, unless they are told to set something. */
const setting: ReadonlySet<string> = new Set(["export", "declare", "local", "readonly"]);

/** Such a word, in a form that is known to do no more; what a test looks at is judged like everything that is read. */
function isShellsOwn(command: CommandFact): boolean {
  const { program } = command;
  if (program === undefined || !steering.has(program) || command.argv[0].value !== program) return false;
  if (!command.readOnly || !command.known) return false;
  if (program === "set" && command.argv.length < 2) return false;
  if (setting.has(program) && !command.operands.every(({ raw }) => raw.includes("="))) return false;
  if (setting.has(program) && command.operands.length === 0) return false;
  return command.resources.length === 0 || program === "[[" || program === "[" || program === "test";
}

/** A command that does nothing but start the next one, with no more power than that has; it is judged by itself. */
function startsAnother(commands: readonly CommandFact[], index: number): boolean {
  const command = commands[index];
  const next = commands[index + 1];
  if (command?.program === undefined || next === undefined) return false;
  if (command.wrapper !== "plain" || command.argv[0].value !== command.program) return false;
  return next.wrappers.length === command.wrappers.length + 1 && next.wrappers.at(-1) === command.program;
}

/**
 * Whether a resource is what the program does by itself to its operands, and not the target of a redirection or of an
 * option: `mkdir a` makes `a`, but it is `-i` that lets `sed` write.
 */
function isOwnBusiness(command: CommandFact, { fact }: Resource): boolean {
  if (fact.redirected === true) return fact.action === "read";
  if (fact.kind !== "path" || fact.action === "read") return true;
  if (fact.value === undefined) return false;
  // What an unknown program may do to its words is its own affair, in whatever form they are given.
  if (!command.known && fact.possible === true) return true;
  if (command.argv[0].value === fact.value) return true;
  if (!command.operands.some(({ value }) => value === fact.value)) return false;
  // What code that nobody reads may do to the files that it is given.
  if (fact.possible === true) return true;
  return !command.known || doesWithoutOptions(command, fact);
}

function doesWithoutOptions(command: CommandFact, fact: ResourceFact): boolean {
  const ends = command.argv.some(({ value }) => value === "--") ? ["--"] : [];
  const words = [command.argv[0], ...command.operands].map(({ value, raw }) => value ?? raw);
  const [program = "", ...operands] = words;
  const line = [program, ...command.subcommand, ...ends, ...operands].map(quoteWord).join(" ");
  const [plain] = analyzeCommand(line, command.cwd === undefined ? {} : { cwd: command.cwd }).commands;
  return (
    plain?.resources.some(({ action, value }) => action === fact.action && value === fact.value) === true
  );
}

function isProgramItself(command: CommandFact, { fact }: Resource): boolean {
  return fact.action === "execute" && fact.value !== undefined && fact.value === command.argv[0].value;
}
