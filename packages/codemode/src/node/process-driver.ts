import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parse } from "node:path";
import type { SandboxDriver, SandboxEvents, SandboxLink, SandboxSpec } from "../runner/driver.ts";
import { CHUNK_BYTES, encodeFrame, frameChunks, FrameReader, isChunked } from "../runner/frames.ts";
import { Poller } from "../runner/poller.ts";
import { messageOf } from "../shared/guards.ts";
import { CAN_WATCH, endWatch, WATCH_HOST } from "./host-watch.ts";
import { INHERITED, LIST_INHERITED } from "./inherited.ts";
import { memoryReader } from "./resident-memory.ts";
import { readNow, stepAside, writeNow } from "./read-now.ts";
import type { SandboxFiles } from "./sandbox-files.ts";

const MAX_STDERR_CHARS = 8_192;
/** An orphan that spins is ended by the system after this much processor time, unless a script may take more. */
const CPU_SECONDS = 3_600;
const MAX_OPEN_FILES = 256;
/** No compiler for JavaScript and regular expressions; `--jitless` would also take what removes types. */
const NO_JIT = ["--no-turbofan", "--no-sparkplug", "--regexp-interpret-all"];
const POLL_MS = 0.1;
const MAX_POLLS_IN_ROW = 64;
/** How long one large frame may keep the event loop, in either direction, however the other side paces it. */
const MAX_FRAME_MS = 30;
const CAN_POLL = process.platform !== "win32" && availableParallelism() > 1;

export interface ProcessDriverOptions {
  readonly files: SandboxFiles;
  /** Resolves to the Node that runs sandboxes. */
  readonly node: () => Promise<string>;
}

/** Sandboxes as processes of their own: no environment, no descriptors but the pipes, no powers that Node can refuse. */
export function processDriver(options: ProcessDriverOptions): SandboxDriver {
  let buffer: Buffer | undefined;
  const chunks = (): Buffer => (buffer ??= Buffer.allocUnsafeSlow(CHUNK_BYTES));
  const endWithHost = killedAtExit();
  return {
    start(spec, events) {
      let child: ChildProcess | undefined;
      let gone = false;
      let held = true;
      let poll: (() => void) | undefined;
      const queued: Buffer[] = [];
      const memory = memoryReader();
      const exit = (message: string, outOfMemory = false): void => {
        if (gone) return;
        gone = true;
        events.exit({ message, outOfMemory });
      };
      const link: SandboxLink = {
        send(type, run, header, segments = []) {
          if (child === undefined) queued.push(encodeFrame(type, run, header, segments));
          else if (isChunked(segments, CHUNK_BYTES))
            writeLarge(child, frameChunks(type, run, header, segments, chunks()));
          else writeSmall(child, encodeFrame(type, run, header, segments));
        },
        poll: () => void (gone || poll?.()),
        kill() {
          gone = true;
          child?.kill("SIGKILL");
        },
        close() {
          gone = true;
          if (child === undefined) return;
          child.stdin?.end();
          // A sandbox that does not notice the end of its input is ended all the same.
          const timer = setTimeout(() => child?.kill("SIGKILL"), 1_000);
          timer.unref();
          child.once("exit", () => clearTimeout(timer));
        },
        memoryBytes: () => (child?.pid === undefined ? undefined : memory(child.pid)),
        hold(value) {
          // Only a change is told: Bun counts how often a stream is held.
          if (held === value) return;
          held = value;
          if (child !== undefined) setHeld(child, value);
        },
      };
      options
        .node()
        .then((node) => {
          if (gone) return;
          child = launch(node, options.files, spec);
          endWithHost(child);
          poll = listen(child, spec, {
            frame: (frame) => gone || events.frame(frame),
            exit: ({ message, outOfMemory }) => exit(message, outOfMemory),
          });
          for (const buffer of queued) child.stdin?.write(buffer);
          if (!held) setHeld(child, false);
        })
        // Also what the system does not start at all: that ends this sandbox, and not the process that wanted it.
        .catch((error: unknown) => exit(messageOf(error)));
      return link;
    },
  };
}

/**
 * A host that exits without a word leaves nothing behind: what spins in an isolate does not notice that its input has
 * ended. One listener for all of a driver's processes, and none while there are none.
 */
function killedAtExit(): (child: ChildProcess) => void {
  const alive = new Set<ChildProcess>();
  const killAll = (): void => {
    for (const child of alive) child.kill("SIGKILL");
  };
  return (child) => {
    if (alive.size === 0) process.on("exit", killAll);
    alive.add(child);
    const gone = (): void => {
      if (alive.delete(child) && alive.size === 0) process.off("exit", killAll);
    };
    child.once("exit", gone);
    // What was never started does not exit.
    child.once("error", gone);
  };
}

/** Flags and arguments of a sandbox process. */
export function sandboxArguments(files: SandboxFiles, spec: SandboxSpec): readonly string[] {
  const settings = {
    prebuilds: files.prebuilds,
    memoryMb: spec.memoryMb,
    stock: spec.stock,
    maxFrameBytes: spec.maxFrameBytes,
    poll: CAN_POLL,
  };
  return [
    ...files.conditions,
    "--no-node-snapshot",
    "--no-warnings",
    "--no-maglev",
    // It would print what it thinks of `use asm` to where the frames go, and lead to a compiler that scripts do not have.
    "--no-validate-asm",
    ...(spec.jit ? [] : NO_JIT),
    "--permission",
    "--allow-addons",
    ...files.readable.map((folder) => `--allow-fs-read=${folder}`),
    files.main,
    JSON.stringify(settings),
  ];
}

function launch(node: string, files: SandboxFiles, spec: SandboxSpec): ChildProcess {
  const args = sandboxArguments(files, spec);
  const env: Record<string, string> = {
    TZ: spec.timeZone,
    LC_ALL: spec.locale,
    // Memory is touched in larger pieces: dear where a first touch is.
    GLIBC_TUNABLES: "glibc.malloc.hugetlb=1",
  };
  const shell = process.platform !== "win32" && existsSync("/bin/sh");
  const limits = [
    "ulimit -c 0",
    `ulimit -n ${MAX_OPEN_FILES}`,
    "ulimit -f 0",
    `ulimit -t ${spec.cpuSeconds ?? CPU_SECONDS}`,
    ...(process.platform === "linux" ? [`ulimit -d ${dataKilobytes(spec)}`] : []),
  ].join("; ");
  const watched = shell && CAN_WATCH;
  const watch = watched ? `${WATCH_HOST}; ` : "";
  const script = `{ ${limits}; } 2>/dev/null; ${watch}${LIST_INHERITED}; exec "$0" "$@" ${INHERITED}`;
  const child = spawn(shell ? "/bin/sh" : node, shell ? ["-c", script, node, ...args] : args, {
    cwd: parse(files.main).root,
    env,
    stdio: ["pipe", "pipe", "pipe", ...(watched ? ["pipe" as const] : [])],
    windowsHide: true,
  });
  if (watched) endWatch(child);
  return child;
}

/**
 * The system's own limit of writable memory, far above what the host's watch allows: every isolate reserves half a
 * gigabyte that it never touches. It stops what grows faster than anyone can look.
 */
export function dataKilobytes(spec: SandboxSpec): number {
  return (4_096 + (spec.stock + 2) * 640 + 4 * spec.memoryMb) * 1_024;
}

/** Hands on frames and the exit; what it returns looks at the pipe before the event loop does, where that is possible. */
function listen(child: ChildProcess, spec: SandboxSpec, events: SandboxEvents): (() => void) | undefined {
  let stderr = "";
  /** Frames of a chunk are being handed on: what comes after it is not to be read before its end. */
  let taking = false;
  const reader = new FrameReader(spec.maxFrameBytes, events.frame);
  const take = (chunk: Buffer): void => {
    taking = true;
    try {
      reader.push(chunk);
    } catch (error) {
      // Not a frame of ours: whatever sits there now is not the sandbox that was started.
      child.kill("SIGKILL");
      events.exit({ message: messageOf(error), outOfMemory: false });
    } finally {
      taking = false;
    }
  };
  const read = (buffer: Buffer): number => {
    // Asked anew each time: once the stream has closed it, the number is that of whatever was opened since.
    const fd = descriptorOf(child.stdout);
    return fd === undefined ? 0 : readNow(fd, buffer);
  };
  const poller =
    !CAN_POLL || descriptorOf(child.stdout) === undefined
      ? undefined
      : new Poller({
          read,
          onChunk: take,
          isPartial: () => reader.isPartial,
          now: () => performance.now(),
          budgetMs: POLL_MS,
          maxInRow: MAX_POLLS_IN_ROW,
          maxPartialMs: MAX_FRAME_MS,
          stepAside,
        });
  child.stdout?.on("data", (chunk: Buffer) => {
    poller?.rest();
    take(chunk);
  });
  // One that can say nothing any more has ended, whatever else it does.
  child.stdout?.on("end", () => child.kill("SIGKILL"));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR_CHARS);
  });
  // A broken pipe is told by the exit.
  child.stdin?.on("error", () => undefined);
  child.on("error", (error) => events.exit({ message: error.message, outOfMemory: false }));
  child.on("close", (code, signal) => {
    const how = signal === null ? `exit code ${String(code)}` : `signal ${signal}`;
    const reason = firstReason(stderr);
    const outOfMemory = /out of memory|invalid (?:array|size|string) (?:length|error)|allocation fail/i.test(
      stderr,
    );
    events.exit({ message: reason === "" ? how : `${how}: ${reason}`, outOfMemory });
  });
  return poller === undefined ? undefined : () => void (taking || poller.poll());
}

/** How long the other side may take to make room before the event loop waits for it instead. */
const ROOM_MS = 2;

/** Writes what the pipe takes while the other side reads; the stream has the rest. */
function writeLarge(child: ChildProcess, chunks: Iterable<Buffer>): void {
  const { stdin } = child;
  const end = performance.now() + MAX_FRAME_MS;
  let fd = stdin?.writableLength === 0 ? descriptorOf(stdin) : undefined;
  for (const chunk of chunks) {
    let at = 0;
    if (fd !== undefined) {
      at = writeNow(fd, chunk, ROOM_MS, end);
      if (at < chunk.length || performance.now() > end) fd = undefined;
    }
    if (at < chunk.length) stdin?.write(Buffer.from(chunk.subarray(at)));
  }
}

/** Writes at once what the pipe has room for; a stream that has something queued is not overtaken. */
function writeSmall({ stdin }: ChildProcess, frame: Buffer): void {
  const fd = stdin?.writableLength === 0 ? descriptorOf(stdin) : undefined;
  const at = fd === undefined ? 0 : writeNow(fd, frame, 0);
  if (at < frame.length) stdin?.write(frame.subarray(at));
}

/** The raw descriptor behind a pipe; other runtimes and systems do not have it. */
function descriptorOf(stream: unknown): number | undefined {
  const fd: unknown = (stream as { _handle?: { fd?: unknown } } | null)?._handle?.fd;
  return typeof fd === "number" && fd >= 0 ? fd : undefined;
}

/** The line of a dying process that says why: that of its error, and not the one of the source that Node shows above. */
export function firstReason(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.replace(/^#\s*/, "").trim());
  const line =
    lines.find((text) => /^(?:\w*Error\b.*:|FATAL ERROR:|Fatal )/.test(text)) ??
    lines.find((text) => /error|fatal|cannot|not found/i.test(text)) ??
    "";
  return line.slice(0, 300);
}

function setHeld(child: ChildProcess, held: boolean): void {
  const streams = [child.stdin, child.stdout, child.stderr] as unknown as readonly {
    ref?: () => void;
    unref?: () => void;
  }[];
  for (const handle of [child, ...streams]) {
    if (held) handle.ref?.();
    else handle.unref?.();
  }
}
