import { exitCodes } from "./exit-codes.ts";
import type { Streams } from "./output.ts";
import { tellFailure } from "./report/failure.ts";

/** Node's exit code when a module waits at its top level for what never comes. */
const NOTHING_TO_WAIT_FOR = 13;

/**
 * Until the result is called, an end of the process is one that the command has not come to: a tool that calls
 * `process.exit`, or a module that waits for what nothing can bring any more. It is told, and is not taken for success.
 * A command that was told to end (`ended`) may do so at once, as a worker does at the second signal.
 */
export function tellUnfinished(
  running: Pick<NodeJS.Process, "on" | "off"> & { exitCode?: NodeJS.Process["exitCode"] },
  streams: Streams,
  json: boolean,
  ended: AbortSignal,
): () => void {
  const onExit = (code: number): void => {
    if (ended.aborted && code === exitCodes.aborted) return;
    const message =
      code === NOTHING_TO_WAIT_FOR
        ? "nothing can end this command any more: a module of tools, a tool or an extension awaits a promise that nothing is left to settle"
        : `the process was ended by a module of tools, a tool or an extension (process.exit, code ${code}) before the command was; they are to throw instead`;
    running.exitCode = tellFailure(new Error(message), json, streams);
  };
  // Node has told of that itself, with its stack.
  const finished = (): void => {
    running.off("exit", onExit).off("uncaughtExceptionMonitor", finished);
  };
  running.on("exit", onExit).on("uncaughtExceptionMonitor", finished);
  return finished;
}
