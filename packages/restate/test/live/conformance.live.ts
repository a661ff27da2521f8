import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { durableConformance } from "@nestbox/codemode/durable/conformance";
import { crashProcesses } from "@nestbox/codemode/durable/conformance/node";
import { createRunner } from "@nestbox/codemode/node";
import { afterAll, test } from "vitest";
import { openRestate, openRestateAdmin } from "../../src/index.ts";
import { openBlobFolder } from "../../src/node/index.ts";
import { startChild } from "./support/fleet.ts";
import { startServer } from "./support/server.ts";

/** Two thousand runs on a machine that others use too. */
const CASE_MS = 600_000;
const folder = mkdtempSync(join(tmpdir(), "nestbox-restate-"));
const server = await startServer(folder, 18_100);
const { ingressUrl } = server;
const runner = createRunner({ maxProcesses: 2 });
// The journal is served by a process of its own, as it is by a fleet's workers.
const worker = startChild({ folder, ingressUrl, name: "journal" });
await openRestateAdmin({ adminUrl: server.adminUrl }).register(await worker.ready);

afterAll(async () => {
  worker.process.kill("SIGKILL");
  await runner.close();
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

const blobFolder = join(folder, "blobs");
const cases = durableConformance({
  runner,
  open: () => {
    const runs = openRestate({ ingressUrl, blobs: openBlobFolder(blobFolder), pollMs: 100 });
    return Promise.resolve({ run: (runId) => runs.run(runId), close: () => undefined });
  },
  crash: crashProcesses({
    program: new URL("support/crash-child.ts", import.meta.url),
    nodeOptions: ["--conditions=@nestbox/source", "--no-warnings"],
    folder,
    config: { ingressUrl, blobFolder },
  }),
});

// oxlint-disable-next-line vitest/expect-expect -- a case rejects with what was wrong
test.each(cases)("$title", { timeout: CASE_MS }, async ({ run }) => {
  await run();
});
