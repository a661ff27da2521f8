import { PassThrough } from "node:stream";

import type { ApprovalPrompt } from "@nestbox/policy";
import { describe, expect, it, vi } from "vitest";

import { terminalApprover } from "../src/compose/terminal-approver.ts";

function terminal(isTTY = true) {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stderr = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY });
  let said = "";
  stderr.on("data", (text: string) => (said += text));
  const streams = { stdin, stderr, stdout: new PassThrough() };
  return {
    streams,
    type: (text: string) => void stdin.write(text),
    said: () => said,
    forget: () => (said = ""),
  };
}

const prompt = (callId: string, waiting = 1): ApprovalPrompt =>
  ({
    item: {
      callId,
      chain: ["nestbox run", "deploy"],
      lines: ["where: production"],
      folder: "/srv/app",
      rule: "others-see-it",
      layer: "user",
      reason: "Others will see it",
      offers: [{ kind: "exact", pattern: "deploy production" }],
    },
    batch: [],
    waiting,
  }) as unknown as ApprovalPrompt;

describe("a question in the terminal", () => {
  const never = new AbortController().signal;
  const answerOf = async (text: string) => {
    const { streams, type, said } = terminal();
    const answer = terminalApprover(streams, false, () => undefined)?.ask(prompt("1", 3), { signal: never });
    type(text);
    return { answer: await answer, said: said() };
  };

  it("shows what will run, where, who asks and why, and how many wait", async () => {
    const { said } = await answerOf("n\n");
    expect(said).toContain(
      "nestbox run › deploy wants to run (2 more waiting):\n  where: production\n  in /srv/app\n",
    );
    expect(said).toContain("asked by others-see-it (user): Others will see it");
  });

  it.each([
    ["y\n", { kind: "approved" }],
    ["s\n", { kind: "approved", remember: { kind: "session", pattern: "deploy production" } }],
    ["n\n", { kind: "declined" }],
    ["q\n", { kind: "stop" }],
  ])("takes %j", async (text, expected) => {
    expect((await answerOf(text)).answer).toEqual(expected);
  });

  it("says what each answer means", async () => {
    const { said } = await answerOf("n\n");
    expect(said).toContain(
      "y: yes, once   s: yes, and to exactly this call again\nn: no   q: no, and stop the script\n",
    );
  });

  it("offers to remember only what may be remembered, and takes nothing else for a yes", async () => {
    const { streams, type, said } = terminal();
    const { item, ...rest } = prompt("1");
    const approver = terminalApprover(streams, false, () => undefined);
    const asked = approver?.ask({ ...rest, item: { ...item, offers: [] } }, { signal: never });
    const prompts = (times: number) =>
      vi.waitFor(() => expect(said().match(/y, n or q > /g)).toHaveLength(times), { timeout: 20_000 });
    await prompts(1);
    expect(said()).not.toContain("s: ");
    type("s\n");
    await prompts(2);
    type("n\n");
    expect(await asked).toEqual({ kind: "declined" });
  });

  it("takes Ctrl-C for no answer, and for the end of what asks", async () => {
    const { streams, type, said } = terminal();
    let interrupts = 0;
    const asked = terminalApprover(streams, false, () => interrupts++)?.ask(prompt("1"), { signal: never });
    await vi.waitFor(() => expect(said()).toContain("y, s, n or q > "), { timeout: 20_000 });
    type("\u0003");
    expect(await asked).toEqual({ kind: "unavailable", message: "interrupted" });
    expect(interrupts).toBe(1);
  });

  it("asks again what was no answer", async () => {
    const { streams, type, said } = terminal();
    const asked = terminalApprover(streams, false, () => undefined)?.ask(prompt("1"), { signal: never });
    const prompts = (times: number) =>
      vi.waitFor(() => expect(said().match(/y, s, n or q > /g)).toHaveLength(times), { timeout: 20_000 });
    for (const [index, text] of ["what?\n", "\n", "yes\n"].entries()) {
      await prompts(index + 1);
      type(text);
    }
    expect(await asked).toEqual({ kind: "approved" });
  });

  it("says why it is asked again, when the answer came before it could be read", async () => {
    const { streams, type, said, forget } = terminal();
    const approver = terminalApprover(streams, false, () => undefined);
    const first = approver?.ask(prompt("1"), { signal: never });
    type("y\n");
    await first;
    forget();
    const second = approver?.ask(prompt("1"), { signal: never });
    type("y\n");
    expect(await second).toEqual({ kind: "approved" });
    expect(said()).toMatch(/^That was typed before the question could be read/);
    expect(said()).not.toContain("wants to run");
    forget();
    const other = approver?.ask(prompt("2"), { signal: never });
    type("n\n");
    await other;
    expect(said()).toContain("wants to run");
  });

  it("is none when the call was cancelled, and none where there is no terminal", async () => {
    const { streams } = terminal();
    const stop = new AbortController();
    const asked = terminalApprover(streams, false, () => undefined)?.ask(prompt("1"), {
      signal: stop.signal,
    });
    stop.abort();
    expect(await asked).toMatchObject({ kind: "unavailable" });
    expect(terminalApprover(terminal(false).streams, false, () => undefined)).toBeUndefined();
    expect(terminalApprover(streams, true, () => undefined)).toBeUndefined();
  });
});
