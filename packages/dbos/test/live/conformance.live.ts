import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { durableConformance } from "@nestbox/codemode/durable/conformance";
import { crashProcesses } from "@nestbox/codemode/durable/conformance/node";
import { createRunner } from "@nestbox/codemode/node";
import { afterAll, describe, test } from "vitest";
import { openDbos } from "../../src/node/index.ts";
import { startCluster } from "./cluster.ts";

const CASE_MS = 280_000;
const folder = mkdtempSync(join(tmpdir(), "nestbox-dbos-"));
const runner = createRunner({ maxProcesses: 2 });
const cluster = await startCluster();
cluster.create("conformance");
const databaseUrl = cluster.url("conformance");

afterAll(async () => {
  await runner.close();
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("the journal in PostgreSQL", () => {
  const cases = durableConformance({
    runner,
    open: () => openDbos({ databaseUrl, pollMs: 20, connections: 4 }),
    crash: crashProcesses({
      program: new URL("crash-child.ts", import.meta.url),
      nodeOptions: ["--conditions=@nestbox/source", "--no-warnings"],
      folder,
      config: databaseUrl,
    }),
    caseMs: CASE_MS,
  });
  // oxlint-disable-next-line vitest/expect-expect -- a case rejects with what was wrong
  test.each(cases)("$title", { timeout: CASE_MS }, async ({ run }) => {
    await run();
  });
});
