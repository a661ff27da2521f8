import type { CatalogCommandOptions, SearchOptions } from "../actions/catalog.ts";
import { type AddCommand, JSON_OPTION, positiveInteger, withTools } from "./command.ts";

export const addCatalog: AddCommand = (program, { streams, signal, done }) => {
  const actions = async () => import("../actions/catalog.ts");
  withTools(
    program.command("tools").description("list the tools that scripts and models can reach, by namespace"),
  )
    .option(...JSON_OPTION)
    .action(async (options: CatalogCommandOptions) =>
      done(await (await actions()).listTools(options, streams, signal)),
    );

  withTools(program.command("search").description("find tools by words, as a script does with searchTools"))
    .argument("<query>", "what the tool should do, in a few words")
    .option("--limit <n>", "results at most", positiveInteger)
    .option("--namespace <name>", "only tools of this namespace")
    .option("--long", "with the declaration of each, instead of a line")
    .option(...JSON_OPTION)
    .action(async (query: string, options: SearchOptions) =>
      done(await (await actions()).searchTools(query, options, streams, signal)),
    );

  withTools(
    program.command("describe").description("show the declaration of a tool, or the guidance of a namespace"),
  )
    .argument("<name>", "a tool or a namespace")
    .option(...JSON_OPTION)
    .action(async (name: string, options: CatalogCommandOptions) =>
      done(await (await actions()).describe(name, options, streams, signal)),
    );
};
