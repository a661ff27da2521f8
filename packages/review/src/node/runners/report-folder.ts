import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { limits } from "../../limits.ts";
import { readTextFile } from "../files.ts";
import type { ReportFolder } from "./runner.ts";

/** Makes a private folder for the reports of one run, hands it over, and removes it. */
export async function withReportFolder<T>(use: (folder: ReportFolder) => Promise<T>): Promise<T> {
  const path = await mkdtemp(join(tmpdir(), "nestbox-report-"));
  const file = (name: string): string => join(path, name);
  try {
    return await use({
      path,
      file,
      read: (name) => readTextFile(file(name), limits.reportBytes),
      write: async (name, text) => {
        await writeFile(file(name), text, { mode: 0o600, flag: "wx" });
        return file(name);
      },
    });
  } finally {
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
