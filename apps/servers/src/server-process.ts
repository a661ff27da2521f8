/** One program that is started, killed and started again, with what it says kept in a file of its folder. */
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export type Spawn = (program: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

export interface Server {
  readonly folder: string;
  /** Of the process that was started last. */
  readonly pid: number;
  /** SIGKILL, as the system does it when memory is short; resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** Again, with the same folder and ports; resolves when it answers. */
  readonly start: () => Promise<void>;
  /** Ends it and removes its folder. */
  readonly close: () => Promise<void>;
}

/** What every server is told. */
export interface ServerOptions {
  /** Its own, which goes with it; one in the system's folder for what is temporary where none is named. */
  readonly folder?: string | undefined;
  /** Starts a process: of whoever keeps a list of what is to end. Node's where nobody does. */
  readonly spawn?: Spawn | undefined;
}

export interface ServerProgram {
  readonly name: string;
  readonly folder: string;
  readonly spawn: Spawn | undefined;
  readonly program: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
  readonly answers: () => Promise<boolean> | boolean;
  /** With which it ends at once, and whatever it has started with it. */
  readonly endsWith: NodeJS.Signals;
}

const START_MS = 60_000;
const LOOK_MS = 50;
const LOG_CHARACTERS = 1_000;

export const ownFolder = (name: string): string =>
  realpathSync(mkdtempSync(join(tmpdir(), `nestbox-${name}-`)));

/** Resolves when it answers; rejects with the end of its log where it does not. */
export async function startProgram(server: ServerProgram): Promise<Server> {
  const log = join(server.folder, "server.log");
  let child = begin();
  let wasKilled = false;

  function begin(): ChildProcess {
    const file = openSync(log, "a", 0o600);
    try {
      const options = { ...server.options, stdio: ["ignore", file, file] } satisfies SpawnOptions;
      const begun = (server.spawn ?? spawn)(server.program, server.args, options);
      // One that cannot be started has no process: that is looked at.
      begun.on("error", () => undefined);
      return begun;
    } finally {
      closeSync(file);
    }
  }

  async function answers(): Promise<void> {
    const last = performance.now() + START_MS;
    for (;;) {
      // One whose predecessor was killed may refuse until the last of what that had started is gone.
      if (hasEnded(child) && wasKilled && performance.now() < last) child = begin();
      else if (hasEnded(child) || performance.now() > last)
        throw new Error(`${server.name} does not start: ${readFileSync(log, "utf8").slice(-LOG_CHARACTERS)}`);
      // It may have ended while it was asked, and another have its port.
      else if ((await server.answers()) && !hasEnded(child)) return;
      await pause(LOOK_MS);
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (hasEnded(child)) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }

  async function close(): Promise<void> {
    await end(server.endsWith);
    rmSync(server.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  try {
    await answers();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    folder: server.folder,
    get pid() {
      return child.pid ?? 0;
    },
    async kill() {
      wasKilled = true;
      await end("SIGKILL");
    },
    async start() {
      if (hasEnded(child)) child = begin();
      await answers();
    },
    close,
  };
}

const hasEnded = (child: ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
