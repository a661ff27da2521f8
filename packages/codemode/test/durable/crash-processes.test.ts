import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { crashProcesses } from "../../src/durable/conformance/node/index.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-crash-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function crash(code: string, more: { readonly processMs?: number } = {}) {
  const file = join(folder, `program-${++count}.mjs`);
  writeFileSync(file, code);
  return crashProcesses({ program: pathToFileURL(file), folder, config: null, ...more });
}

test("a process that does not die where it is told to is a failure that shows its last words", async () => {
  const { die } = crash("console.error('no such database')");
  await expect(die("a", "before")).rejects.toMatchObject({
    name: "ConformanceError",
    message: expect.stringMatching(/^The process that was to die ended with 0, after: no such database/),
  });
});

test("a process that hangs is killed, and that is not the death that was asked for", async () => {
  const hanging = "setInterval(() => {}, 1000)";
  await expect(crash(hanging, { processMs: 500 }).die("a", "inside")).rejects.toThrow(
    "The process that was to die was killed after 500 ms",
  );
  await expect(crash(hanging, { processMs: 500 }).carryOn("a")).rejects.toThrow("was killed after 500 ms");
});

test("a process that fails, and one that keeps no result, carry nothing on", async () => {
  await expect(crash("process.exit(3)").carryOn("a")).rejects.toThrow("carries the run on ended with 3");
  await expect(crash("").carryOn("a")).rejects.toThrow("carries the run on ended with 0");
});

test("what an earlier process kept is not taken for what a later one does", async () => {
  const keep = `import { writeFileSync } from "node:fs";
    const { folder, runId } = JSON.parse(process.env.NESTBOX_CRASH_ORDER);
    writeFileSync(folder + "/" + runId + ".result", JSON.stringify({ state: "parked" }));`;
  expect(await crash(keep).carryOn("b")).toEqual({ state: "parked" });
  await expect(crash("").carryOn("b")).rejects.toThrow("carries the run on ended with 0");
});

test("a run without an effect has none, and its id leads to no other folder", async () => {
  const { effects, carryOn } = crash(
    "process.exit(JSON.parse(process.env.NESTBOX_CRASH_ORDER).runId === '../x' ? 0 : 1)",
  );
  expect(await effects("../x")).toEqual([]);
  await expect(carryOn("../x")).rejects.toThrow("ended with 0");
});
