import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, parse } from "node:path";

const ANSWER_MS = 10_000;
const MAX_ANSWER_CHARS = 4_096;
/** Of what is not a version, as much is told. */
const SHOWN_CHARS = 60;

/** What a program says of itself, or why it says nothing. */
export type NodeAnswer =
  | { readonly ok: true; readonly path: string; readonly version: string }
  | { readonly ok: false; readonly reason: string };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Asks the program at `path` for its version, without any environment, as it will run. One that does not run so may be
 * the stand-in of a version manager, which needs to know where the person's Nodes are: it is asked for the real one.
 */
export async function askNode(path: string, env: Environment, waitMs = ANSWER_MS): Promise<NodeAnswer> {
  const missing = whyNotRunnable(path);
  if (missing !== undefined) return { ok: false, reason: missing };
  const direct = await output(path, ["--version"], {}, waitMs);
  if (typeof direct === "string") return { ok: true, path, version: direct };
  if (direct.late) return { ok: false, reason: `gave no answer within ${waitMs / 1_000} s` };
  const real = await output(path, ["--print", "process.execPath"], withoutNodeOptions(env), waitMs);
  if (typeof real !== "string" || !isAbsolute(real) || real === path || !isRunnable(real))
    return { ok: false, reason: "does not run" };
  const version = await output(real, ["--version"], {}, waitMs);
  return typeof version === "string"
    ? { ok: true, path: real, version }
    : { ok: false, reason: "does not run" };
}

/** Whether there is a file that this user may execute. */
export const isRunnable = (path: string): boolean => whyNotRunnable(path) === undefined;

function whyNotRunnable(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return "a folder";
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "EACCES" ? "may not be executed" : "no such file";
  }
}

/** What the person wants in their own Nodes is not for this one, and might print something before the answer. */
function withoutNodeOptions(env: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^NODE_/i.test(name)));
}

/** The first words of a program that ends well; it is killed when its time is over, whatever it makes of other signals. */
function output(
  path: string,
  args: readonly string[],
  env: Record<string, string | undefined>,
  waitMs: number,
): Promise<string | { readonly late: boolean }> {
  return new Promise((resolve) => {
    const cwd = parse(path).root;
    const options = { cwd, env, maxBuffer: MAX_ANSWER_CHARS, windowsHide: true };
    const child = execFile(path, args, options, (error, stdout) => {
      clearTimeout(timer);
      const line = stdout.trim().split("\n").at(-1) ?? "";
      resolve(error === null ? line.trim().slice(0, MAX_ANSWER_CHARS) : { late: false });
    });
    const timer = setTimeout(() => {
      // Not waited for: what it has started may keep its output open.
      resolve({ late: true });
      child.kill("SIGKILL");
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.unref();
    }, waitMs);
  });
}

/** A version as it is told to a person. */
export const shownVersion = (version: string): string =>
  version === "" ? "says nothing" : version.slice(0, SHOWN_CHARS);
