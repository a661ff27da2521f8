/**
 * All that a measurement starts, so that nothing of it is left: processes are killed and folders removed when it ends,
 * when it fails, and when somebody presses Ctrl-C.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CLOSE_MS = 5_000;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export class Household {
  readonly #children = new Set<ChildProcess>();
  readonly #folders: string[] = [];

  readonly #onSignal = (): void => {
    void this.close().finally(() => process.exit(130));
  };

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  folder(name: string): string {
    const folder = mkdtempSync(join(tmpdir(), `nestbox-bench-${name}-`));
    this.#folders.push(folder);
    return folder;
  }

  fork(file: string, args: readonly string[]): ChildProcess {
    return this.#keep(
      fork(file, args, {
        execArgv: [...process.execArgv, "--no-warnings"],
        stdio: ["ignore", "ignore", "inherit", "ipc"],
        detached: true,
      }),
    );
  }

  spawn(...[program, args, options]: Parameters<typeof spawn>): ChildProcess {
    return this.#keep(spawn(program, args, { ...options, detached: true }));
  }

  /** With all that it has started; resolves when it is gone. */
  async kill(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (hasEnded(child)) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }

  async close(): Promise<void> {
    // The newest first: workers before their server.
    for (const child of [...this.#children].toReversed()) {
      const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      await Promise.race([this.kill(child, "SIGTERM"), late]);
      killGroup(child);
    }
    for (const folder of this.#folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }

  #keep(child: ChildProcess): ChildProcess {
    this.#children.add(child);
    // A group of its own, so that Ctrl-C in a terminal reaches whoever cleans up, and whatever a killed one leaves goes
    // with it.
    child.once("exit", () => {
      killGroup(child);
      this.#children.delete(child);
    });
    return child;
  }
}

export const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
