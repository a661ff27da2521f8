import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { durableConformance } from "@nestbox/codemode/durable/conformance";
import type { DurableResult } from "@nestbox/codemode/durable";
import { createRunner } from "@nestbox/codemode/node";
import { afterAll, beforeAll, describe, test } from "vitest";
import { openDbos } from "../../src/node/index.ts";
import { type Cluster, startCluster } from "./cluster.ts";

const CASE_MS = 280_000;

describe("the journal in PostgreSQL", () => {
  const folder = mkdtempSync(join(tmpdir(), "nestbox-dbos-"));
  const runner = createRunner({ maxProcesses: 2 });
  let cluster: Cluster;
  let databaseUrl: string;
  beforeAll(async () => {
    cluster = await startCluster();
    cluster.create("conformance");
    databaseUrl = cluster.url("conformance");
  });
  afterAll(async () => {
    await runner.close();
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const child = (runId: string, ...at: string[]): Promise<{ code: number | null; signal: string | null }> =>
    new Promise((resolve, reject) => {
      const file = fileURLToPath(new URL("crash-child.ts", import.meta.url));
      const args = ["--conditions=@nestbox/source", "--no-warnings", file, databaseUrl, folder, runId, ...at];
      const running = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
      running.on("error", reject);
      running.on("close", (code, signal) => resolve({ code, signal }));
    });

  const cases = durableConformance({
    runner,
    open: () => openDbos({ databaseUrl, pollMs: 20, connections: 4 }),
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
    caseMs: CASE_MS,
  });
  // oxlint-disable-next-line vitest/expect-expect -- a case rejects with what was wrong
  test.each(cases)("$title", { timeout: CASE_MS }, async ({ run }) => {
    await run();
  });
});
