import type { InitOptions } from "../actions/init.ts";
import { type AddCommand, JSON_OPTION } from "./command.ts";

export const addInit: AddCommand = (program, { streams, done }) => {
  program
    .command("init")
    .description("start a new Pi extension: a tool, a policy and a test, in a package ready to publish")
    .argument("<folder>", "a folder that is empty or new")
    .option("--name <package>", "name of the package (default: that of the folder)")
    .option(...JSON_OPTION)
    .action(async (folder: string, options: InitOptions) => {
      const { init } = await import("../actions/init.ts");
      done(init(folder, options, streams));
    });
};
