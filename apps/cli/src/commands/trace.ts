import { type AddCommand, JSON_OPTION, port } from "./command.ts";

interface OpenWords {
  readonly port: number;
  readonly json?: boolean;
}

interface ExportWords {
  readonly output: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export const addTrace: AddCommand = (program, { streams, signal, done }) => {
  const actions = async () => import("../actions/trace.ts");
  const trace = program
    .command("trace")
    .description("look at what a run did, in the files that `run --trace` writes");
  trace
    .command("open")
    .description("serve a page that shows traces, live while their runs go on; until interrupted")
    .argument("<files...>", "trace files; with two or more, any two can be laid side by side")
    .option("--port <n>", "port on 127.0.0.1; 0 lets the system choose", port, 0)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      `
Examples:
  nestbox run review.ts --trace review.trace.json & nestbox trace open review.trace.json
  nestbox trace open before.json after.json`,
    )
    .action(async (files: string[], options: OpenWords) =>
      done(await (await actions()).openTraces(files, options, streams, signal)),
    );
  trace
    .command("export")
    .description("write the page with its traces as one HTML file that needs nothing else")
    .argument("<files...>", "trace files")
    .requiredOption("-o, --output <file>", "the HTML file")
    .option("--force", "write over a file that is there")
    .option(...JSON_OPTION)
    .action(async (files: string[], options: ExportWords) =>
      done(await (await actions()).exportTraces(files, options, streams)),
    );
};
