/** A stream that the command writes to. */
type Written = Pick<NodeJS.WriteStream, "on">;

export interface LostReader {
  /** A pipe has lost its reader: `| head` has seen enough, which is no failure. */
  lost(): void;
  /** Something else is wrong, for example a full disk: what was said is not there. */
  failed(stream: "standard output" | "standard error", code: string): void;
}

/**
 * What becomes of errors of the streams that the command writes to. A terminal that was closed is told of by a signal; of
 * the stream it is none, for nobody is left to be told.
 */
export function watchReaders(
  streams: { readonly stdout: Written; readonly stderr: Written },
  told: LostReader,
): void {
  for (const name of ["stdout", "stderr"] as const) {
    streams[name].on("error", ({ code, message }: NodeJS.ErrnoException) => {
      if (code === "EPIPE") told.lost();
      else if (code !== "EIO")
        told.failed(name === "stdout" ? "standard output" : "standard error", code ?? message);
    });
  }
}
