import { spawn } from "node:child_process";
import { PassThrough, Readable } from "node:stream";
import { fileURLToPath } from "node:url";

import { main } from "../../src/program.ts";
import type { RunReport } from "../../src/report/json.ts";

const program = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
export const fixtureTools = fileURLToPath(new URL("../fixtures/tools.ts", import.meta.url));

export interface Run {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The last line of standard output, as JSON. */
  readonly report: RunReport;
  /** The same, for commands that report something else. */
  readonly json: unknown;
}

function result(exitCode: number | null, stdout: string, stderr: string): Run {
  return {
    exitCode,
    stdout,
    stderr,
    get report() {
      return lastLine(stdout) as RunReport;
    },
    get json() {
      return lastLine(stdout);
    },
  };
}

function lastLine(text: string): unknown {
  return JSON.parse(text.trimEnd().split("\n").at(-1) ?? "");
}

/** Carries out a command line in this process, with no terminal. */
export async function nestbox(args: readonly string[], stdin = ""): Promise<Run> {
  const stdout = collect();
  const stderr = collect();
  const streams = { stdin: Readable.from([stdin]), stdout: stdout.stream, stderr: stderr.stream };
  const exitCode = await main(args, streams, new AbortController().signal);
  return result(exitCode, stdout.text(), stderr.text());
}

/** Runs the command line as a process of its own. */
export function nestboxProcess(
  args: readonly string[],
  stdin = "",
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--conditions=@nestbox/source", program, ...args], {
      stdio: "pipe",
      ...options,
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (exitCode) => resolve(result(exitCode, stdout, stderr)));
    child.stdin.end(stdin);
  });
}

/** Runs a script given as text against the fixture's tools. */
export function runScript(code: string, ...more: readonly string[]): Promise<Run> {
  return nestbox(["run", "-", "--tools", fixtureTools, "--json", ...more], code);
}

function collect(): { readonly stream: PassThrough; readonly text: () => string } {
  const stream = new PassThrough();
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return { stream, text: () => text };
}
