import { lstat, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { ToolError } from "../error.ts";
import { shorten } from "../truncate.ts";

/** A path that is inside a root, after every link on the way was followed. */
export interface InsidePath {
  readonly kind: "inside";
  /** The root, resolved. */
  readonly root: string;
  /** Absolute, without links. */
  readonly path: string;
  /** From the root, with `/`; the root itself is `.`. Safe to show. */
  readonly relative: string;
  readonly exists: boolean;
}

export type RefusedPathReason =
  | "empty"
  | "malformed"
  | "absolute"
  | "parent"
  /** A link leads out. */
  | "outside"
  /** A link that leads nowhere: writing through it would create a file that was not checked. */
  | "dangling-link"
  /** A file stands where a folder is needed, links form a loop, or the system refuses to look. */
  | "unreachable";

/** Why a path was refused. The message names the path as it was given and never the root. */
export interface RefusedPath {
  readonly kind: "refused";
  readonly reason: RefusedPathReason;
  readonly message: string;
}

/** Longest path that is looked at, in characters. */
const maxPathLength = 4096;

/**
 * Resolves a path from a model against a root (contract B8): relative, without `..`, and inside the root after
 * `realpath` of both. For a file that does not exist yet, its nearest existing folder is what is resolved.
 *
 * The answer is true for the moment in which it was given. Where somebody may change links between this check and
 * the use, open the file with `openInside`, which holds it. Throws only when the root itself cannot be resolved.
 */
export async function resolveInside(root: string, input: string): Promise<InsidePath | RefusedPath> {
  const malformed = refuseForm(input);
  if (malformed !== undefined) return malformed;
  const realRoot = await realpath(root);
  const wanted = join(realRoot, input);
  try {
    return contain(realRoot, await realpath(wanted), true, input);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") return refuse("unreachable", input, "cannot be reached");
  }
  return resolveNew(realRoot, wanted, input);
}

/** The path of `resolveInside`, or a `ToolError` with code `bad-path`. */
export async function requireInside(root: string, input: string): Promise<InsidePath> {
  const found = await resolveInside(root, input);
  if (found.kind === "refused") throw new ToolError("bad-path", found.message);
  return found;
}

/** The path does not exist: walk up to what does, and look at each step for a link that leads nowhere. */
async function resolveNew(
  realRoot: string,
  wanted: string,
  input: string,
): Promise<InsidePath | RefusedPath> {
  const missing: string[] = [];
  for (let at = wanted; at !== dirname(at); at = dirname(at)) {
    const entry = await lstat(at).catch((error: unknown) => codeOf(error));
    if (entry === "ENOENT") {
      missing.unshift(at.slice(dirname(at).length).replace(sep, ""));
      continue;
    }
    if (typeof entry !== "object") return refuse("unreachable", input, "cannot be reached");
    const real = await realpath(at).catch((error: unknown) => ({ code: codeOf(error) }));
    if (typeof real !== "string") {
      return real.code === "ENOENT" && entry.isSymbolicLink()
        ? refuse("dangling-link", input, "is a link that leads nowhere")
        : refuse("unreachable", input, "cannot be reached");
    }
    // lstat of a link to a folder is a link: ask what it resolves to.
    const folder = entry.isDirectory() || (await lstat(real).catch(() => undefined))?.isDirectory() === true;
    if (missing.length > 0 && !folder)
      return refuse("unreachable", input, "has a file where a folder is needed");
    return contain(realRoot, join(real, ...missing), false, input);
  }
  return refuse("unreachable", input, "cannot be reached");
}

function contain(root: string, path: string, exists: boolean, input: string): InsidePath | RefusedPath {
  const rest = relative(root, path);
  if (rest === ".." || rest.startsWith(`..${sep}`) || isAbsolute(rest)) {
    return refuse("outside", input, "leads out of the project through a link");
  }
  return { kind: "inside", root, path, relative: rest === "" ? "." : rest.split(sep).join("/"), exists };
}

/** What can be refused without looking at the disk; the same on every system. */
function refuseForm(input: unknown): RefusedPath | undefined {
  if (typeof input !== "string" || input.trim() === "") return refuse("empty", "", "is empty");
  if (input.length > maxPathLength) return refuse("malformed", input, "is too long");
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(input)) return refuse("malformed", input, "holds a control character");
  if (/^(?:[\\/]|[A-Za-z]:|~(?:[\\/]|$))/.test(input))
    return refuse("absolute", input, "is not relative to the project");
  if (input.split(/[\\/]/).includes("..")) return refuse("parent", input, "goes up with `..`");
  // Alternate streams and device names.
  if (process.platform === "win32" && /[:*?"<>|]/.test(input))
    return refuse("malformed", input, "is not a file name");
  return undefined;
}

function refuse(reason: RefusedPathReason, input: string, why: string): RefusedPath {
  const shown = JSON.stringify(shorten(input, 200));
  return {
    kind: "refused",
    reason,
    message: `Path ${shown} ${why}. Use a path inside the project, relative to its root.`,
  };
}

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "unknown";
}
