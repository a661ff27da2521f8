import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { onExit } from "signal-exit";
import { createByteWindow } from "../byte-window.ts";
import { commandEnv, defaultEnvAllow } from "./command-env.ts";
import { createOutputCollector, defaultOutputBytes, windowText } from "./output-collector.ts";
import type { OutputFolder } from "./output-folder.ts";
import { endTree, killTree, killTreeNow, processTree, treeMarks, treeVariable } from "./process-tree.ts";

export interface RunCommandOptions {
  readonly cwd: string;
  /** Set on top of what is inherited; `undefined` removes a name. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Names of the host's environment that are inherited; a trailing `*` is a prefix. Default: `defaultEnvAllow`. */
  readonly envAllow?: readonly string[];
  /** Default: ten minutes. `Infinity` for none. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Bytes kept of each stream and of both together: the first and the last half of it. Default 1 MiB. */
  readonly maxBytes?: number;
  /** Bytes of the file that holds the complete output. Default 2 GiB. */
  readonly maxFileBytes?: number;
  /** Where that file goes. Default: a private folder in the system's temp folder that is swept after a day. */
  readonly outputFolder?: OutputFolder;
  /** Output as it comes, decoded, in order of arrival. What it throws is ignored. */
  readonly onChunk?: (chunk: CommandChunk) => void;
  /** Written to standard input, which is closed otherwise. */
  readonly input?: string | Uint8Array;
  /** From asking the tree to end (SIGTERM) to killing it (SIGKILL). Default: two seconds. */
  readonly graceMs?: number;
}

export interface CommandChunk {
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

/** How a command ended. A non-zero exit code is data, not a failure (contract A4). */
export type CommandEnd =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "signaled"; readonly signal: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "aborted" }
  | { readonly kind: "failed-to-start"; readonly message: string };

export type CommandResult = CommandEnd & {
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams in order of arrival. */
  readonly output: string;
  /** Something was cut out of `stdout`, `stderr` or `output`; a marker stands in its place. */
  readonly truncated: boolean;
  /** Bytes that both streams had together, kept or not. */
  readonly totalBytes: number;
  /** The file with both streams, when something was cut. */
  readonly fullOutputPath?: string;
  /** That file ended at `maxFileBytes` before the output did. */
  readonly fullOutputIncomplete?: boolean;
  readonly durationMs: number;
};

const defaultCommandTimeoutMs = 10 * 60 * 1000;
const defaultCommandGraceMs = 2000;
/** How long a pipe may stay open after the last process of the tree was ended, in milliseconds. */
const drainMs = 2000;

/**
 * Runs a program with an argument array and no shell (contract B9). Resolves for every way it can end, and only
 * when the whole process tree has ended: what the program leaves running when it exits is killed.
 *
 * Throws only for misuse: an argument with a NUL character.
 */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: RunCommandOptions,
): Promise<CommandResult> {
  const { cwd, signal, timeoutMs = defaultCommandTimeoutMs, graceMs = defaultCommandGraceMs } = options;
  const maxBytes = options.maxBytes ?? defaultOutputBytes;
  if ([file, ...args].some((word) => word.includes("\0")))
    throw new TypeError("A command cannot hold a NUL character");
  const started = performance.now();
  const none = { stdout: "", stderr: "", output: "", truncated: false, totalBytes: 0 };
  const duration = () => Math.round(performance.now() - started);
  // A hundred modules, which whoever imports this for something else does not need: loaded for the first command.
  const { execa } = await import("execa");
  if (signal?.aborted === true) return { kind: "aborted", ...none, durationMs: duration() };

  const mark = randomUUID();
  // Before the program begins: a signal that ends the host in between would leave it running. The tree is in a session
  // of its own, which Ctrl-C does not reach.
  let begun: ReturnType<typeof processTree> | undefined;
  const releaseHost = onExit(() => {
    if (begun !== undefined) killTreeNow(begun);
  });
  const child = execa(file, args, {
    cwd,
    env: {
      ...commandEnv(process.env, options.envAllow ?? defaultEnvAllow, options.env),
      [treeVariable]: treeMarks(process.env[treeVariable], mark),
    },
    extendEnv: false,
    shell: false,
    // A group of its own, so that the whole tree can be signalled. On Windows it would open a window instead.
    detached: process.platform !== "win32",
    cleanup: false,
    reject: false,
    buffer: false,
    encoding: "buffer",
    stdin: options.input === undefined ? "ignore" : "pipe",
    ...(options.input === undefined ? {} : { input: options.input }),
    windowsHide: true,
    forceKillAfterDelay: false,
  });
  // With `buffer: false`, it settles when the program has exited, whoever still holds its pipes.
  const exit = new Promise<{ exitCode?: number | null; signal?: string | null }>((resolve) => {
    child.nodeChildProcess.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
    child.nodeChildProcess.once("error", () => resolve({}));
  });
  const settled = child.then((result) => result);

  const { pid } = child;
  if (pid === undefined) {
    releaseHost();
    const { originalMessage, shortMessage } = await settled;
    const message = originalMessage ?? shortMessage ?? `${file} could not be started`;
    return { kind: "failed-to-start", message, ...none, durationMs: duration() };
  }

  const tree = processTree(pid, mark);
  begun = tree;
  const collector = createOutputCollector({
    maxBytes,
    ...(options.maxFileBytes === undefined ? {} : { maxFileBytes: options.maxFileBytes }),
    ...(options.outputFolder === undefined ? {} : { folder: options.outputFolder }),
  });
  const windows = { stdout: createByteWindow(maxBytes), stderr: createByteWindow(maxBytes) };

  async function pump(stream: "stdout" | "stderr", source: Readable | null | undefined): Promise<void> {
    if (source === null || source === undefined) return;
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    try {
      for await (const chunk of source as AsyncIterable<Uint8Array>) {
        windows[stream].write(chunk);
        if (options.onChunk !== undefined) {
          tell(options.onChunk, { stream, text: decoder.decode(chunk, { stream: true }) });
        }
        await collector.write(chunk);
      }
    } catch {
      // The pipe was destroyed while it was read: what came until then counts.
    }
    tell(options.onChunk, { stream, text: decoder.decode() });
  }
  const pumped = Promise.all([pump("stdout", child.stdout), pump("stderr", child.stderr)]);

  const { promise: stopped, cancel } = stopReason(signal, timeoutMs);
  let end: CommandEnd;
  try {
    const first = await Promise.race([exit, stopped]);
    if (typeof first === "string") {
      await endTree(tree, graceMs);
      await Promise.race([exit, timer(drainMs)]);
      end = { kind: first };
    } else {
      await killTree(tree);
      end =
        typeof first.signal === "string"
          ? { kind: "signaled", signal: first.signal }
          : typeof first.exitCode === "number"
            ? { kind: "exited", exitCode: first.exitCode }
            : { kind: "failed-to-start", message: `${file} could not be started` };
    }
    // A process that got away may hold a pipe for ever: do not wait for it.
    if ((await Promise.race([pumped, timer(drainMs)])) === undefined) {
      child.stdout?.destroy();
      child.stderr?.destroy();
      await pumped;
    }
  } finally {
    cancel();
    releaseHost();
  }

  const all = await collector.finish();
  const where = {
    ...(all.fullOutputPath === undefined ? {} : { fullOutputPath: all.fullOutputPath }),
    ...(all.fullOutputIncomplete === undefined ? {} : { fullOutputIncomplete: all.fullOutputIncomplete }),
  };
  return {
    ...end,
    stdout: windowText(windows.stdout.read(), where),
    stderr: windowText(windows.stderr.read(), where),
    output: all.text,
    truncated: all.truncated,
    totalBytes: all.totalBytes,
    ...where,
    durationMs: duration(),
  };
}

function tell(onChunk: RunCommandOptions["onChunk"], chunk: CommandChunk): void {
  if (chunk.text === "") return;
  try {
    onChunk?.(chunk);
  } catch {
    // A listener's fault must not end the command, nor the host.
  }
}

function timer(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
}

/** Settles when the command is to be ended before its time. */
function stopReason(signal: AbortSignal | undefined, timeoutMs: number) {
  const { promise, resolve } = Promise.withResolvers<"timeout" | "aborted">();
  const onAbort = () => resolve("aborted");
  signal?.addEventListener("abort", onAbort, { once: true });
  // Node's timers hold 31 bits; a longer one would fire at once.
  const timeout =
    timeoutMs < 2 ** 31 ? setTimeout(() => resolve("timeout"), Math.max(0, timeoutMs)) : undefined;
  const cancel = () => {
    signal?.removeEventListener("abort", onAbort);
    clearTimeout(timeout);
  };
  return { promise, cancel };
}
