import { setTimeout as sleep } from "node:timers/promises";

import { createToolHost } from "@nestbox/calls";
import { createRunner } from "@nestbox/codemode/node";
import { createEngine, createGate, type ApprovalAnswer } from "@nestbox/policy";
import { describe, expect, it } from "vitest";

import tools from "./fixtures/tools.ts";

/** Runs a script with 3,000 ms to itself; a person takes 2,000 ms for each answer. */
async function run(code: string, answer: ApprovalAnswer = { kind: "approved" }) {
  const asked: string[] = [];
  const gate = createGate({
    engine: createEngine({ layers: [], home: "/home/someone", cwd: "/project" }),
    approver: {
      async ask({ item }) {
        asked.push(item.chain.join(" › "));
        await sleep(2_000);
        return answer;
      },
    },
  });
  await using host = createToolHost({ cwd: "/project", gate, pauses: gate.pauses });
  for (const tool of tools) host.register(tool, { source: { kind: "extension" } });
  const runner = createRunner({ maxProcesses: 1 });
  try {
    await using caller = host.caller({ callId: "run", toolName: "codemode" });
    // The deadline counts the start of a process too, which is not what is looked at here.
    const first = await runner.run({ code: "return 1", caller, limits: { timeoutMs: 60_000 } });
    expect(first.ok).toBe(true);
    const outcome = await runner.run({ code, caller, limits: { timeoutMs: 3_000 } });
    return { outcome, asked };
  } finally {
    await runner.close();
  }
}

describe("the time that a person takes", () => {
  it("does not count against the deadline of a script, however often they are asked", async () => {
    const { outcome, asked } = await run(
      "await tools.deploy({}); await tools.deploy({ again: true }); return 'finished'",
    );
    expect(asked).toEqual(["codemode › deploy", "codemode › deploy"]);
    expect(outcome).toMatchObject({ ok: true, value: "finished" });
    expect(outcome.stats.pausedMs).toBeGreaterThan(3_500);
  }, 60_000);

  it("counts no more once they have answered: the script's own time ends it", async () => {
    const { outcome, asked } = await run("await tools.deploy({}); await tools.hang({})");
    expect(asked).toHaveLength(1);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "timeout" } });
    expect(outcome.stats.pausedMs).toBeGreaterThan(1_500);
  }, 60_000);
});
