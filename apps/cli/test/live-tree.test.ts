import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";

import { createToolHost, createTrace } from "@nestbox/calls";
import type { RunnableTool } from "@nestbox/tool";
import pc from "picocolors";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { colorsFor } from "../src/report/colors.ts";
import { createLiveTree } from "../src/report/live-tree.ts";
import { forTerminal, oneLine } from "../src/report/safe-text.ts";

const plain = pc.createColors(false);

/** A host with one tool that runs until it is told to end, watched by a live tree. */
function watched(isTTY: boolean) {
  const stream = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY, columns: 80, rows: 10 });
  let written = "";
  stream.on("data", (text: string) => (written += text));
  let finish = (): void => {};
  const slow: RunnableTool = {
    name: "slow",
    label: "Slow",
    description: "Takes its time.",
    parameters: { type: "object" },
    execute: (_id: string, _args: unknown, _signal: unknown, onUpdate?: (partial: never) => void) => {
      onUpdate?.({ content: [{ type: "text", text: "first\nstep 3 of 9" }], details: {} } as never);
      return new Promise((resolve) => {
        finish = () => resolve({ content: [{ type: "text", text: "done" }], details: {} });
      });
    },
  };
  const trace = createTrace();
  const host = createToolHost({ cwd: "/", onEvent: trace.onEvent });
  host.register(slow);
  const live = createLiveTree({ stream, colors: plain, trace: () => trace.trace(), pauses: host.pauses });
  host.subscribe(live.onEvent);
  return {
    host,
    live,
    finish: () => finish(),
    text: () => stripVTControlCharacters(written),
    raw: () => written,
    forget: () => (written = ""),
  };
}

describe("what is seen while a script runs", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("is the call tree with what a running call says of itself, in a terminal", async () => {
    const { host, live, finish, text, raw, forget } = watched(true);
    const call = host.call("slow", {});
    await vi.advanceTimersByTimeAsync(1_500);
    expect(text()).toMatch(/└─ slow +running +1\.\d+ s {2}step 3 of 9/);
    finish();
    await call;
    await vi.advanceTimersByTimeAsync(200);
    expect(text()).toMatch(/└─ slow +ok/);
    forget();
    live.close();
    // What was drawn is erased, and a cursor that was hidden is shown again.
    expect(raw()).toMatch(/\u001B\[[02]?[JK]/);
    expect(raw().endsWith("\u001B[?25l")).toBe(false);
  });

  it("is taken away while a person is being asked", async () => {
    const { host, live, finish, text, forget } = watched(true);
    const call = host.call("slow", {});
    await vi.advanceTimersByTimeAsync(300);
    host.pause();
    forget();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(text()).toBe("");
    host.resume();
    await vi.advanceTimersByTimeAsync(300);
    expect(text()).toMatch(/slow +running/);
    finish();
    await call;
    live.close();
  });

  it("is a line for each ten seconds of a long call, in a pipe, and nothing for a short one", async () => {
    const { host, live, finish, text, raw } = watched(false);
    const call = host.call("slow", {});
    await vi.advanceTimersByTimeAsync(5_000);
    expect(raw()).toBe("");
    await vi.advanceTimersByTimeAsync(16_000);
    expect(text().match(/slow has been running for \d+ s: step 3 of 9\n/g)).toHaveLength(2);
    expect(raw()).not.toContain("\u001B");
    finish();
    await call;
    live.close();
  });
});

describe("colours", () => {
  it("are for terminals, never with NO_COLOR, and everywhere with FORCE_COLOR", () => {
    const coloured = (isTTY: boolean, env: Record<string, string>): boolean =>
      colorsFor({ isTTY }, env).isColorSupported;
    expect(coloured(true, {})).toBe(true);
    expect(coloured(false, {})).toBe(false);
    expect(coloured(true, { NO_COLOR: "1" })).toBe(false);
    expect(coloured(true, { NO_COLOR: "1", FORCE_COLOR: "1" })).toBe(false);
    expect(coloured(true, { NO_COLOR: "" })).toBe(true);
    expect(coloured(false, { FORCE_COLOR: "1" })).toBe(true);
    expect(coloured(true, { FORCE_COLOR: "0" })).toBe(false);
    expect(coloured(true, { TERM: "dumb" })).toBe(false);
  });
});

describe("text that a script chose", () => {
  it("cannot move the cursor or reorder a line", () => {
    expect(oneLine("a\u001B[2Jb\nc\u202Ed")).toBe("a\\x1b[2Jb\\nc\\u{202e}d");
    expect(forTerminal("a\u001B]0;x\u0007\nb\tc", true)).toBe("a\\x1b]0;x\\x07\nb\tc");
  });

  it("reaches a pipe as it is", () => {
    expect(forTerminal("a\u001B[2J", undefined)).toBe("a\u001B[2J");
  });
});
