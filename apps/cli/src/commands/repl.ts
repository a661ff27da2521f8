import type { ReplOptions } from "../actions/repl.ts";
import {
  type AddCommand,
  collect,
  MCP_OPTION,
  POLICY_OPTION,
  positiveInteger,
  withTools,
} from "./command.ts";

export const addRepl: AddCommand = (program, { streams, signal, interrupts, done }) => {
  withTools(
    program
      .command("repl")
      .description("call tools entry by entry; what one entry declares the next one finds"),
  )
    .option(...MCP_OPTION, collect)
    .option(...POLICY_OPTION, collect)
    .option("--memory-mb <n>", "memory of the session's isolate", positiveInteger)
    .option("--node <path>", "the Node 24 or 26 that runs the sandbox")
    .option("--no-history", "keep no file of what is typed")
    .action(async (options: ReplOptions) => {
      const { repl } = await import("../actions/repl.ts");
      done(await repl(options, streams, signal, interrupts));
    });
};
