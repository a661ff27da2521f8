import type { Argument, Command, Option } from "commander";

/** One word that may stand next. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** Names that only the program knows while it runs, for example tools; by command and name of the argument. */
export type DynamicNames = (command: string, argument: string) => Promise<readonly Candidate[]>;

/**
 * What may stand in the place of the last word. Read from commander's own tree, so that it never says anything else
 * than the help. Nothing where a file is expected: shells complete files themselves.
 */
export async function candidates(
  program: Command,
  words: readonly string[],
  dynamic: DynamicNames,
): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? "";
  const place = walk(program, words.slice(0, -1));
  const found =
    place.valueOf !== undefined
      ? choices(place.valueOf.argChoices)
      : current.startsWith("-")
        ? options(place.command, words)
        : [...subcommands(place.command), ...(await operands(place, dynamic))];
  return found.filter(({ value }) => value.startsWith(current));
}

interface Place {
  readonly command: Command;
  /** The option whose value comes next. */
  readonly valueOf: Option | undefined;
  /** Operands of the command that stand before. */
  readonly operands: number;
}

function walk(program: Command, words: readonly string[]): Place {
  let command = program;
  let valueOf: Option | undefined;
  let count = 0;
  for (const word of words) {
    if (valueOf !== undefined) {
      valueOf = undefined;
      continue;
    }
    if (word.startsWith("-") && word !== "-") {
      const option = command.options.find(({ short, long }) => short === word || long === word);
      if (option?.required === true) valueOf = option;
      continue;
    }
    const next = count === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    if (next === undefined) count += 1;
    else command = next;
  }
  return { command, valueOf, operands: count };
}

function options(command: Command, words: readonly string[]): readonly Candidate[] {
  const given = new Set(words);
  const all = command.createHelp().visibleOptions(command);
  return all.flatMap((option) => {
    const value = option.long ?? option.short ?? "";
    const repeatable = /\(repeatable\)/.test(option.description);
    return given.has(value) && !repeatable ? [] : [{ value, description: option.description }];
  });
}

function subcommands(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ value: one.name(), description: one.description() }));
}

async function operands(place: Place, dynamic: DynamicNames): Promise<readonly Candidate[]> {
  const { registeredArguments } = place.command;
  const last = registeredArguments.at(-1);
  const argument: Argument | undefined =
    registeredArguments[place.operands] ?? (last?.variadic === true ? last : undefined);
  if (argument === undefined) return [];
  if (argument.argChoices !== undefined) return choices(argument.argChoices);
  return dynamic(place.command.name(), argument.name());
}

function choices(values: readonly string[] | undefined): readonly Candidate[] {
  return (values ?? []).map((value) => ({ value, description: "" }));
}
