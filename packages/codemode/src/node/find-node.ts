import { delimiter, join, resolve } from "node:path";
import { CodemodeError } from "../runner/errors.ts";
import { askNode, isRunnable, type NodeAnswer, shownVersion } from "./ask-node.ts";

/** Versions of Node for which the library that makes isolates is prebuilt. */
const MAJORS = new Set([24, 26]);

export interface FindNodeOptions {
  /** The one to use; anything else is not looked for. A name without a folder is looked up on PATH. */
  readonly nodePath?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** This process as a Node; unset: as it is, `"none"`: it is another runtime. */
  readonly own?: { readonly path: string; readonly version: string } | "none" | undefined;
  /** How long one program may take to say its version. Default 10,000 ms. */
  readonly answerMs?: number | undefined;
}

/**
 * The Node that runs sandboxes: the option, else this process's own, else the first fitting one on PATH; always an
 * absolute path. Throws {@link CodemodeError} `no-node` that says what was looked at.
 */
export async function findNode(options: FindNodeOptions): Promise<string> {
  const { nodePath, env, answerMs } = options;
  const seen: string[] = [];
  const ask = async (path: string): Promise<string | undefined> => {
    const answer = await askNode(path, env, answerMs);
    if (answer.ok && fits(answer.version)) return answer.path;
    seen.push(describe(path, answer));
    return undefined;
  };
  if (nodePath !== undefined) {
    const named = locate(nodePath, env);
    const found = typeof named === "string" ? await ask(named) : undefined;
    if (found !== undefined) return found;
    throw noNode(typeof named === "string" ? seen : [`${JSON.stringify(nodePath)} (${named.reason})`]);
  }
  const own = options.own ?? ownNode();
  if (own !== "none") {
    if (fits(own.version)) return own.path;
    seen.push(`${own.path} (${own.version})`);
  }
  for (const candidate of onPath(process.platform === "win32" ? "node.exe" : "node", env)) {
    if (own !== "none" && candidate === own.path) continue;
    const found = await ask(candidate);
    if (found !== undefined) return found;
  }
  throw noNode(seen);
}

/** What was named, as a path that means the same in every folder. */
function locate(nodePath: string, env: FindNodeOptions["env"]): string | { readonly reason: string } {
  if (nodePath.trim() === "" || nodePath.includes("\0")) return { reason: "no path" };
  if (/[/\\]/.test(nodePath)) return resolve(nodePath);
  return onPath(nodePath, env)[0] ?? { reason: "not on PATH" };
}

/** Programs of that name, in the order of PATH. */
function onPath(name: string, env: FindNodeOptions["env"]): readonly string[] {
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return [...new Set(folders.map((folder) => resolve(join(folder, name))))].filter(isRunnable);
}

/**
 * Bun, Deno, Electron and NW.js have `process.versions.node` too, and a program that carries its Node in itself would
 * be started again as it is. One that is no longer where it was started from cannot be started at all.
 */
function ownNode(): NonNullable<FindNodeOptions["own"]> {
  const { versions, execPath, version } = process;
  const other = ["bun", "deno", "electron", "nw"].some((name) => versions[name] !== undefined);
  return other || carriesNode() || !isRunnable(execPath) ? "none" : { path: execPath, version };
}

function carriesNode(): boolean {
  const { getBuiltinModule } = process as { getBuiltinModule?: (id: string) => unknown };
  const sea = getBuiltinModule?.("node:sea") as { isSea?: () => boolean } | undefined;
  return sea?.isSea?.() === true || "pkg" in process;
}

function fits(version: string): boolean {
  const major = /^v(\d+)\.\d+\.\d/.exec(version)?.[1];
  return major !== undefined && MAJORS.has(Number(major));
}

function describe(path: string, answer: NodeAnswer): string {
  if (!answer.ok) return `${path} (${answer.reason})`;
  const elsewhere = answer.path === path ? "" : `, ${answer.path}`;
  return `${path} (${shownVersion(answer.version)}${elsewhere})`;
}

function noNode(seen: readonly string[]): CodemodeError {
  const looked = seen.length === 0 ? "none was found" : `looked at ${seen.join(", ")}`;
  return new CodemodeError(
    "no-node",
    `Scripts need Node 24 or 26 for their sandbox process: ${looked}. Install one so that it is on PATH, or name it with the nodePath option (--node on a command line).`,
  );
}
