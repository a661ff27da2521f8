import { writeFileSync } from "node:fs";
import { resolve } from "node:path";

import type { CallTrace } from "@nestbox/calls";

import { UsageError } from "../usage-error.ts";

/** Writes a trace as JSON, readable by its owner only: arguments are redacted, and still somebody's. */
export function writeTrace(file: string, start: string, trace: CallTrace): void {
  try {
    writeFileSync(resolve(start, file), `${JSON.stringify(trace, null, 2)}\n`, { mode: 0o600 });
  } catch (cause) {
    throw new UsageError(
      `--trace ${file}: it cannot be written (${(cause as NodeJS.ErrnoException).code ?? String(cause)}).`,
      { cause },
    );
  }
}
