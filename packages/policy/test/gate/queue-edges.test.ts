import { describe, expect, it } from "vitest";

import type { Approver } from "../../src/gate/approver.ts";
import { createGate } from "../../src/gate/gate.ts";
import type { GateOptions } from "../../src/gate/gate-types.ts";
import { call, fakeEngine } from "./fake-engine.ts";
import { manualTime } from "./manual-time.ts";
import { scriptedApprover } from "./scripted-approver.ts";

function setup(approver: Approver, options: Partial<GateOptions> = {}) {
  const time = manualTime();
  const gate = createGate({
    engine: fakeEngine(() => ({ effect: "ask" })),
    approver,
    clock: time.clock,
    timers: time.timers,
    ...options,
  });
  return { time, gate };
}

const script = [{ callId: "s", toolName: "codemode" }];

describe("the queue's limits", () => {
  it("let exactly as many wait as they say, and one more as soon as one is answered", async () => {
    const approver = scriptedApprover();
    const { time, gate } = setup(approver, { limits: { maxWaiting: 2 } });
    const waiting = [gate.decide(call("a")), gate.decide(call("b"))];
    await time.advance(1);
    expect(gate.waiting).toBe(2);
    expect((await gate.decide(call("c"))).effect).toBe("deny");
    approver.answer({ kind: "approved" });
    expect((await waiting[0])?.effect).toBe("allow");
    const next = gate.decide(call("d"));
    await time.advance(1);
    expect(gate.waiting).toBe(2);
    gate.cancelAll();
    await Promise.all([...waiting, next]);
  });

  it("show at most so many other calls beside one, and say how many wait in all", async () => {
    const approver = scriptedApprover();
    const { time, gate } = setup(approver, { limits: { maxBatch: 2 } });
    const all = [1, 2, 3, 4].map((n) => gate.decide(call(`s/${n}`, { n }, { chain: script })));
    await time.advance(20);
    expect(approver.shown[0]).toMatchObject({ waiting: 4, batch: [{ callId: "s/2" }, { callId: "s/3" }] });
    // What was not shown is not answered with it.
    approver.answer({ kind: "approved", callIds: ["s/2", "s/3", "s/4"] });
    expect((await Promise.all(all.slice(0, 3))).map(({ effect }) => effect)).toEqual([
      "allow",
      "allow",
      "allow",
    ]);
    expect(gate.waiting).toBe(1);
    gate.cancelAll();
    await Promise.all(all);
  });

  it("let a dialog that never closes hold up the next one for ten seconds", async () => {
    const opened: string[] = [];
    const { time, gate } = setup({
      ask: ({ item }) => {
        opened.push(item.callId);
        return new Promise(() => {});
      },
    });
    const first = gate.decide(call("a"));
    const second = gate.decide(call("b"));
    await time.advance(1);
    gate.cancel("a");
    await first;
    await time.advance(9_000);
    expect(opened).toEqual(["a"]);
    await time.advance(2_000);
    expect(opened).toEqual(["a", "b"]);
    gate.cancelAll();
    await second;
  });
});

describe("keys typed ahead", () => {
  it("are those that come before the time is over, not with its end", async () => {
    for (const [after, shown] of [
      [249, 2],
      [250, 1],
    ] as const) {
      // prettier-ignore
      const approver = scriptedApprover(250);
      const { time, gate } = setup(approver);
      const verdict = gate.decide(call("a"));
      await time.advance(0);
      await time.advance(after);
      approver.answer({ kind: "approved" });
      await time.advance(250);
      expect(approver.shown).toHaveLength(shown);
      gate.cancelAll();
      expect((await verdict).effect).toBe(shown === 1 ? "allow" : "deny");
    }
  });

  it("are believed for a minute at most, and not at all where what an approver says is no time", async () => {
    const asked: number[] = [];
    const ask: Approver["ask"] = async () => {
      asked.push(1);
      return { kind: "approved" };
    };
    const held = setup({ typeAheadMs: 3_600_000, ask });
    const verdict = held.gate.decide(call("a"));
    await held.time.advance(1);
    expect(asked).toHaveLength(1);
    await held.time.advance(60_000);
    expect(asked).toHaveLength(2);
    held.gate.cancelAll();
    await verdict;
    for (const typeAheadMs of [Number.NaN, -5]) {
      const { time, gate } = setup({ typeAheadMs, ask });
      const [first, second] = [gate.decide(call("a")), gate.decide(call("b"))];
      await time.advance(1);
      expect((await first).effect).toBe("allow");
      expect((await second).effect).toBe("allow");
    }
  });

  it("are held against the first dialog after one that is still on the screen, too", async () => {
    const approver = scriptedApprover(250);
    const { time, gate } = setup(approver);
    const first = gate.decide(call("a"));
    await time.advance(300);
    approver.answer({ kind: "approved" });
    await first;
    await time.advance(1);
    const second = gate.decide(call("b"));
    await time.advance(200);
    expect(approver.open).toEqual([]);
    await time.advance(60);
    expect(approver.open).toEqual(["b"]);
    gate.cancelAll();
    await second;
  });
});

describe("a question that is over", () => {
  it("closes its dialog, however it ended", async () => {
    for (const end of ["signal", "cancel", "above", "all", "time"] as const) {
      const aborted: string[] = [];
      const { time, gate } = setup(
        {
          ask: ({ item }, { signal }) =>
            new Promise((resolve) => {
              signal.addEventListener("abort", () => {
                aborted.push(item.callId);
                resolve({ kind: "declined" });
              });
            }),
        },
        { timeout: { afterMs: 5_000, outcome: "deny" } },
      );
      const controller = new AbortController();
      const verdict = gate.decide(call("s/1", {}, { chain: script, signal: controller.signal }));
      await time.advance(20);
      expect(gate.waiting).toBe(1);
      if (end === "signal") controller.abort();
      if (end === "cancel") gate.cancel("s/1");
      if (end === "above") gate.cancel("s");
      if (end === "all") gate.cancelAll();
      if (end === "time") await time.advance(5_000);
      expect((await verdict).effect).toBe("deny");
      await time.advance(1);
      expect([end, ...aborted]).toEqual([end, "s/1"]);
      expect(gate.waiting).toBe(0);
    }
  });

  it("lets go of the call's signal", async () => {
    const approver = scriptedApprover();
    const { time, gate } = setup(approver);
    const listeners = new Set<unknown>();
    const { signal } = new AbortController();
    const counted = Object.assign(signal, {
      addEventListener: (_type: string, listener: unknown) => void listeners.add(listener),
      removeEventListener: (_type: string, listener: unknown) => void listeners.delete(listener),
    });
    const verdict = gate.decide(call("a", {}, { signal: counted }));
    await time.advance(1);
    expect(listeners.size).toBe(1);
    approver.answer({ kind: "approved" });
    await verdict;
    expect(listeners.size).toBe(0);
  });
});
