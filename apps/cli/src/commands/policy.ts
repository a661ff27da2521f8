import { Argument, type Command } from "commander";

import type { PolicyOptions } from "../actions/policy.ts";
import type { CatalogOptions } from "../compose/open-catalog.ts";
import { type AddCommand, collect, EXTENSION_OPTION, JSON_OPTION, TOOLS_OPTION } from "./command.ts";

export const addPolicy: AddCommand = (program, { streams, signal, done }) => {
  const commands = async () => import("../actions/policy.ts");
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
      .option(...JSON_OPTION);

  withFiles(
    policy
      .command("explain")
      .description("explain what the policy says about a command line; nothing is run"),
  )
    .argument("<command>", "the command line, as one word")
    .addHelpText("after", "\nWhat it says about a call of a tool: nestbox policy check --call FILE")
    .action(async (command: string, options: PolicyOptions) =>
      done((await commands()).explainPolicy(command, options, streams)),
    );
  withFiles(
    policy
      .command("check")
      .description("decide one call, given as JSON; nothing is run")
      .requiredOption("--call <file>", "a JSON file with tool, input and more, or - for standard input"),
  )
    .option(...TOOLS_OPTION, collect)
    .option(...EXTENSION_OPTION, collect)
    .addHelpText(
      "after",
      `
A call:  { "tool": "bash", "input": { "command": "npm test" } }
It may also say: cwd, source (builtin, extension, sdk), server (of MCP),
annotations, calledBy (a list of tools). What it does not say of a tool that is
known here (the review tools, or those of --tools and --extension) is taken from
it. A command line alone: nestbox policy explain.`,
    )
    .action(async (options: PolicyOptions & CatalogOptions & { call: string }) =>
      done(await (await commands()).checkPolicy(options, streams, signal)),
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
  )
    // It takes none; the action says how a file is named.
    .allowExcessArguments(true)
    .action(async (options: PolicyOptions, command: Command) =>
      done((await commands()).lintPolicyFiles(command.args, options, streams)),
    );
  withFiles(policy.command("log").description("read and verify the audit; show hits a rule"))
    .option("--dir <folder>", "folder of the audit; default: Pi's agent folder")
    .option("--session <text>", "only logs whose name contains this")
    .action(async (options: PolicyOptions & { dir?: string; session?: string }) =>
      done((await commands()).logPolicy(options, streams)),
    );
  policy
    .command("import")
    .description("make a policy file of another tool's rules")
    .addArgument(new Argument("<from>", "whose rules they are").choices(["claude-code", "codex", "opencode"]))
    .argument("<file>", "the other tool's file")
    .option("--output <file>", "write a new policy file")
    .option(...JSON_OPTION)
    .action(async (from: string, file: string, options: { json?: boolean; output?: string }) =>
      done((await commands()).importPolicy(from, file, options, streams)),
    );
};
