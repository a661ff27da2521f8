import { closeSync } from "node:fs";

/** Closes what this process was given open beside its pipes, before it opens anything itself; `list` is the shell's. */
export function closeInherited(list: string): void {
  for (const fd of list.match(/\d+/g) ?? []) {
    try {
      if (Number(fd) > 2) closeSync(Number(fd));
    } catch {
      // It is closed.
    }
  }
}
