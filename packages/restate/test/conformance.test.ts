import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { durableConformance } from "@nestbox/codemode/durable/conformance";
import { createRunner } from "@nestbox/codemode/node";
import { afterAll, test } from "vitest";
import { openRestate } from "../src/index.ts";
import { openBlobFolder } from "../src/node/index.ts";
import { objectServer } from "./support/object-server.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-restate-"));
const runner = createRunner({ maxProcesses: 2 });
const { fetch } = objectServer();
afterAll(async () => {
  await runner.close();
  rmSync(folder, { recursive: true, force: true });
});

// The journal and its object without a server; with a real one, and at full size: live/conformance.live.ts.
const cases = durableConformance({
  runner,
  open: () => {
    const blobs = openBlobFolder(join(folder, "blobs"));
    const runs = openRestate({ ingressUrl: "http://server", blobs, fetch, pollMs: 20 });
    return Promise.resolve({ run: (runId) => runs.run(runId), close: () => undefined });
  },
  parkedRuns: 100,
  calls: 500,
  bigChars: 1_000_000,
});

// oxlint-disable-next-line vitest/expect-expect -- a case rejects with what was wrong
test.each(cases)("$title", { timeout: 300_000 }, async ({ run }) => {
  await run();
});
