import type { CheckOptions } from "../actions/check.ts";
import {
  type AddCommand,
  collect,
  CONFIG_OPTION,
  JSON_OPTION,
  positiveInteger,
  TOOLS_OPTION,
} from "./command.ts";

export const addCheck: AddCommand = (program, { streams, signal, done }) => {
  program
    .command("check")
    .description("check the types of a script against the tools' declarations; nothing of it is run")
    .argument("<script>", "a file, or - for standard input")
    .option(...TOOLS_OPTION, collect)
    .option(...CONFIG_OPTION)
    .option("--cwd <folder>", "working folder of the tools")
    .option("--timeout-ms <n>", "time for the check (default: 30000)", positiveInteger)
    .option(...JSON_OPTION)
    .action(async (script: string, options: CheckOptions) => {
      const { check } = await import("../actions/check.ts");
      done(await check(script, options, streams, signal));
    });
};
