import type { Command } from "commander";

import { fleetWorld } from "../fleet/fleet-world.ts";
import { span } from "../fleet/run-times.ts";
import { type AddCommand, collect, JSON_OPTION, positiveInteger } from "./command.ts";

const FLEET_OPTION = [
  "--config <file>",
  'a config file with a section "fleet" (default: NESTBOX_DATABASE_URL, for DBOS)',
] as const;

interface Words {
  readonly config?: string;
  readonly json?: boolean;
}

/** The commands that talk to a fleet's engine. Workers, with tools and a policy, are `nestbox worker`. */
export const addFleet: AddCommand = (program, { streams, signal, done, fleet: world = fleetWorld }) => {
  const withFleet = (command: Command): Command => command.option(...FLEET_OPTION).option(...JSON_OPTION);

  withFleet(
    program
      .command("submit")
      .description("give a script to the fleet: it outlives this command, and any worker")
      .argument("[script]", "a file, or - for standard input")
      .option("-e, --eval <code>", "the script itself, instead of a file")
      .option("--id <id>", "the run's id; sent twice, it is begun once (default: a fresh one)")
      .option("--deadline <time>", "the longest from start to end, parked or not: 45s, 90m, 36h, 7d", span)
      .option("--memory-mb <n>", "memory of the script's isolate", positiveInteger)
      .option(
        "--data <name=value>",
        "what the script gets by load(name): JSON, or a text (repeatable)",
        collect,
      )
      .option("--wait", "wait for the end and print it as nestbox run does"),
  )
    .addHelpText(
      "after",
      `
Tools and policy are the worker's: a submission brings a script and limits. What
the policy asks about parks the run until nestbox approve. Ctrl-C ends the
waiting, not the run. A fleet takes runs once it has had a worker.

Examples:
  id=$(nestbox submit release.ts --deadline 7d)
  nestbox submit release.ts --id release-42 --wait`,
    )
    .action(async (script: string | undefined, options: Words) => {
      const { submit } = await import("../actions/submit.ts");
      done(await submit(script, options, streams, signal, world));
    });

  withFleet(
    program
      .command("status")
      .description("list the runs of the fleet, or say all about one: state, questions, outcome")
      .argument("[run]", "the run's id; without it, the newest runs")
      .option("--limit <n>", "runs in the list", positiveInteger, 50),
  ).action(async (run: string | undefined, options: Words & { readonly limit: number }) => {
    const { status } = await import("../actions/fleet-status.ts");
    done(await status(run, options, streams, world));
  });

  withFleet(
    program
      .command("approve")
      .description("show what a run asks, and answer it")
      .argument("<run>", "the run's id")
      .argument("[key]", "which of its questions; needed where there is more than one")
      .option("--yes", "approve what is shown without asking")
      .option("--deny", "say no")
      .option("--reason <text>", "kept with the answer; of a no, the script is told"),
  ).action(async (run: string, key: string | undefined, options: Words) => {
    const { approve } = await import("../actions/approve.ts");
    done(await approve(run, key, options, streams, signal, world));
  });

  withFleet(
    program
      .command("cancel")
      .description("end a run as aborted, also while it is parked or halted")
      .argument("<run>", "the run's id")
      .option("--reason <text>", "what the run's error says"),
  ).action(async (run: string, options: Words) => {
    const { cancel } = await import("../actions/fleet-status.ts");
    done(await cancel(run, options, streams, world));
  });

  withFleet(
    program.command("resume").description("let a halted run try again").argument("<run>", "the run's id"),
  ).action(async (run: string, options: Words) => {
    const { resume } = await import("../actions/fleet-status.ts");
    done(await resume(run, options, streams, world));
  });

  withFleet(
    program
      .command("logs")
      .description("show what a run has done so far: calls, questions, answers, its end")
      .argument("<run>", "the run's id")
      .option("-f, --follow", "go on until the run has ended"),
  ).action(async (run: string, options: Words & { readonly follow?: boolean }) => {
    const { logs } = await import("../actions/logs.ts");
    done(await logs(run, options, streams, signal, world));
  });
};
