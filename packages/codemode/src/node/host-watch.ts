import type { ChildProcess } from "node:child_process";

/** Bun and others hand on descriptors beyond the third in ways of their own. */
export const CAN_WATCH = process.platform !== "win32" && process.versions["bun"] === undefined;

/**
 * Shell text before a sandbox takes the shell's place. What spins in an engine does not notice that its host is gone,
 * and a host that is killed tells nobody: a small process beside it waits for the end of a pipe that nobody else has,
 * and ends it. A line in the pipe says that there is nothing left to end.
 */
export const WATCH_HOST = "(read -r line || kill -9 $$) <&3 3<&- >/dev/null 2>&1 & exec 3<&-";

/** Ends the watch with the process that it was for, and never keeps the host alive. */
export function endWatch(child: ChildProcess): void {
  const pipe = child.stdio[3] as
    | (NodeJS.WritableStream & { readonly unref?: () => void; readonly destroy?: () => void })
    | null
    | undefined;
  if (pipe === null || pipe === undefined) return;
  pipe.unref?.();
  pipe.on("error", () => undefined);
  const end = (): void => void pipe.write("\n", () => pipe.destroy?.());
  child.once("exit", end);
  // What was never started does not exit.
  child.once("error", end);
}
