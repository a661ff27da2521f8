import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/** Writes a whole file so that a reader sees the old or the new one, never a half: a temporary file, then a rename. */
export function writeFileAtomic(path: string, text: string, unique: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${unique}.tmp`;
  const file = openSync(temporary, "wx", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** The text of a regular file of at most `maxBytes`; `undefined` when there is none. Throws when it cannot be read. */
export function readSmallFile(path: string, maxBytes: number): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile() || stats.size > maxBytes)
    throw new Error(`${path} is not a file of at most ${maxBytes} bytes`);
  return readFileSync(path, "utf8");
}

/** Holds a lock file while `action` runs. A lock older than `staleMs` was left by a process that died. */
export async function withLock<T>(
  path: string,
  options: { readonly waitMs: number; readonly staleMs: number; readonly clock: () => number },
  action: () => T,
): Promise<T> {
  const lock = `${path}.lock`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const until = options.clock() + options.waitMs;
  for (;;) {
    try {
      closeSync(openSync(lock, "wx", 0o600));
      break;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      const stats = statSync(lock, { throwIfNoEntry: false });
      if (stats !== undefined && options.clock() - stats.mtimeMs > options.staleMs)
        rmSync(lock, { force: true });
      else if (options.clock() > until)
        throw new Error(`${path} is locked by another process`, { cause: error });
      else await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  try {
    return action();
  } finally {
    rmSync(lock, { force: true });
  }
}
