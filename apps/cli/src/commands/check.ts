import type { CheckOptions } from "../actions/check.ts";
import { type AddCommand, JSON_OPTION, positiveInteger, withTools } from "./command.ts";

export const addCheck: AddCommand = (program, { streams, signal, done }) => {
  withTools(
    program
      .command("check")
      .description("check the types of a script against the tools' declarations; nothing of it is run")
      .argument("<script>", "a file, or - for standard input"),
  )
    .option("--timeout-ms <n>", "time for the check (default: 30000)", positiveInteger)
    .option(...JSON_OPTION)
    .action(async (script: string, options: CheckOptions) => {
      const { check } = await import("../actions/check.ts");
      done(await check(script, options, streams, signal));
    });
};
