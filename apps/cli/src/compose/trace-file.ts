/**
 * The file of `run --trace`. It is written when the run begins, again and again while it goes on, and when it has
 * ended: whoever reads it finds a whole trace at any time, because each one takes the place of the one before.
 */
import { randomBytes } from "node:crypto";
import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

import type { CallTrace } from "@nestbox/calls";

import { UsageError } from "../usage-error.ts";

/** No more often than this. */
const MIN_INTERVAL_MS = 500;
/** Writing takes at most one part in so many of the run's time. */
const SHARE = 20;

export interface TraceFile {
  /** Something has changed: the file is written again soon. */
  touch(): void;
  /** Writes the file for the last time. Throws {@link UsageError} when it cannot be written. */
  close(): void;
}

/** Begins the file, readable by its owner only: arguments are redacted, and still somebody's. Throws {@link UsageError}. */
export function openTraceFile(file: string, start: string, trace: () => CallTrace): TraceFile {
  const path = realPath(resolve(start, file));
  // A pipe or a device takes one trace, the last.
  const replaceable = isReplaceable(path);
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = MIN_INTERVAL_MS;

  const write = (): void => {
    const began = performance.now();
    const text = `${JSON.stringify(trace(), null, 2)}\n`;
    if (!replaceable) writeFileSync(path, text, { mode: 0o600 });
    else {
      const part = `${path}.${randomBytes(6).toString("hex")}.part`;
      try {
        writeFileSync(part, text, { mode: 0o600, flag: "wx" });
        renameSync(part, path);
      } catch (error) {
        rmSync(part, { force: true });
        throw error;
      }
    }
    pauseMs = Math.max(MIN_INTERVAL_MS, (performance.now() - began) * SHARE);
  };
  const writeOrTell = (): void => {
    try {
      write();
    } catch (cause) {
      throw new UsageError(
        `--trace ${file}: it cannot be written (${(cause as NodeJS.ErrnoException).code ?? String(cause)}).`,
        { cause },
      );
    }
  };
  if (replaceable) writeOrTell();

  return {
    touch() {
      if (!replaceable) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        try {
          write();
        } catch {
          // The last one tells.
        }
      }, pauseMs).unref();
    },
    close() {
      clearTimeout(timer);
      writeOrTell();
    },
  };
}

/** What a link leads to, so that the link stays one. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isReplaceable(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return true;
  }
}
