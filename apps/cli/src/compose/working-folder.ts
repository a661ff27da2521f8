import { statSync } from "node:fs";
import { resolve } from "node:path";

import { UsageError } from "../usage-error.ts";

/** The folder that tools work in; `given` is relative to `start`. */
export function workingFolder(given: string | undefined, start: string): string {
  const cwd = resolve(start, given ?? ".");
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`--cwd ${given}: there is no such folder.`);
  }
  return cwd;
}
