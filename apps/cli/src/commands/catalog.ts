import type { Command } from "commander";

import type { CatalogCommandOptions, SearchOptions } from "../actions/catalog.ts";
import {
  type AddCommand,
  collect,
  CONFIG_OPTION,
  JSON_OPTION,
  positiveInteger,
  TOOLS_OPTION,
} from "./command.ts";

export const addCatalog: AddCommand = (program, { streams, done }) => {
  const actions = async () => import("../actions/catalog.ts");
  const withTools = (command: Command): Command =>
    command
      .option(...TOOLS_OPTION, collect)
      .option(...CONFIG_OPTION)
      .option("--cwd <folder>", "working folder of the tools")
      .option(...JSON_OPTION);

  withTools(
    program.command("tools").description("list the tools that scripts and models can reach, by namespace"),
  ).action(async (options: CatalogCommandOptions) =>
    done(await (await actions()).listTools(options, streams)),
  );

  withTools(program.command("search").description("find tools by words, as a script does with searchTools"))
    .argument("<query>", "what the tool should do, in a few words")
    .option("--limit <n>", "results at most", positiveInteger)
    .option("--namespace <name>", "only tools of this namespace")
    .action(async (query: string, options: SearchOptions) =>
      done(await (await actions()).searchTools(query, options, streams)),
    );

  withTools(
    program.command("describe").description("show the declaration of a tool, or the guidance of a namespace"),
  )
    .argument("<name>", "a tool or a namespace")
    .action(async (name: string, options: CatalogCommandOptions) =>
      done(await (await actions()).describe(name, options, streams)),
    );
};
