import { afterAll, expect, test } from "vitest";
import { fakeTools } from "../../src/durable/conformance/fake-tools.ts";
import { createMemoryJournal, type DurableScript, runDurable } from "../../src/durable/index.ts";
import { createRunner } from "../../src/node/index.ts";

const runner = createRunner({ maxProcesses: 1 });
afterAll(() => runner.close());

test("what is no script to run is misuse: nothing of it is kept or run", async () => {
  const { callerFor } = fakeTools({});
  for (const part of [
    { timeZone: "Nowhere/\u0000" },
    { timeZone: "A".repeat(300_000) },
    { timeZone: {} },
    { locale: "x\u0000" },
    { code: 1 },
    { store: { a: 5 } },
    { store: null },
    { store: ["1"] },
    { seed: "x" },
    { deadlineMs: "abc" },
    { deadlineMs: Number.NaN },
    { limits: null },
    { limits: [] },
    { limits: { cpuMs: "5" } },
    { limits: { timeoutMs: 5 } },
  ]) {
    const journal = createMemoryJournal();
    const script = { code: "return 1", ...part } as unknown as DurableScript;
    const run = runDurable({ runner, journal: journal.run("r"), script, callerFor });
    await expect(run).rejects.toMatchObject({ code: "misuse" });
    expect(journal.steps("r")).toEqual({});
  }
});

test("one that stands in a journal halts the run, and ends no process", async () => {
  const { callerFor } = fakeTools({});
  const journal = createMemoryJournal();
  const kept = journal.run("r");
  const begun = await runDurable({ runner, journal: kept, script: { code: "return 1" }, callerFor });
  expect(begun.state).toBe("ended");
  const start = journal.steps("r")["start"] as { readonly environment: object };
  const spoilt = createMemoryJournal();
  await spoilt.run("r").step("start", () =>
    Promise.resolve({
      ...start,
      environment: { ...start.environment, timeZone: "Nowhere/\u0000" },
    } as never),
  );
  await expect(runDurable({ runner, journal: spoilt.run("r"), callerFor })).rejects.toMatchObject({
    code: "misuse",
  });
});
