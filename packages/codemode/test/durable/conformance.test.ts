import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, test } from "vitest";
import { durableConformance } from "../../src/durable/conformance/index.ts";
import { createMemoryJournal, type DurableResult } from "../../src/durable/index.ts";
import { openSqliteJournal } from "../../src/durable/sqlite/index.ts";
import { createRunner } from "../../src/node/index.ts";

const runner = createRunner({ maxProcesses: 2 });
const folder = mkdtempSync(join(tmpdir(), "nestbox-durable-"));
afterAll(async () => {
  await runner.close();
  rmSync(folder, { recursive: true, force: true });
});

const CASE_MS = 300_000;

describe("the journal in memory", () => {
  const journal = createMemoryJournal();
  const open = () => Promise.resolve({ run: journal.run, close: () => undefined });
  const cases = durableConformance({ runner, open, parkedRuns: 200, calls: 500, bigChars: 1_000_000 });
  // oxlint-disable-next-line vitest/expect-expect -- a case rejects with what was wrong
  test.each(cases)("$title", { timeout: CASE_MS }, async ({ run }) => {
    await run();
  });
});

describe("the journal in SQLite", () => {
  const path = join(folder, "journal.db");
  const child = (runId: string, ...at: string[]): Promise<{ code: number | null; signal: string | null }> =>
    new Promise((resolve, reject) => {
      const file = fileURLToPath(new URL("crash-child.ts", import.meta.url));
      const args = ["--conditions=@nestbox/source", "--no-warnings", file, folder, runId, ...at];
      const running = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
      running.on("error", reject);
      running.on("close", (code, signal) => resolve({ code, signal }));
    });
  const cases = durableConformance({
    runner,
    open: () => Promise.resolve(openSqliteJournal({ path, survives: "process", pollMs: 20 })),
    crash: {
      async die(runId, at) {
        assert.deepEqual(await child(runId, at), { code: null, signal: "SIGKILL" });
      },
      async carryOn(runId) {
        assert.deepEqual(await child(runId), { code: 0, signal: null });
        return JSON.parse(readFileSync(join(folder, `${runId}.result`), "utf8")) as DurableResult;
      },
      effects: (runId) =>
        Promise.resolve(
          readFileSync(join(folder, `${runId}.effects`), "utf8")
            .trim()
            .split("\n"),
        ),
    },
  });
  // oxlint-disable-next-line vitest/expect-expect -- a case rejects with what was wrong
  test.each(cases)("$title", { timeout: CASE_MS }, async ({ run }) => {
    await run();
  });
});
