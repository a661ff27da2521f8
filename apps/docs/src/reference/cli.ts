/** The reference of the command line, made of the program's own words, options and help. */
import { commandsBelow, commandTree, type Command } from "../blocks/command-tree.ts";
import { cell } from "./cell.ts";

/** `guide` is where the page about the command line is. */
export function makeCliReference(guide: string): string {
  const lines = [
    "Every command with its options, as the program declares them. What they mean together, the JSON that they print and " +
      `the exit codes are on the page of [the command line](${guide}).`,
  ];
  for (const { name, command } of commandsBelow(commandTree())) {
    if (command.name() === "help" || command.commands.length > 0) continue;
    lines.push("", `## ${name}`, "", sentence(command.description()), "");
    lines.push("```text", `${name} ${command.usage()}`, "```");
    if (command.registeredArguments.length > 0) lines.push("", ...argumentTable(command));
    const options = command.options.filter((option) => !option.hidden);
    if (options.length > 0) lines.push("", ...optionTable(options));
    const after = helpAfter(command);
    if (after !== "") lines.push("", "```text", after, "```");
  }
  return `${lines.join("\n")}\n`;
}

function argumentTable({ registeredArguments }: Command): readonly string[] {
  const rows = registeredArguments.map((argument) => {
    const many = argument.variadic ? "…" : "";
    const name = argument.required ? `<${argument.name()}${many}>` : `[${argument.name()}${many}]`;
    return `| ${cell(`\`${name}\``)} | ${cell(described(argument.description, argument.argChoices))} |`;
  });
  return ["| Argument | Meaning |", "| --- | --- |", ...rows];
}

function optionTable(options: Command["options"]): readonly string[] {
  const rows = options.map((option) => `| ${cell(`\`${option.flags}\``)} | ${cell(meaning(option))} |`);
  return ["| Option | Meaning |", "| --- | --- |", ...rows];
}

function meaning({
  description,
  argChoices,
  mandatory,
  required,
  defaultValue,
}: Command["options"][number]): string {
  const value: unknown = required ? defaultValue : undefined;
  // Some say their default in words.
  const preset =
    value === undefined || /default/.test(description) ? "" : ` (default: ${JSON.stringify(value)})`;
  return `${described(description, argChoices)}${preset}${mandatory ? " (needed)" : ""}`;
}

function described(description: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? description : `${description}: ${choices.join(", ")}`;
}

/** What the help of a command says after its options. */
function helpAfter(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return help
    .slice(command.helpInformation().length)
    .replace(/^\s*\n/, "")
    .trimEnd();
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
