import { InvalidArgumentError } from "commander";

import type { WorkerCommandOptions } from "../actions/worker.ts";
import { readHealthAddress, type HealthAddress } from "../worker/health-address.ts";
import {
  type AddCommand,
  collect,
  MCP_OPTION,
  POLICY_OPTION,
  port,
  positiveInteger,
  withTools,
} from "./command.ts";

export const addWorker: AddCommand = (program, { streams, signal, done }) => {
  withTools(
    program
      .command("worker")
      .description("carry on the runs of a fleet with these tools and this policy, until it is told to end"),
    'where the fleet is (its section "fleet"; default: NESTBOX_DATABASE_URL, for DBOS), and defaults for these options',
  )
    .option("--json", "one JSON object a line on standard output")
    .option(...MCP_OPTION, collect)
    .option(...POLICY_OPTION, collect)
    .option("--audit <folder>", "write what the policy decided, and how calls ended, into a folder")
    .option("--isolates <n>", "scripts that run at a time (default: one a core)", positiveInteger)
    .option(
      "--concurrency <n>",
      "runs taken at a time (default: as many as isolates; on Restate 200)",
      positiveInteger,
    )
    .option("--memory-mb <n>", "the most memory of a script's isolate (default: 256)", positiveInteger)
    .option("--cpu-ms <n>", "the most processor time of a script (default: 30000)", positiveInteger)
    .option("--timeout-ms <n>", "the longest that a run is carried on without a park", positiveInteger)
    .option("--deadline-ms <n>", "the longest from a run's start to its end, parked or not", positiveInteger)
    .option(
      "--drain-ms <n>",
      "how long calls may take to end after SIGTERM (default: 20000)",
      positiveInteger,
    )
    .option("--health <address>", "host:port of /livez, /readyz and /metrics (default: none)", healthAddress)
    .option("--deployment <name>", "carry on the runs of this deployment only (DBOS)")
    .option("--host <name>", "where to listen for the server (Restate; default: 127.0.0.1)")
    .option("--port <n>", "port of --host (Restate; default: the system chooses)", port)
    .option("--reuse-port", "let several workers of this machine listen at --port (Restate; not on macOS)")
    .option("--advertise <url>", "the address at which the server reaches this worker (Restate)")
    .option("--node <path>", "the Node 24 or 26 that runs the sandbox")
    .addHelpText(
      "after",
      `
Where the fleet is stands in the section "fleet" of a config file that --config
names, or, for DBOS, in NESTBOX_DATABASE_URL. Tools and policy are this worker's
own; a submission brings a script and nothing else. What the policy asks about
waits for nestbox approve. SIGTERM lets go of its runs; a second one ends it at
once.`,
    )
    .action(async (options: WorkerCommandOptions) => {
      const { worker } = await import("../actions/worker.ts");
      done(await worker(options, streams, signal));
    });
};

function healthAddress(value: string): HealthAddress {
  const address = readHealthAddress(value);
  if (address === undefined)
    throw new InvalidArgumentError("It must be host:port, for example 127.0.0.1:9464.");
  return address;
}
