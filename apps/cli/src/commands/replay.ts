import type { ReplayOptions } from "../actions/replay.ts";
import { type AddCommand, JSON_OPTION } from "./command.ts";

export const addReplay: AddCommand = (program, { streams, signal, done }) => {
  program
    .command("replay")
    .description("repeat a recorded run without any tool, and say where it goes another way")
    .argument("<recording>", "what run --record has written")
    .option("--with <script>", "another script in the place of the recorded one, or - for standard input")
    .option("--node <path>", "the Node 24 or 26 that runs the sandbox")
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      `
Exit code 0: as recorded. 6: a call, the output or the value is another one.

Examples:
  nestbox run review.ts --record review.recording.json
  nestbox replay review.recording.json
  nestbox replay review.recording.json --with review-new.ts`,
    )
    .action(async (recording: string, options: ReplayOptions) => {
      const { replay } = await import("../actions/replay.ts");
      done(await replay(recording, options, streams, signal));
    });
};
