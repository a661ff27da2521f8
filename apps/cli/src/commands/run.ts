import type { RunOptions } from "../actions/run.ts";
import {
  type AddCommand,
  collect,
  DRY_RUN_OPTION,
  JSON_OPTION,
  MCP_OPTION,
  POLICY_OPTION,
  positiveInteger,
  withTools,
} from "./command.ts";

export const addRun: AddCommand = (program, { streams, signal, done }) => {
  withTools(
    program
      .command("run")
      .description("run a script (JavaScript or TypeScript) whose only power is calling tools")
      .argument("[script]", "a file, or - for standard input")
      .option("-e, --eval <code>", "the script itself, instead of a file"),
  )
    .option(...JSON_OPTION)
    .option(...MCP_OPTION, collect)
    .option(...POLICY_OPTION, collect)
    .option(...DRY_RUN_OPTION)
    .option(
      "--timeout-ms <n>",
      "wall time of the script, without the time a person is asked",
      positiveInteger,
    )
    .option("--memory-mb <n>", "memory of the script's isolate", positiveInteger)
    .option("--node <path>", "the Node 24 or 26 that runs the sandbox")
    .option(
      "--trace <file>",
      "write the call tree as JSON, with redacted arguments; replaces a file that is there",
    )
    .option(
      "--record <file>",
      "write what nestbox replay repeats, calls and results as they were; replaces a file that is there",
    )
    .option("--watch", "run again whenever the script or a policy file changes, until interrupted")
    .addHelpText(
      "after",
      `
Examples:
  nestbox run review.ts
  nestbox run --eval 'return ALL_TOOLS.map((tool) => tool.name)'
  nestbox run review.ts --policy review.policy.jsonc --json`,
    )
    .action(async (script: string | undefined, options: RunOptions) => {
      const { run } = await import("../actions/run.ts");
      if (options.watch !== true) return done(await run(script, options, streams, signal));
      const { watch } = await import("../actions/watch.ts");
      done(await watch(script, options, streams, signal));
    });
};
