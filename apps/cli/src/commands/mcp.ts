import type { McpOptions } from "../actions/mcp.ts";
import {
  type AddCommand,
  collect,
  DRY_RUN_OPTION,
  DEFAULT_PORT,
  POLICY_OPTION,
  port,
  positiveInteger,
  withTools,
} from "./command.ts";

export const addMcp: AddCommand = (program, { streams, signal, done }) => {
  withTools(
    program
      .command("mcp")
      .description("serve the tools and a codemode tool to any MCP client, with the policy in front"),
  )
    .option(...POLICY_OPTION, collect)
    .option(...DRY_RUN_OPTION)
    .option("--http", "serve over HTTP, until interrupted, instead of standard input and output")
    .option("--port <n>", "port of --http; 0 lets the system choose", port, DEFAULT_PORT)
    .option(
      "--hostname <name>",
      "address of --http (default: 127.0.0.1); others need a token in NESTBOX_MCP_TOKEN",
    )
    .option("--no-codemode", "serve the tools alone")
    .option("--timeout-ms <n>", "wall time of a script", positiveInteger)
    .option("--memory-mb <n>", "memory of a script's isolate", positiveInteger)
    .option("--node <path>", "the Node 24 or 26 that runs the sandbox")
    .addHelpText(
      "after",
      `
Nobody can be asked over MCP: what the policy would ask about is denied, and the
denial says so.

In a client's configuration:
  { "mcpServers": { "nestbox": {
    "command": "nestbox",
    "args": ["mcp", "--policy", "review.policy.jsonc"]
  } } }`,
    )
    .action(async (options: McpOptions) => {
      const { mcp } = await import("../actions/mcp.ts");
      done(await mcp(options, streams, signal));
    });
};
