import { Command, CommanderError, InvalidArgumentError } from "commander";

import type { RunOptions } from "./commands/run.ts";
import type { PolicyOptions } from "./commands/policy.ts";
import { exitCodes } from "./exit-codes.ts";
import { type Streams, writeJsonLine } from "./output.ts";
import { failedReport } from "./report/json.ts";
import { version } from "./version.ts";

/** Carries out one command line, without the program's own name, and returns the exit code. Never rejects. */
export async function main(argv: readonly string[], streams: Streams, signal: AbortSignal): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const program = new Command("nestbox")
    .description("Run codemode scripts against governed tools.")
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: (text) => void streams.stderr.write(text),
      // The one place that tells of wrong usage is the catch below.
      outputError: () => {},
    })
    .showSuggestionAfterError(true);

  program
    .command("run")
    .description("run a script (JavaScript or TypeScript) whose only power is calling tools")
    .argument("<script>", "a file, or - for standard input")
    .option("--json", "print one JSON object as the last line")
    .option(
      "--tools <module>",
      "a module whose default export is a list of tools, instead of the review tools (repeatable)",
      collect,
    )
    .option("--policy <file>", "a policy file (repeatable); without it the annotation default holds", collect)
    .option(
      "--timeout-ms <n>",
      "wall time of the script, without the time a person is asked",
      positiveInteger,
    )
    .option("--memory-mb <n>", "memory of the script's isolate", positiveInteger)
    .option("--cwd <folder>", "working folder of the tools")
    .option("--node <path>", "the Node 24 or 26 that runs the sandbox")
    .action(async (script: string, options: RunOptions) => {
      // Loaded when it is needed, so that help and a wrong word are answered at once.
      const { run } = await import("./commands/run.ts");
      exitCode = await run(script, options, streams, signal);
    });

  addPolicyCommands(program, streams, (code) => {
    exitCode = code;
  });

  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    return tell(error, argv, streams);
  }
  return exitCode;
}

function addPolicyCommands(program: Command, streams: Streams, done: (exitCode: number) => void): void {
  const commands = async () => import("./commands/policy.ts");
  const policy = program
    .command("policy")
    .description("see what a policy says, and test it, before it is used");
  const withFiles = (command: Command): Command =>
    command
      .option(
        "--policy <file>",
        "a policy file of the user's layer (repeatable); default: the usual places",
        collect,
      )
      .option("--managed <file>", "a policy file of the managed layer (repeatable)", collect)
      .option("--project <file>", "a policy file of the project's layer (repeatable)", collect)
      .option("--cwd <folder>", "working folder of the call")
      .option("--json", "print one JSON object as the last line");

  withFiles(
    policy
      .command("explain")
      .description("explain what the policy says about a command line; nothing is run"),
  )
    .argument("<command>", "the command line, as one word")
    .action(async (command: string, options: PolicyOptions) =>
      done((await commands()).explainPolicy(command, options, streams)),
    );
  withFiles(policy.command("check").description("decide one call, given as JSON; nothing is run"))
    .requiredOption("--call <file>", "a JSON file with tool, input and more, or - for standard input")
    .action(async (options: PolicyOptions & { call: string }) =>
      done(await (await commands()).checkPolicy(options, streams)),
    );
  withFiles(
    policy.command("test").description("load the files with their examples, and decide files of cases"),
  )
    .argument("[cases...]", "files of calls with a decision, as a JSON list or JSON lines")
    .action(async (cases: string[], options: PolicyOptions) =>
      done((await commands()).testPolicyFiles(cases, options, streams)),
    );
  withFiles(
    policy.command("lint").description("show what is allowed by accident, said twice or never tested"),
  ).action(async (options: PolicyOptions) => done((await commands()).lintPolicyFiles(options, streams)));
  withFiles(policy.command("log").description("read and verify the audit; show hits a rule"))
    .option("--dir <folder>", "folder of the audit; default: Pi's agent folder")
    .option("--session <text>", "only logs whose name contains this")
    .action(async (options: PolicyOptions & { dir?: string; session?: string }) =>
      done((await commands()).logPolicy(options, streams)),
    );
  policy
    .command("import")
    .description("make a policy file of another tool's rules")
    .argument("<from>", "claude-code, codex or opencode")
    .argument("<file>", "the other tool's file")
    .option("--output <file>", "write a new policy file")
    .option("--json", "print one JSON object as the last line")
    .action(async (from: string, file: string, options: { json?: boolean; output?: string }) =>
      done((await commands()).importPolicy(from, file, options, streams)),
    );
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

function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

function positiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number <= 0)
    throw new InvalidArgumentError("It must be a whole number above 0.");
  return number;
}
