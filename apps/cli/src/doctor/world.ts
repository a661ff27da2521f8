import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { createToolHost } from "@nestbox/calls";
import type { ScriptOutcome } from "@nestbox/codemode";
import { createRunner, createScriptChecker, findNode } from "@nestbox/codemode/node";
import { defaultPolicyPaths, openPolicy, type PolicyFile, type PolicyFileStatus } from "@nestbox/policy/node";
import { runCommand } from "@nestbox/tool/node";

import { historyFile } from "../repl/history.ts";

/** How a program that the doctor started ended. */
export type ProgramEnd =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly message: string };

/** All that the doctor looks at; tests put other things in its place. */
export interface World {
  readonly version: string;
  readonly execPath: string;
  readonly platform: string;
  readonly arch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The port that is asked about. */
  readonly port: number;
  /** The Node that was named for sandboxes. */
  readonly namedNode: string | undefined;
  /** Rejects with what was looked at when no Node fits. */
  findNode(): Promise<string>;
  runProgram(file: string, args: readonly string[]): Promise<ProgramEnd>;
  /** Folder of isolated-vm's prebuilt libraries. */
  prebuilds(): string;
  /** A folder that the sandbox process may read. */
  readableFolder(): string;
  /** What is written to, now or later. */
  writtenFolders(): readonly WrittenFolder[];
  /** Runs a script as `nestbox run` does, without tools. */
  runScript(nodePath: string, code: string): Promise<ScriptOutcome>;
  checkScript(code: string): Promise<{ readonly kind: string; readonly reason?: string }>;
  policyStatus(): readonly PolicyFileStatus[];
  /** Listens and stops; rejects as the system does. */
  listen(port: number): Promise<void>;
}

export interface WrittenFolder {
  readonly path: string;
  /** Whether scripts need it. */
  readonly needed: boolean;
  /** What is lost without it, and another way to give one. */
  readonly lost: string;
  readonly way: string;
}

export interface WorldOptions {
  readonly cwd: string;
  readonly nodePath?: string;
  /** Next to the usual places. */
  readonly policy: readonly string[];
  readonly port: number;
}

const PROGRAM_MS = 30_000;

export function realWorld(options: WorldOptions): World {
  const { cwd, nodePath, port } = options;
  return {
    version: process.version,
    execPath: process.execPath,
    platform: process.platform,
    arch: process.arch,
    env: process.env,
    cwd,
    port,
    namedNode: nodePath,
    findNode: () => findNode({ nodePath, env: process.env }),
    runProgram,
    prebuilds,
    readableFolder: codemodeRoot,
    runScript,
    checkScript: (code) => createScriptChecker({ timeoutMs: PROGRAM_MS }).check({ code, tools: [] }),
    writtenFolders: () => [
      {
        path: tmpdir(),
        needed: true,
        lost: "output that is too long for a result has no file",
        way: "name a folder with TMPDIR",
      },
      {
        path: dirname(historyFile(process.env)),
        needed: false,
        lost: "the repl keeps no history",
        way: "name a folder with XDG_STATE_HOME",
      },
      {
        path: agentDir(),
        needed: false,
        lost: "in Pi, calls are denied while their audit cannot be written, and answers are not remembered",
        way: "name a folder with PI_CODING_AGENT_DIR",
      },
    ],
    policyStatus: () => {
      const named = options.policy.map((path): PolicyFile => ({ path, layer: "user", required: true }));
      const files = [...defaultPolicyPaths({ agentDir: agentDir(), cwd }).files, ...named];
      return openPolicy({ files, home: homedir(), cwd }).status();
    },
    listen,
  };
}

function agentDir(): string {
  return process.env["PI_CODING_AGENT_DIR"] ?? join(homedir(), ".pi", "agent");
}

async function runProgram(file: string, args: readonly string[]): Promise<ProgramEnd> {
  const result = await runCommand(file, args, { cwd: process.cwd(), timeoutMs: PROGRAM_MS });
  if (result.kind === "exited" && result.exitCode === 0) return { ok: true, stdout: result.stdout.trim() };
  const how =
    result.kind === "exited"
      ? `exit code ${result.exitCode}`
      : result.kind === "failed-to-start"
        ? result.message
        : result.kind;
  const said =
    result.stderr
      .trim()
      .split("\n")
      .find((line) => /error|denied/i.test(line)) ?? "";
  return { ok: false, message: said === "" ? how : `${how}: ${said}` };
}

function codemodeRoot(): string {
  return dirname(createRequire(import.meta.url).resolve("@nestbox/codemode/package.json"));
}

function prebuilds(): string {
  const root = codemodeRoot();
  const vendored = join(root, "vendor", "isolated-vm", "prebuilds");
  if (existsSync(vendored)) return vendored;
  return join(
    dirname(createRequire(join(root, "package.json")).resolve("isolated-vm/package.json")),
    "prebuilds",
  );
}

async function runScript(nodePath: string, code: string): Promise<ScriptOutcome> {
  await using host = createToolHost({ cwd: process.cwd() });
  await using caller = host.caller({ callId: "doctor" });
  const runner = createRunner({ maxProcesses: 1, nodePath });
  try {
    return await runner.run({ code, caller, limits: { timeoutMs: PROGRAM_MS } });
  } finally {
    await runner.close();
  }
}

function listen(port: number): Promise<void> {
  // Node ends the process where it would have to refuse this.
  const { permission } = process as { permission?: { has(scope: string): boolean } };
  if (
    permission?.has("net") === false &&
    process.version.localeCompare("v25", undefined, { numeric: true }) >= 0
  )
    return Promise.reject(
      Object.assign(new Error("Node was started with --permission and without --allow-net"), {
        code: "ERR_ACCESS_DENIED",
      }),
    );
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => server.close(() => resolve()));
  });
}
