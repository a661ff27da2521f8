import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import { durableConformance } from "../../src/durable/conformance/index.ts";
import { crashProcesses } from "../../src/durable/conformance/node/index.ts";
import { createMemoryJournal } from "../../src/durable/index.ts";
import { openSqliteJournal } from "../../src/durable/sqlite/index.ts";
import { createRunner } from "../../src/node/index.ts";

const runner = createRunner({ maxProcesses: 2 });
const folder = mkdtempSync(join(tmpdir(), "nestbox-durable-"));
afterAll(async () => {
  await runner.close();
  rmSync(folder, { recursive: true, force: true });
});

/** More than the cases give themselves: what takes too long says so in their words. */
const CASE_MS = 660_000;

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
  const cases = durableConformance({
    runner,
    open: () => Promise.resolve(openSqliteJournal({ path, survives: "process", pollMs: 20 })),
    crash: crashProcesses({
      program: new URL("crash-child.ts", import.meta.url),
      nodeOptions: ["--conditions=@nestbox/source", "--no-warnings"],
      folder,
      config: path,
    }),
  });
  // oxlint-disable-next-line vitest/expect-expect -- a case rejects with what was wrong
  test.each(cases)("$title", { timeout: CASE_MS }, async ({ run }) => {
    await run();
  });
});
