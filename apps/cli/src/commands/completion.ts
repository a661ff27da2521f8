import { Argument } from "commander";

import { completionScripts, type Shell, SHELLS } from "../completion/scripts.ts";
import { exitCodes } from "../exit-codes.ts";
import type { AddCommand } from "./command.ts";

export const addCompletion: AddCommand = (program, { streams, done }) => {
  program
    .command("completion")
    .description("print what a shell needs to complete the words of nestbox")
    .addArgument(new Argument("<shell>", "your shell").choices(SHELLS))
    .addHelpText(
      "after",
      `
  bash:  source <(nestbox completion bash)  in ~/.bashrc
  zsh:   source <(nestbox completion zsh)   in ~/.zshrc, after compinit
  fish:  nestbox completion fish > ~/.config/fish/completions/nestbox.fish`,
    )
    .action((shell: Shell) => {
      streams.stdout.write(completionScripts[shell]);
      done(exitCodes.ok);
    });
};
