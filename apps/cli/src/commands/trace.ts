import { fleetWorld } from "../fleet/fleet-world.ts";
import { type AddCommand, collect, JSON_OPTION, port } from "./command.ts";

interface OpenWords {
  readonly port: number;
  readonly json?: boolean;
  readonly fleet?: boolean;
  readonly config?: string;
}

interface ExportWords {
  readonly output: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly run?: readonly string[];
  readonly config?: string;
}

const CONFIG_OPTION = [
  "--config <file>",
  'of the fleet: a config file with a section "fleet" (default: NESTBOX_DATABASE_URL, for DBOS)',
] as const;

export const addTrace: AddCommand = (program, { streams, signal, done, fleet: world = fleetWorld }) => {
  const actions = async () => import("../actions/trace.ts");
  const trace = program
    .command("trace")
    .description("look at what a run did, in the files that `run --trace` writes, or at the runs of a fleet");
  trace
    .command("open")
    .description("serve a page that shows traces, live while their runs go on; until interrupted")
    .argument("[files...]", "trace files; with two or more, any two can be laid side by side")
    .option("--fleet", "the runs of the fleet instead: all of them in a list, each with what it did")
    .option(...CONFIG_OPTION)
    .option("--port <n>", "port on 127.0.0.1; 0 lets the system choose", port, 0)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      `
Examples:
  nestbox run review.ts --trace review.trace.json &
  nestbox trace open review.trace.json
  nestbox trace open before.json after.json
  nestbox trace open --fleet --config fleet.jsonc`,
    )
    .action(async (files: string[], options: OpenWords) =>
      done(await (await actions()).openTraces(files, options, streams, signal, world)),
    );
  trace
    .command("export")
    .description("write the page with its traces as one HTML file that needs nothing else")
    .argument("[files...]", "trace files")
    .requiredOption("-o, --output <file>", "the HTML file")
    .option("--run <id>", "a run of the fleet (repeatable)", collect)
    .option(...CONFIG_OPTION)
    .option("--force", "write over a file that is there")
    .option(...JSON_OPTION)
    .action(async (files: string[], options: ExportWords) =>
      done(await (await actions()).exportTraces(files, options, streams, world)),
    );
};
