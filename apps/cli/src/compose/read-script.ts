import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";

import { UsageError } from "../usage-error.ts";
import { untilAborted } from "./until-aborted.ts";

/** The source of the one script that a command is given: a file, standard input, or the text itself. */
export async function scriptSource(
  script: string | undefined,
  code: string | undefined,
  cwd: string,
  stdin: NodeJS.ReadableStream,
  signal: AbortSignal,
): Promise<string> {
  if (script !== undefined && code !== undefined)
    throw new UsageError(`Both a script (${script}) and --eval are given: one script is run at a time.`);
  if (code !== undefined) return code;
  if (script === undefined)
    throw new UsageError(
      "missing required argument 'script': a file, - for standard input, or --eval <code>",
    );
  return readScript(script, cwd, stdin, signal);
}

/** The source of a script: a file, or standard input for `-`. Rejects when `signal` aborts before it is there. */
export async function readScript(
  file: string,
  cwd: string,
  stdin: NodeJS.ReadableStream,
  signal: AbortSignal,
): Promise<string> {
  if (file === "-") return untilAborted(text(stdin), signal);
  const path = resolve(cwd, file);
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const why =
      code === "ENOENT"
        ? "there is no such file"
        : code === "EISDIR"
          ? "it is a folder"
          : `it cannot be read (${code})`;
    throw new UsageError(`Script ${file}: ${why}. Name a file, or - to read standard input.`, { cause });
  }
}
