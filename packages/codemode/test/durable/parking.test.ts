import { describe, expect, test } from "vitest";
import { createParking } from "../../src/durable/index.ts";
import type { Attempt } from "../../src/durable/parking.ts";

const signal = new AbortController().signal;
const item = (callId: string, fingerprint = "f1") => ({
  callId,
  toolName: "deploy",
  lines: ["to: production"],
  chain: ["script", "deploy"],
  folder: "/project",
  reason: "It deploys",
  rule: "ask.deploy",
  layer: "user",
  fingerprint,
});
const yes = { kind: "approved" as const };

describe("the approver of runs that wait", () => {
  test("tells at once that nobody is there, and keeps what is asked", async () => {
    const { approver, enter } = createParking();
    const attempt: Attempt = {};
    const leave = enter("run:3", attempt);
    expect(await approver.ask({ item: item("run:3/1") }, { signal })).toMatchObject({ kind: "unavailable" });
    expect(attempt.asked).toMatchObject({ toolName: "deploy", lines: ["to: production"], fingerprint: "f1" });
    leave();
  });

  test("gives an answer once, and for exactly the arguments that were asked about", async () => {
    const { approver, enter } = createParking();
    const answer = { fingerprint: "f1", decision: yes };
    enter("run:3", { answer });
    expect(await approver.ask({ item: item("run:3/2", "f2") }, { signal })).toMatchObject({
      kind: "unavailable",
    });
    enter("run:4", { answer });
    expect(await approver.ask({ item: item("run:4/2") }, { signal })).toEqual(yes);
    expect(await approver.ask({ item: item("run:4/2") }, { signal })).toMatchObject({ kind: "unavailable" });
  });

  test("knows a call by its whole id, and nobody's answer is another's", async () => {
    const { approver, enter } = createParking();
    enter("run:1", { answer: { fingerprint: "f1", decision: yes } });
    for (const callId of ["run:10/1", "run:1", "other:1/1", "/run:1/1", "run:1x/1"])
      expect(await approver.ask({ item: item(callId) }, { signal })).toMatchObject({ kind: "unavailable" });
    expect(await approver.ask({ item: item("run:1/1") }, { signal })).toEqual(yes);
  });

  test("does not park a call that a tool makes: its effect has begun", async () => {
    const { approver, enter } = createParking();
    const attempt: Attempt = { answer: { fingerprint: "f1", decision: yes } };
    enter("run:1", attempt);
    expect(await approver.ask({ item: item("run:1/1/1") }, { signal })).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("own calls"),
    });
    expect(attempt.asked).toBeUndefined();
  });

  test("answers no call after its attempt is over", async () => {
    const { approver, enter } = createParking();
    enter("run:1", { answer: { fingerprint: "f1", decision: yes } })();
    expect(await approver.ask({ item: item("run:1/1") }, { signal })).toMatchObject({ kind: "unavailable" });
  });
});
