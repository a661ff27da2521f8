import { type FSWatcher, watch as watchFolder } from "node:fs";
import { basename, dirname, resolve } from "node:path";

import { withConfig } from "../config/with-config.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Streams } from "../output.ts";
import { tellFailure } from "../report/failure.ts";
import { UsageError } from "../usage-error.ts";
import { run, type RunOptions } from "./run.ts";

/** Editors write a file in several steps. */
const SETTLE_MS = 100;

/**
 * `nestbox run --watch`: runs the script, and again after each change of it or of a policy file; a change while it
 * runs stops that run. Modules of tools are loaded once. Returns when it is interrupted.
 */
export async function watch(
  script: string | undefined,
  options: RunOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<number> {
  if (script === undefined || script === "-")
    throw new UsageError("--watch needs a script in a file: nothing else can change.");
  const start = process.cwd();
  const { policy = [], project = [] } = withConfig(options, start).policyFiles;
  const changes = createChanges([script, ...policy, ...project].map((file) => resolve(start, file)));
  try {
    while (!signal.aborted) {
      const changed = changes.next();
      const stop = new AbortController();
      void changed.then(() => stop.abort(new Error("the script has changed")));
      try {
        await run(script, options, streams, AbortSignal.any([signal, stop.signal]));
      } catch (error) {
        tellFailure(error, options.json === true, streams);
      }
      if (signal.aborted) break;
      streams.stderr.write(`nestbox: waiting for a change of ${script}\n`);
      await Promise.race([changed, aborted(signal)]);
    }
  } finally {
    changes.close();
  }
  return exitCodes.aborted;
}

/** Tells of changes of files; folders are watched, because editors replace files. */
function createChanges(files: readonly string[]) {
  let timer: NodeJS.Timeout | undefined;
  let waiting: (() => void)[] = [];
  const tell = (): void => {
    const told = waiting;
    waiting = [];
    for (const resolveOne of told) resolveOne();
  };
  const watchers = [...new Set(files.map(dirname))].map((folder): FSWatcher => {
    const names = new Set(files.filter((file) => dirname(file) === folder).map((file) => basename(file)));
    return watchFolder(folder, (_event, name) => {
      if (name !== null && !names.has(name)) return;
      clearTimeout(timer);
      timer = setTimeout(tell, SETTLE_MS);
    });
  });
  return {
    next: () => new Promise<void>((resolveOne) => waiting.push(resolveOne)),
    close(): void {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolveOne) => {
    if (signal.aborted) resolveOne();
    else signal.addEventListener("abort", () => resolveOne(), { once: true });
  });
}
