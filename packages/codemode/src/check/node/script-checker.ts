import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CallableTool } from "@nestbox/tool";
import { runCommand } from "@nestbox/tool/node";
import { isRecord, messageOf } from "../../shared/guards.ts";
import { toCheckSource } from "../check-source.ts";
import type { CheckOutcome } from "../check-types.ts";
import { renderDeclarationFile } from "../declaration-file.ts";
import { readDiagnostics } from "../read-diagnostics.ts";

/** Longest declarations of all tools together that are checked against, in characters. */
const MAX_DECLARATION_CHARS = 4_000_000;
/** Memory at which the checker starts to hold back, as Go counts it. */
const MEMORY_LIMIT = "512MiB";

export interface ScriptCheckerOptions {
  /** Time for one check. Default: 5,000 ms. A check that takes longer is "not checked". */
  readonly timeoutMs?: number;
  /** The compiler's executable. Default: that of the installed `typescript`, version 7 or later. */
  readonly compilerPath?: string;
  /** Folder for the checked files, which are removed afterwards. Default: the system's temporary one. */
  readonly folder?: string;
}

export interface CheckRequest {
  /** The script without its options line. */
  readonly code: string;
  readonly tools: readonly CallableTool[];
  readonly signal?: AbortSignal | undefined;
}

export interface ScriptChecker {
  /** Checks a script against the declarations of the tools it can call. Never rejects, never runs the script. */
  check(request: CheckRequest): Promise<CheckOutcome>;
}

/**
 * Type-checks scripts with TypeScript 7 in a process of its own, which is killed when its time is over. Nothing that a
 * script imports or refers to is read.
 */
export function createScriptChecker(options: ScriptCheckerOptions = {}): ScriptChecker {
  let compiler: Promise<string> | undefined;
  const findCompiler = (): Promise<string> => {
    compiler ??=
      options.compilerPath === undefined ? installedCompiler() : Promise.resolve(options.compilerPath);
    // A failure is not kept: TypeScript may be installed meanwhile.
    compiler.catch(() => (compiler = undefined));
    return compiler;
  };
  return {
    async check(request) {
      try {
        return await checkScript(request, await findCompiler(), options);
      } catch (error) {
        return { kind: "not-checked", reason: messageOf(error) };
      }
    },
  };
}

async function checkScript(
  request: CheckRequest,
  compiler: string,
  options: ScriptCheckerOptions,
): Promise<CheckOutcome> {
  const source = toCheckSource(request.code);
  if ("reason" in source) return { kind: "not-checked", reason: source.reason };
  const declarations = renderDeclarationFile(request.tools);
  if (declarations.length > MAX_DECLARATION_CHARS) {
    return { kind: "not-checked", reason: "the declarations of the tools are too long" };
  }
  const timeoutMs = options.timeoutMs ?? 5_000;
  const folder = await mkdtemp(join(options.folder ?? tmpdir(), "nestbox-check-"));
  try {
    const file = `script${source.extension}`;
    await Promise.all([
      writeFile(join(folder, "world.d.ts"), declarations),
      writeFile(join(folder, file), source.text),
    ]);
    // What remains of TypeScript without its types tells which names are used as values.
    const isTyped = source.extension === ".ts";
    const emit = isTyped ? ["--outDir", OUTPUT, "--removeComments"] : ["--noEmit"];
    const result = await runCommand(compiler, [...FLAGS, ...emit, "world.d.ts", file], {
      cwd: folder,
      env: { GOMEMLIMIT: MEMORY_LIMIT, GOMAXPROCS: "2" },
      timeoutMs,
      graceMs: 0,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    if (result.kind === "timeout")
      return { kind: "not-checked", reason: `checking took longer than ${timeoutMs} ms` };
    if (result.kind !== "exited")
      return { kind: "not-checked", reason: `the checker ended early (${result.kind})` };
    // Where nothing was written, no name is known to be a value.
    const erased = isTyped
      ? await readFile(join(folder, OUTPUT, "script.js"), "utf8").catch(() => "")
      : undefined;
    return readDiagnostics(result.stdout, { ...source, file, code: request.code, declarations, erased });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Folder of what the compiler writes. */
const OUTPUT = "out";

/** Lenient about the script's own code, exact about calls; reads no file but the two it is given. */
const FLAGS: readonly string[] = [
  "--ignoreConfig",
  "--pretty",
  "false",
  "--allowJs",
  "--checkJs",
  "--target",
  "esnext",
  "--lib",
  "esnext",
  "--module",
  "esnext",
  "--moduleDetection",
  "force",
  "--noResolve",
  "--types",
  "",
  "--skipLibCheck",
  "--strict",
  "false",
];

/** The native compiler of the installed package; it is started itself, so that killing it ends it. */
async function installedCompiler(): Promise<string> {
  const manifest = findManifest();
  const file = pathToFileURL(join(dirname(manifest), "lib", "getExePath.js")).href;
  // Before version 7 there is no such file.
  const module: unknown = await import(file).catch(() => undefined);
  const find: unknown = isRecord(module) ? module["default"] : undefined;
  const path: unknown = typeof find === "function" ? find() : undefined;
  if (typeof path !== "string")
    throw new Error("the installed TypeScript has no native compiler; version 7 is needed");
  return path;
}

function findManifest(): string {
  try {
    return createRequire(import.meta.url).resolve("typescript/package.json");
  } catch (cause) {
    throw new Error("TypeScript is not installed; version 7 is needed", { cause });
  }
}
