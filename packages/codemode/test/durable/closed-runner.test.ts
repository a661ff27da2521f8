import { expect, test } from "vitest";
import { fakeTools } from "../../src/durable/conformance/fake-tools.ts";
import { createMemoryJournal, recordRun, runDurable } from "../../src/durable/index.ts";
import { createRunner } from "../../src/node/index.ts";

const CODE =
  "text('begun'); const a = await tools.effect({ n: 1 }); const b = await tools.retry({ n: 2 }); return a.n + b.n";

test("closing a runner ends none of its runs: they halt, and another one carries them on", async () => {
  const storage = createMemoryJournal();
  const effects: string[] = [];
  const first = createRunner({ maxProcesses: 1 });
  const closing = fakeTools({
    onEffect: (text) => {
      effects.push(text);
      if (text === "retry:2") void first.close();
    },
    // Longer than the runner lives.
    latency: (n) => (n === 2 ? 60_000 : 0),
  });
  const halted = await runDurable({
    runner: first,
    journal: storage.run("a"),
    callerFor: closing.callerFor,
    script: { code: CODE },
  });
  expect(halted).toMatchObject({ state: "halted", halt: { kind: "sandbox", message: "Runner closed" } });

  const second = createRunner({ maxProcesses: 1 });
  try {
    const { callerFor } = fakeTools({ onEffect: (text) => effects.push(text) });
    const ended = await runDurable({ runner: second, journal: storage.run("a"), callerFor });
    expect(ended).toMatchObject({ state: "ended", outcome: { ok: true, value: 3 } });
    expect(effects).toEqual(["effect:1", "retry:2", "retry:2"]);
  } finally {
    await second.close();
  }
});

test("a recording of a run whose runner was closed has what the script had done", async () => {
  const runner = createRunner({ maxProcesses: 1 });
  const { callerFor } = fakeTools({ onEffect: () => runner.close() });
  const { outcome } = await recordRun({ runner, request: { code: CODE, caller: callerFor("root") } });
  expect(outcome).toMatchObject({
    ok: false,
    error: { kind: "aborted", message: "Runner closed" },
    output: [{ type: "text", text: "begun" }],
    calls: [{ name: "effect" }],
  });
});
