import { constants, existsSync } from "node:fs";
import { mkdir, open, realpath, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { ToolError } from "../error.ts";
import type { FileMutationQueue } from "../mutation-queue.ts";
import { requireInside, type InsidePath } from "./inside-path.ts";

/** A file that is open: what its path leads to now no longer matters. */
export interface HeldFile extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Where it was when it was opened. */
  readonly path: string;
  readonly relative: string;
  close(): Promise<void>;
}

export interface OpenInsideOptions {
  /** `read`: must exist. `write`: created when missing, kept as it is otherwise. Default: `read`. */
  readonly access?: "read" | "write";
  /** Missing folders on the way are made. Default: false. */
  readonly createFolders?: boolean;
}

/** Bytes of a file that is read whole. Default of `readInside` and `changeInside`: 16 MiB. */
const defaultFileMaxBytes = 16 * 1024 * 1024;
/** Bytes that are asked for where a file says that it is smaller. */
const readAtOnce = 64 * 1024;

/**
 * Resolves a path from a model like `resolveInside` and opens it so that a link which is swapped in between check
 * and use does not win (contract B8). On Linux the way is walked folder by folder, each held by a descriptor and none
 * followed through a link. Elsewhere the file is opened without following a last link, and given back only when
 * its path still leads to it inside the root: a swapped folder is then told, but a missing file may have been created
 * outside. Only regular files are opened. Throws a `ToolError` with code `bad-path`.
 */
export async function openInside(
  root: string,
  input: string,
  options: OpenInsideOptions = {},
): Promise<HeldFile> {
  return openResolved(await requireInside(root, input), options);
}

/** The second half of `openInside`, for a path that was resolved before. */
export async function openResolved(inside: InsidePath, options: OpenInsideOptions = {}): Promise<HeldFile> {
  if (inside.relative === ".") throw refused(inside, "is a folder");
  const handle = hasDescriptorPaths()
    ? await openByWalk(inside, options)
    : await openAndCompare(inside, options);
  try {
    if (!(await handle.stat()).isFile()) throw refused(inside, "is not a regular file");
  } catch (error) {
    await handle.close();
    throw error;
  }
  const close = () => handle.close();
  return { handle, path: inside.path, relative: inside.relative, close, [Symbol.asyncDispose]: close };
}

/** Reads a text file inside the root. Throws a `ToolError` with code `bad-path`, also for a file over `maxBytes`. */
export async function readInside(
  root: string,
  input: string,
  { maxBytes = defaultFileMaxBytes }: { readonly maxBytes?: number } = {},
): Promise<string> {
  await using file = await openInside(root, input);
  return await readHeld(file, maxBytes);
}

export interface ChangeInsideOptions {
  readonly root: string;
  readonly path: string;
  /** Pi's own in a Pi session: `piMutationQueue` of `@nestbox/tool/pi`. */
  readonly queue: FileMutationQueue;
  /** Default: 16 MiB, before and after. */
  readonly maxBytes?: number;
  readonly createFolders?: boolean;
}

/**
 * Changes a text file inside the root: reads, calls `change`, writes, all inside the mutation queue and through one
 * descriptor (contract A14). `change` gets `undefined` for a file that does not exist; when it gives back
 * `undefined` or the same text, nothing is written. Changes of one file come in the order in which they were asked for.
 */
export async function changeInside(
  options: ChangeInsideOptions,
  change: (text: string | undefined) => string | undefined | Promise<string | undefined>,
): Promise<{ readonly path: string; readonly relative: string; readonly changed: boolean }> {
  const { root, queue, maxBytes = defaultFileMaxBytes, createFolders = false } = options;
  // Paths are resolved one after the other: which is resolved sooner does not say which change was asked for first.
  const { changed } = await queue(root, async () => {
    const target = await requireInside(root, options.path);
    const changing = queue(target.path, changeResolved);
    // It is awaited outside, so that it holds up no other path.
    changing.catch(() => undefined);
    return { changed: changing };
  });
  return changed;

  async function changeResolved(): Promise<{
    readonly path: string;
    readonly relative: string;
    readonly changed: boolean;
  }> {
    // Resolved again: while this change waited for its turn, another may have made the file or moved a folder.
    const inside = await requireInside(root, options.path);
    const told = { path: inside.path, relative: inside.relative };
    const before = inside.exists ? await readResolved(inside, maxBytes) : undefined;
    const after = await change(before);
    if (after === undefined || after === before) return { ...told, changed: false };
    const bytes = Buffer.from(after, "utf8");
    if (bytes.length > maxBytes) throw refused(inside, `would have more than ${maxBytes} bytes`);
    await using file = await openResolved(inside, { access: "write", createFolders });
    await file.handle.truncate(0);
    for (let at = 0; at < bytes.length;) {
      at += (await file.handle.write(bytes, at, bytes.length - at, at)).bytesWritten;
    }
    return { ...told, changed: true };
  }
}

async function readResolved(inside: InsidePath, maxBytes: number): Promise<string> {
  await using file = await openResolved(inside);
  return await readHeld(file, maxBytes);
}

async function readHeld(file: HeldFile, maxBytes: number): Promise<string> {
  // To its end, whatever its size was said to be: some systems say 0, and a file may grow while it is read.
  const { size } = await file.handle.stat();
  const parts: Buffer[] = [];
  let length = 0;
  while (length <= maxBytes) {
    const buffer = Buffer.allocUnsafe(
      Math.min(maxBytes + 1 - length, Math.max(size + 1 - length, readAtOnce)),
    );
    const { bytesRead } = await file.handle.read(buffer, 0, buffer.length, length);
    if (bytesRead === 0) break;
    parts.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  if (length > maxBytes)
    throw new ToolError("bad-path", `${JSON.stringify(file.relative)} has more than ${maxBytes} bytes.`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts));
  } catch (error) {
    // Read with replacement characters and written back, such a file would be destroyed.
    throw new ToolError("bad-path", `${JSON.stringify(file.relative)} is not UTF-8 text.`, { cause: error });
  }
}

/** Where an open folder can stand in a path. Linux, unless `/proc` is not mounted. */
function hasDescriptorPaths(): boolean {
  return process.platform === "linux" && existsSync("/proc/self/fd");
}

/** The flags of the last step. A pipe or a device must not block the open: it is refused afterwards. */
function flagsOf({ access = "read" }: OpenInsideOptions): number {
  const { O_RDONLY, O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  // Windows has neither of the last two.
  const safe = (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
  return (access === "read" ? O_RDONLY : O_RDWR | O_CREAT) | safe;
}

async function openByWalk(inside: InsidePath, options: OpenInsideOptions): Promise<FileHandle> {
  const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const steps = inside.relative.split("/");
  const name = steps.pop() ?? "";
  let folder = await open(inside.root, folderFlags);
  try {
    for (const step of steps) {
      const next = await openFolder(
        `/proc/self/fd/${folder.fd}/${step}`,
        folderFlags,
        options.createFolders === true,
      );
      await folder.close();
      folder = next;
    }
    return await open(`/proc/self/fd/${folder.fd}/${name}`, flagsOf(options), 0o666);
  } catch (error) {
    throw refused(inside, reasonOf(error), error);
  } finally {
    await folder.close();
  }
}

async function openFolder(path: string, flags: number, create: boolean): Promise<FileHandle> {
  if (create) {
    await mkdir(path).catch((error: unknown) => {
      if (!isCode(error, "EEXIST")) throw error;
    });
  }
  return open(path, flags);
}

/** Without a way to walk by descriptors: open, then see whether the path still leads to what was opened. */
export async function openAndCompare(inside: InsidePath, options: OpenInsideOptions): Promise<FileHandle> {
  let handle: FileHandle | undefined;
  try {
    if (options.createFolders === true) await mkdir(dirname(inside.path), { recursive: true });
    handle = await open(inside.path, flagsOf(options), 0o666);
    const [held, real] = [await handle.stat({ bigint: true }), await realpath(inside.path)];
    const now = await stat(real, { bigint: true });
    const rest = relative(inside.root, real);
    const same =
      held.dev === now.dev && held.ino === now.ino && join(dirname(real), basename(real)) === inside.path;
    if (!same || rest === ".." || rest.startsWith(`..${sep}`)) throw new ToolError("bad-path", "changed");
    return handle;
  } catch (error) {
    await handle?.close();
    throw refused(inside, reasonOf(error), error);
  }
}

function reasonOf(error: unknown): string {
  if (isCode(error, "ENOENT")) return "does not exist";
  if (isCode(error, "EISDIR")) return "is a folder";
  if (
    isCode(error, "EACCES") ||
    isCode(error, "EPERM") ||
    isCode(error, "EROFS") ||
    isCode(error, "ERR_ACCESS_DENIED")
  )
    return "may not be opened";
  // ELOOP or ENOTDIR: a link stands where there was none a moment ago.
  return "was changed while it was opened";
}

function refused(inside: InsidePath, why: string, cause?: unknown): ToolError {
  return new ToolError(
    "bad-path",
    `Path ${JSON.stringify(inside.relative)} ${why}.`,
    cause === undefined ? {} : { cause },
  );
}

function isCode(error: unknown, code: string): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === code;
}
