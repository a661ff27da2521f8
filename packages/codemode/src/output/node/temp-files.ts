import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OutputFiles } from "../format-outcome.ts";

export interface TempFilesOptions {
  /** Folder for the files; the system's temporary one by default. */
  readonly folder?: string;
  /** First part of every file name. */
  readonly prefix?: string;
  /** Sixteen hexadecimal digits for the rest of the name. */
  readonly id?: () => string;
}

/** Files that only the user may read, under names that no script chooses and that never follow a link. */
export function createTempFiles(options: TempFilesOptions = {}): OutputFiles {
  const {
    folder = tmpdir(),
    prefix = "nestbox-codemode",
    id = () => randomBytes(8).toString("hex"),
  } = options;
  return {
    async write(extension, data, encoding) {
      const path = join(folder, `${prefix}-${id()}${extension}`);
      await writeFile(path, data, { encoding, mode: 0o600, flag: "wx" });
      return path;
    },
  };
}
