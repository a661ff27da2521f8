import { Command } from "commander";

import type { CommandContext } from "./commands/command.ts";
import { commands } from "./commands/list.ts";
import { COMPLETE_WORD } from "./completion/scripts.ts";
import { exitCodes } from "./exit-codes.ts";
import type { FleetWorld } from "./fleet/fleet-world.ts";
import type { Interrupts } from "./interrupts.ts";
import type { Streams } from "./output.ts";
import { tellFailure } from "./report/failure.ts";
import { version } from "./version.ts";

/** Carries out one command line, without the program's own name, and returns the exit code. Never rejects. */
export async function main(
  argv: readonly string[],
  streams: Streams,
  signal: AbortSignal,
  interrupts?: Interrupts,
  fleet?: FleetWorld,
): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const program = createProgram({
    streams,
    signal,
    done: (code) => (exitCode = code),
    ...(interrupts === undefined ? {} : { interrupts }),
    ...(fleet === undefined ? {} : { fleet }),
  });
  if (argv[0] === COMPLETE_WORD) {
    const { complete } = await import("./actions/complete.ts");
    return complete(program, argv.slice(1), streams);
  }
  try {
    await program.parseAsync(unknownWord(program, argv) ?? [...argv], { from: "user" });
  } catch (error) {
    return tellFailure(error, argv.includes("--json"), streams, commandOf(program, argv));
  }
  return exitCode;
}

/** A first word that is no command is told of, also where help for it is wanted: there is none. */
function unknownWord(program: Command, argv: readonly string[]): string[] | undefined {
  const word = argv[argv[0] === "help" ? 1 : 0];
  if (word === undefined || word.startsWith("-") || word === "help") return undefined;
  return under(program, word) === undefined ? [word] : undefined;
}

function under(command: Command, word: string | undefined): Command | undefined {
  return command.commands.find((one) => one.name() === word);
}

/** The command that is meant by the first words, for example `nestbox policy check`: whose help says what it takes. */
function commandOf(program: Command, argv: readonly string[]): string {
  let command = program;
  const names = [program.name()];
  for (const word of argv) {
    const next = under(command, word);
    if (next === undefined) break;
    command = next;
    names.push(next.name());
  }
  return names.join(" ");
}

/** The whole tree of commands; what they do is loaded when one is used, so that help and a wrong word are answered at once. */
export function createProgram(context: CommandContext): Command {
  const { streams } = context;
  const program = new Command("nestbox")
    .description("Run codemode scripts against governed tools.")
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: (text) => void streams.stderr.write(text),
      // The one place that tells of wrong usage is `tellFailure`.
      outputError: () => {},
    })
    .showSuggestionAfterError(true)
    .addHelpText(
      "after",
      `
Exit codes:
  0 all is well              1 the script failed, or something was found
  2 wrong words, no file     3 a call was denied
  4 time, memory, a limit    5 no sandbox
  6 replay: not as recorded  7 the fleet does not answer
  130 interrupted

Begin with: nestbox doctor, nestbox tools, nestbox run --eval 'return 6 * 7'`,
    );
  for (const add of commands) add(program, context);
  return program;
}
