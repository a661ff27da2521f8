/** How long what a tool or an extension left running may keep the process, in milliseconds. */
const LINGER_MS = 1_000;

/**
 * Ends the process when the command is over, although something that a tool or an extension started (a timer, a
 * server) still runs. What was written is written to the end first. A process with nothing left ends by itself, sooner.
 */
export function endProcess(running: Pick<NodeJS.Process, "stdout" | "stderr" | "exit">): void {
  setTimeout(() => {
    const unwritten = [running.stdout, running.stderr].reduce(
      // What nobody reads any more is never written.
      (sum, stream) => sum + (stream.destroyed ? 0 : stream.writableLength),
      0,
    );
    if (unwritten > 0) endProcess(running);
    else running.exit();
  }, LINGER_MS).unref();
}
