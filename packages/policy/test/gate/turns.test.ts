import { describe, expect, it } from "vitest";

import { createGate } from "../../src/gate/gate.ts";
import type { GateOptions } from "../../src/gate/gate-types.ts";
import { call, fakeEngine } from "./fake-engine.ts";
import { manualTime } from "./manual-time.ts";
import { scriptedApprover } from "./scripted-approver.ts";

const asks = fakeEngine(() => ({ effect: "ask" }));

/** A gate whose turn comes when the test says so. */
function waitingGate(options: Partial<GateOptions> = {}) {
  const time = manualTime();
  const approver = scriptedApprover();
  const turn = Promise.withResolvers<void>();
  let ended = 0;
  const gate = createGate({
    engine: asks,
    approver,
    clock: time.clock,
    timers: time.timers,
    turns: {
      async take() {
        await turn.promise;
        return () => void (ended += 1);
      },
    },
    ...options,
  });
  return { gate, time, approver, turn, ended: () => ended };
}

describe("a question that waits for its turn", () => {
  it("opens no dialog before, and ends the turn when its dialog is closed", async () => {
    const { gate, time, approver, turn, ended } = waitingGate();
    const verdict = gate.decide(call("a"));
    await time.advance(100);
    expect(approver.shown).toEqual([]);
    turn.resolve();
    await time.advance(1);
    expect(approver.open).toEqual(["a"]);
    expect(ended()).toBe(0);
    approver.answer({ kind: "approved" });
    expect((await verdict).effect).toBe("allow");
    await time.advance(1);
    expect(ended()).toBe(1);
  });

  it("is over when its time is, and when its call is cancelled; a turn that comes later is given back", async () => {
    for (const cancel of [true, false]) {
      const { gate, time, approver, turn, ended } = waitingGate({
        timeout: { afterMs: 1_000, outcome: "deny" },
      });
      const stop = new AbortController();
      const verdict = gate.decide({ ...call("a"), signal: stop.signal });
      await time.advance(10);
      if (cancel) stop.abort();
      else await time.advance(1_000);
      const { effect, reason } = await verdict;
      expect(effect).toBe("deny");
      expect(reason).toContain(cancel ? "cancelled" : "nobody answered");
      turn.resolve();
      await time.advance(1);
      expect(approver.shown).toEqual([]);
      expect(ended()).toBe(1);
      expect(gate.waiting).toBe(0);
    }
  });
});
