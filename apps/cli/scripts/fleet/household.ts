/** All that is started and made on the way, so that nothing of it is left. */
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Household extends AsyncDisposable {
  folder(name: string): string;
  readonly start: (program: string, args: readonly string[], options: SpawnOptions) => ChildProcess;
}

const TERM_MS = 10_000;

export function openHousehold(): Household {
  const folders: string[] = [];
  const running = new Set<ChildProcess>();
  let isOver = false;
  // Whoever goes on while all of it ends gets nothing that would be left.
  const refuseAfterEnd = (): void => {
    if (isOver) throw new Error("All that was started is being ended");
  };
  return {
    folder(name) {
      refuseAfterEnd();
      const folder = realpathSync(mkdtempSync(join(tmpdir(), `nestbox-${name}-`)));
      folders.push(folder);
      return folder;
    },
    start(program, args, options) {
      refuseAfterEnd();
      const child = spawn(program, args, options);
      running.add(child);
      // One that cannot be started has no end, but an error, which whoever waits for it sees.
      for (const event of ["exit", "error"]) child.once(event, () => running.delete(child));
      return child;
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      // The last that came goes first: workers before their server.
      for (const child of Array.from(running).toReversed()) await end(child, "SIGTERM", TERM_MS);
      for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Resolves with how it ended; one that does not end is killed. */
export async function end(
  child: ChildProcess,
  signal: NodeJS.Signals,
  patienceMs = TERM_MS,
): Promise<{ readonly code: number | null; readonly signal: string | null }> {
  const gone = exited(child);
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
  try {
    return await gone;
  } finally {
    clearTimeout(timer);
  }
}

export async function exited(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly signal: string | null }> {
  if (child.exitCode === null && child.signalCode === null)
    await new Promise<void>((resolve, reject) => {
      child.once("exit", () => resolve());
      child.once("error", reject);
    });
  return { code: child.exitCode, signal: child.signalCode };
}

/** The same, when all that it said has been read too. */
export async function closed(child: ChildProcess): Promise<{ readonly code: number | null }> {
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("close", resolve).once("error", reject);
  });
  return { code };
}
