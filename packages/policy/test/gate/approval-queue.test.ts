import { describe, expect, it } from "vitest";

import { createGate } from "../../src/gate/gate.ts";
import type { GateOptions } from "../../src/gate/gate-types.ts";
import { call, fakeEngine } from "./fake-engine.ts";
import { manualTime } from "./manual-time.ts";
import { scriptedApprover } from "./scripted-approver.ts";

function setup(options: Partial<GateOptions> = {}, typeAheadMs = 0) {
  const approver = scriptedApprover(typeAheadMs);
  const time = manualTime();
  const gate = createGate({
    engine: fakeEngine(() => ({ effect: "ask" })),
    approver,
    clock: time.clock,
    timers: time.timers,
    ...options,
  });
  return { approver, time, gate };
}

const script = [{ callId: "s", toolName: "codemode" }];

describe("one queue of questions", () => {
  it("shows one dialog at a time, first in first out, and one key answers only the one that is shown", async () => {
    // policy L10
    const { approver, time, gate } = setup();
    const first = gate.decide(call("a"));
    const second = gate.decide(call("b"));
    await time.advance(1);
    expect(approver.open).toEqual(["a"]);
    approver.answer({ kind: "approved" });
    expect((await first).effect).toBe("allow");
    await time.advance(1);
    expect(approver.open).toEqual(["b"]);
    expect(gate.waiting).toBe(1);
    approver.answer({ kind: "declined" });
    expect((await second).effect).toBe("deny");
    expect(approver.mostOpen).toBe(1);
  });

  it("does not open a dialog over one that was told to close and is still there", async () => {
    const opened: string[] = [];
    let close: (() => void) | undefined;
    const slow = {
      async ask({ item }: { readonly item: { readonly callId: string } }) {
        opened.push(item.callId);
        // It takes no notice of its signal until it is let go.
        await new Promise<void>((resolve) => {
          close = resolve;
        });
        return { kind: "declined" } as const;
      },
    };
    const { time, gate } = setup({ approver: slow });
    const first = gate.decide(call("a"));
    const second = gate.decide(call("b"));
    await time.advance(1);
    gate.cancel("a");
    expect((await first).effect).toBe("deny");
    await time.advance(1_000);
    expect(opened).toEqual(["a"]);
    close?.();
    await time.advance(1);
    expect(opened).toEqual(["a", "b"]);
    close?.();
    expect((await second).effect).toBe("deny");
  });

  it("asks again when an approval came before it could have been meant, and waits between two dialogs", async () => {
    // policy L10
    const { approver, time, gate } = setup({}, 250);
    const first = gate.decide(call("a"));
    const second = gate.decide(call("b"));
    await time.advance(10);
    approver.answer({ kind: "approved" });
    await time.advance(250);
    expect(approver.shown.map((prompt) => prompt.item.callId)).toEqual(["a", "a"]);
    await time.advance(300);
    approver.answer({ kind: "approved" });
    expect((await first).effect).toBe("allow");
    await time.advance(200);
    expect(approver.open).toEqual([]);
    await time.advance(60);
    expect(approver.open).toEqual(["b"]);
    await time.advance(260);
    approver.answer({ kind: "approved" });
    expect((await second).effect).toBe("allow");
  });

  it("counts a refusal at once, and denies when a held key answers again and again", async () => {
    const declining = setup({}, 250);
    const declined = declining.gate.decide(call("a"));
    await declining.time.advance(1);
    declining.approver.answer({ kind: "declined" });
    expect((await declined).reason).toContain("declined");

    const { approver, time, gate } = setup({}, 250);
    const verdict = gate.decide(call("a"));
    for (let i = 0; i < 5; i += 1) {
      await time.advance(1);
      approver.answer({ kind: "approved" });
      await time.advance(250);
    }
    expect((await verdict).effect).toBe("deny");
  });

  it("lets one answer cover the calls of one script that it showed, and no other", async () => {
    const { approver, time, gate } = setup();
    const inScript = ["s/1", "s/2", "s/3"].map((id) => gate.decide(call(id, { id }, { chain: script })));
    const other = gate.decide(call("x", {}, { chain: [{ callId: "t", toolName: "codemode" }] }));
    await time.advance(20);
    expect(approver.shown[0]?.batch.map((item) => item.callId)).toEqual(["s/2", "s/3"]);
    // `x` was not shown beside it, and `s/3` was not chosen.
    approver.answer({ kind: "approved", callIds: ["s/2", "x"] });
    expect((await Promise.all(inScript.slice(0, 2))).map((verdict) => verdict.effect)).toEqual([
      "allow",
      "allow",
    ]);
    await time.advance(20);
    expect(approver.open).toEqual(["s/3"]);
    approver.answer({ kind: "declined" });
    await time.advance(20);
    expect(approver.open).toEqual(["x"]);
    approver.answer({ kind: "declined" });
    expect((await other).effect).toBe("deny");
  });

  it("closes the dialog of a cancelled call and goes on with the next", async () => {
    const { approver, time, gate } = setup();
    const controller = new AbortController();
    const first = gate.decide(call("a", {}, { signal: controller.signal }));
    const second = gate.decide(call("b"));
    await time.advance(1);
    controller.abort();
    const verdict = await first;
    expect(verdict).toMatchObject({ effect: "deny" });
    expect(verdict.reason).toContain("cancelled");
    await time.advance(1);
    expect(approver.open).toEqual(["b"]);
    gate.cancelAll();
    expect((await second).effect).toBe("deny");
    await time.advance(1);
    expect(approver.open).toEqual([]);
  });

  it("never opens a dialog for a call that was cancelled before its turn", async () => {
    const { approver, time, gate } = setup();
    const first = gate.decide(call("a"));
    const second = gate.decide(call("s/1", {}, { chain: script }));
    const third = gate.decide(call("c", {}, { signal: AbortSignal.abort() }));
    gate.cancel("s");
    expect((await second).effect).toBe("deny");
    expect((await third).effect).toBe("deny");
    await time.advance(1);
    approver.answer({ kind: "approved" });
    await first;
    await time.advance(100);
    expect(approver.shown.map((prompt) => prompt.item.callId)).toEqual(["a"]);
  });

  it("has a limit of questions that wait, beyond which a call is denied", async () => {
    const { time, gate } = setup({ limits: { maxWaiting: 2 } });
    const waiting = [gate.decide(call("a")), gate.decide(call("b"))];
    const over = await gate.decide(call("c"));
    expect(over.effect).toBe("deny");
    expect(over.reason).toContain("too many questions");
    gate.cancelAll();
    await time.advance(1);
    await Promise.all(waiting);
  });
});

describe("a time limit has the outcome that was chosen, and is not a refusal", () => {
  it("denies and says that nobody answered", async () => {
    const { time, gate, approver } = setup({ timeout: { afterMs: 60_000, outcome: "deny" } });
    const verdict = gate.decide(call("a"));
    await time.advance(60_000);
    const { effect, reason } = await verdict;
    expect(effect).toBe("deny");
    expect(reason).toContain("nobody answered within 60 seconds");
    expect(reason).not.toContain("declined");
    expect(approver.open).toEqual([]);
  });

  it("stops the run, closes every other question, and says why before the host is told", async () => {
    const run = new AbortController();
    const stopped: string[] = [];
    const { time, gate } = setup({
      timeout: { afterMs: 60_000, outcome: "stop" },
      onStop(request) {
        stopped.push(request.callId);
        run.abort();
      },
    });
    const verdict = gate.decide(call("a", {}, { signal: run.signal }));
    const other = gate.decide(call("b"));
    // As a host does that reads the verdict and then looks whether the run was aborted.
    const seen = verdict.then(async ({ reason }) => {
      const late = await gate.decide(call("c"));
      return { reason, late: late.reason, aborted: run.signal.aborted };
    });
    await time.advance(60_000);
    expect(await seen).toMatchObject({
      reason: expect.stringContaining(
        "nobody answered within 60 seconds. Nobody refused it, but the run was stopped",
      ),
      late: "Blocked: the run is being stopped.",
      aborted: false,
    });
    expect(gate.decisionOf("a")).toMatchObject({ effect: "deny", rule: "test.ask" });
    expect((await other).reason).toContain("cancelled before anybody answered");
    expect(stopped).toEqual(["a"]);
    expect(run.signal.aborted).toBe(true);
    expect(gate.waiting).toBe(0);
    // Told: what comes next is asked about again.
    const next = gate.decide(call("d"));
    await time.advance(1);
    expect(gate.waiting).toBe(1);
    gate.cancelAll();
    await next;
  });

  it("says how long that was, and that it is not asked again only where that is so", async () => {
    const reasonOf = async (afterMs: number, chain: typeof script, inRun: boolean) => {
      const { time, gate } = setup({ timeout: { afterMs, outcome: "deny" } });
      if (inRun) gate.beginRun();
      const ask = async (id: string) => {
        const verdict = gate.decide(call(id, {}, { chain }));
        await time.advance(afterMs + 100);
        return (await verdict).reason;
      };
      const first = await ask("a");
      const asked = gate.history.calls.length;
      const second = gate.decide(call("b", {}, { chain }));
      await time.advance(1);
      const again = gate.waiting === 1;
      gate.cancelAll();
      await second;
      return { reason: first.slice(first.indexOf("nobody")), again, asked };
    };
    expect(await reasonOf(20, [], true)).toEqual({
      reason:
        "nobody answered within 20 ms. Nobody refused it, but it is not asked again in this run. Go on without it.",
      again: false,
      asked: 1,
    });
    expect(await reasonOf(1_000, script, false)).toEqual({
      reason:
        "nobody answered within 1 second. Nobody refused it, but it is not asked again in this script. Go on without it.",
      again: false,
      asked: 1,
    });
    expect(await reasonOf(2_000, [], false)).toEqual({
      reason: "nobody answered within 2 seconds. Nobody refused it. Go on without it.",
      again: true,
      asked: 1,
    });
  });

  it("asks a UI that changed under the approver how far keys may run ahead", async () => {
    let typeAheadMs = 250;
    const asked: number[] = [];
    const { time, gate } = setup({
      approver: {
        get typeAheadMs() {
          return typeAheadMs;
        },
        async ask() {
          asked.push(typeAheadMs);
          return { kind: "approved" };
        },
      },
    });
    const verdict = gate.decide(call("a"));
    await time.advance(100);
    typeAheadMs = 0;
    await time.advance(200);
    expect((await verdict).effect).toBe("allow");
    expect(asked).toEqual([250, 0]);
  });

  it("goes on waiting and says so", async () => {
    const still: string[] = [];
    const { time, gate, approver } = setup({
      timeout: { afterMs: 60_000, outcome: "wait" },
      onStillWaiting: (item) => still.push(item.callId),
    });
    const verdict = gate.decide(call("a"));
    await time.advance(600_000);
    expect(still).toEqual(["a"]);
    approver.answer({ kind: "approved" });
    expect((await verdict).effect).toBe("allow");
  });

  it("denies after an hour by default, so that an approver that never answers blocks nothing for ever", async () => {
    const { time, gate } = setup({ approver: { ask: () => new Promise(() => {}) } });
    const verdict = gate.decide(call("a"));
    await time.advance(3_600_000);
    expect((await verdict).effect).toBe("deny");
  });
});

describe("clocks stop while a person decides", () => {
  it("tells a script's own clock from the first question until the last answer", async () => {
    const { approver, time, gate } = setup();
    const mine: boolean[] = [];
    const others: boolean[] = [];
    const all: boolean[] = [];
    gate.pausesFor("s").subscribe((paused) => mine.push(paused));
    gate.pausesFor("t").subscribe((paused) => others.push(paused));
    gate.pauses.subscribe((paused) => all.push(paused));
    const first = gate.decide(call("s/1", { n: 1 }, { chain: script }));
    const second = gate.decide(call("s/2", { n: 2 }, { chain: script }));
    await time.advance(20);
    expect(mine).toEqual([true]);
    approver.answer({ kind: "approved" });
    await first;
    await time.advance(20);
    expect(mine).toEqual([true]);
    approver.answer({ kind: "approved" });
    await second;
    expect(mine).toEqual([true, false]);
    expect(all).toEqual([true, false]);
    expect(others).toEqual([]);
  });
});
