import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { CodemodeError } from "../runner/errors.ts";

/** Versions of Node for which the library that makes isolates is prebuilt. */
const MAJORS = new Set([24, 26]);
const VERSION_TIMEOUT_MS = 10_000;

export interface FindNodeOptions {
  /** The one to use; anything else is not looked for. */
  readonly nodePath?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** This process as a Node; unset: as it is, `"none"`: it is another runtime. */
  readonly own?: { readonly path: string; readonly version: string } | "none" | undefined;
}

/**
 * The Node that runs sandboxes: the option, else this process's own, else the first fitting one on PATH. Throws
 * {@link CodemodeError} `no-node` that says what was looked at.
 */
export async function findNode(options: FindNodeOptions): Promise<string> {
  const seen: string[] = [];
  if (options.nodePath !== undefined) {
    const version = await versionOf(options.nodePath);
    if (fits(version)) return options.nodePath;
    throw noNode([describe(options.nodePath, version)]);
  }
  const own = options.own ?? ownNode();
  if (own !== "none") {
    if (fits(own.version)) return own.path;
    seen.push(describe(own.path, own.version));
  }
  const file = process.platform === "win32" ? "node.exe" : "node";
  for (const folder of (options.env["PATH"] ?? options.env["Path"] ?? "").split(delimiter)) {
    const candidate = join(folder, file);
    if (folder === "" || !isExecutable(candidate) || (own !== "none" && candidate === own.path)) continue;
    const version = await versionOf(candidate);
    if (fits(version)) return candidate;
    seen.push(describe(candidate, version));
  }
  throw noNode(seen);
}

/** Bun, Deno and Electron have `process.versions.node` too. */
function ownNode(): NonNullable<FindNodeOptions["own"]> {
  const { versions, execPath, version } = process;
  const other = ["bun", "deno", "electron"].some((name) => versions[name] !== undefined);
  return other ? "none" : { path: execPath, version };
}

function fits(version: string | undefined): boolean {
  const major = /^v(\d+)\./.exec(version ?? "")?.[1];
  return major !== undefined && MAJORS.has(Number(major));
}

function describe(path: string, version: string | undefined): string {
  return `${path} (${version ?? "does not run"})`;
}

function noNode(seen: readonly string[]): CodemodeError {
  const looked = seen.length === 0 ? "none was found" : `found ${seen.join(", ")}`;
  return new CodemodeError(
    "no-node",
    `Scripts need Node 24 or 26 for their sandbox process: ${looked}. Install one, or name it with the nodePath option (--node on a command line).`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function versionOf(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      path,
      ["--version"],
      { timeout: VERSION_TIMEOUT_MS, maxBuffer: 4096, env: {} },
      (error, stdout) => {
        resolve(error === null ? stdout.trim() : undefined);
      },
    );
  });
}
