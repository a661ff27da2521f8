import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** Lines that are kept. */
const MAX_LINES = 1_000;
/** A longer line is not kept. */
const MAX_LINE_CHARS = 2_000;

/** Where the lines of the repl are kept, for the user alone. */
export function historyFile(env: Readonly<Record<string, string | undefined>>): string {
  return join(env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "nestbox", "repl-history");
}

/** Newest first, as Node's readline wants them. A file that cannot be read is an empty one. */
export function readHistory(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .slice(0, MAX_LINES);
  } catch {
    return [];
  }
}

/** What cannot be written is not kept: a history is no reason to fail. */
export function writeHistory(file: string, lines: readonly string[]): void {
  const kept = lines
    .filter((line) => line.length <= MAX_LINE_CHARS && !line.includes("\n"))
    .slice(0, MAX_LINES);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${kept.join("\n")}\n`, { mode: 0o600 });
  } catch {
    // See above.
  }
}
