import { randomUUID } from "node:crypto";
import { lstat, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where complete outputs are kept while the model may still ask for them (contract A12). */
export interface OutputFolder {
  readonly path: string;
  /** A path for one more file. The name carries no text of a model or a command. */
  nextFile(): string;
  /** Removes files older than `maxAgeMs`, then the oldest while the folder is over `maxTotalBytes`. */
  sweep(): Promise<void>;
  /** Removes the folder and everything in it. */
  dispose(): Promise<void>;
}

export interface OutputFolderOptions {
  /** An existing folder to put ours into. Default: the system's temp folder. */
  readonly root?: string;
  /** Default: one day. */
  readonly maxAgeMs?: number;
  /** Default: 4 GiB. A file younger than a minute is never removed for this. */
  readonly maxTotalBytes?: number;
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly now?: () => number;
}

const prefix = "nestbox-output-";
const dayMs = 24 * 60 * 60 * 1000;
const minuteMs = 60_000;

/**
 * Opens a private folder (mode 0700) and sweeps it. The same user gets the same folder every time, so that what a
 * process left behind is cleaned by a later one; where that name is taken by somebody else, a fresh one.
 */
export async function openOutputFolder(options: OutputFolderOptions = {}): Promise<OutputFolder> {
  const { maxAgeMs = dayMs, maxTotalBytes = 4 * 1024 ** 3, now = Date.now } = options;
  const root = options.root ?? tmpdir();
  const path = await privateFolder(root);
  const folder: OutputFolder = {
    path,
    nextFile: () => join(path, `${randomUUID()}.log`),
    sweep: () => sweep(path, { maxAgeMs, maxTotalBytes, now }),
    dispose: () => rm(path, { recursive: true, force: true }),
  };
  await folder.sweep();
  return folder;
}

async function privateFolder(root: string): Promise<string> {
  const uid = process.getuid?.();
  const path = join(root, `${prefix}${uid ?? "user"}`);
  try {
    await mkdir(path, { mode: 0o700 });
    return path;
  } catch {
    // It is there already: ours, or a trap that somebody laid in a folder that all may write to.
    const found = await lstat(path).catch(() => undefined);
    const ours =
      found?.isDirectory() === true &&
      (uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0));
    return ours ? path : mkdtemp(join(root, prefix));
  }
}

async function sweep(
  path: string,
  { maxAgeMs, maxTotalBytes, now }: Required<Omit<OutputFolderOptions, "root">>,
): Promise<void> {
  const files: { path: string; bytes: number; modified: number }[] = [];
  for (const name of await readdir(path).catch(() => [])) {
    const file = join(path, name);
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() === true) files.push({ path: file, bytes: found.size, modified: found.mtimeMs });
  }
  files.sort((a, b) => a.modified - b.modified);
  let total = files.reduce((sum, file) => sum + file.bytes, 0);
  for (const file of files) {
    const age = now() - file.modified;
    if (age <= maxAgeMs && (total <= maxTotalBytes || age < minuteMs)) continue;
    await rm(file.path, { force: true });
    total -= file.bytes;
  }
}
