import { Command, CommanderError } from "commander";

import type { CommandContext } from "./commands/command.ts";
import { commands } from "./commands/list.ts";
import { COMPLETE_WORD } from "./completion/scripts.ts";
import { exitCodes } from "./exit-codes.ts";
import { type Streams, writeJsonLine } from "./output.ts";
import { failedReport } from "./report/json.ts";
import { version } from "./version.ts";

/** Carries out one command line, without the program's own name, and returns the exit code. Never rejects. */
export async function main(argv: readonly string[], streams: Streams, signal: AbortSignal): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const program = createProgram({ streams, signal, done: (code) => (exitCode = code) });
  if (argv[0] === COMPLETE_WORD) {
    const { complete } = await import("./actions/complete.ts");
    return complete(program, argv.slice(1), streams);
  }
  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    return tell(error, argv, streams);
  }
  return exitCode;
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
      // The one place that tells of wrong usage is `tell`.
      outputError: () => {},
    })
    .showSuggestionAfterError(true);
  for (const add of commands) add(program, context);
  return program;
}

function tell(error: unknown, argv: readonly string[], streams: Streams): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
  const failure = failureOf(error);
  if (argv.includes("--json")) writeJsonLine(streams, failedReport(failure));
  streams.stderr.write(
    `nestbox: ${failure.message}\n${failure.kind === "usage" ? "Try: nestbox --help\n" : ""}`,
  );
  return failure.exitCode;
}

interface Failure {
  readonly kind: "usage" | "script" | "sandbox";
  readonly name: string;
  readonly message: string;
  readonly exitCode: number;
}

function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message.replace(/^error: /, "") : String(error);
  if (error instanceof CommanderError || codeOf(error) === "usage") {
    return { kind: "usage", name: "UsageError", message, exitCode: exitCodes.usage };
  }
  if (codeOf(error) === "script")
    return { kind: "script", name: "SyntaxError", message, exitCode: exitCodes.script };
  return { kind: "sandbox", name: "Error", message, exitCode: exitCodes.sandbox };
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
