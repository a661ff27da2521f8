import { afterEach, expect, test, vi } from "vitest";
import { startWorker } from "../src/node/index.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a worker does not start where DBOS would report to its maker", async () => {
  vi.stubEnv("DBOS__CLOUD", "true");
  const worker = startWorker({
    databaseUrl: "postgresql://127.0.0.1:1/none",
    carrierFor: () => Promise.reject(new Error("not asked")),
  });
  await expect(worker).rejects.toMatchObject({ name: "DbosError", code: "misuse" });
});

test("a worker that finds no database says so and leaves nothing behind", async () => {
  const worker = startWorker({
    databaseUrl: "postgresql://127.0.0.1:1/none",
    unavailableMs: 0,
    carrierFor: () => Promise.reject(new Error("not asked")),
  });
  await expect(worker).rejects.toMatchObject({ code: "unreachable" });
});
