import { closeSync } from "node:fs";

/** Closes what this process was given open beside its pipes, before it opens anything itself; `list` is the shell's. */
export function closeInherited(list: string): void {
  for (const fd of new Set(list.match(/\d+/g)?.map(Number))) {
    try {
      if (fd > 2) closeSync(fd);
    } catch {
      // It is closed.
    }
  }
}
