import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";

import { UsageError } from "../usage-error.ts";

/** The source of a script: a file, or standard input for `-`. */
export async function readScript(file: string, cwd: string, stdin: NodeJS.ReadableStream): Promise<string> {
  if (file === "-") return text(stdin);
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
