import { EventEmitter } from "node:events";

import { describe, expect, it } from "vitest";

import { createInterrupts, listenForSignals } from "../src/interrupts.ts";

function program() {
  const killed: string[] = [];
  const source = Object.assign(new EventEmitter(), {
    pid: 7,
    kill: (pid: number, signal: string) => killed.push(`${pid} ${signal}`) > 0,
  });
  const interrupts = createInterrupts();
  listenForSignals(source as unknown as Parameters<typeof listenForSignals>[0], interrupts);
  return { source, interrupts, killed };
}

describe("signals", () => {
  it.each([
    ["SIGINT", "interrupted"],
    ["SIGTERM", "terminated"],
  ])("%s ends the command, and stays listened to while it ends", (signal, reason) => {
    const { source, interrupts, killed } = program();
    // As those do who put a cursor back: where they are alone, the process ends with them.
    let alone = false;
    source.on(signal, () => (alone = source.listenerCount(signal) === 1));
    source.emit(signal, signal);
    expect(interrupts.signal.reason).toMatchObject({ message: reason });
    expect(alone).toBe(false);
    expect(killed).toEqual([]);
    source.emit("SIGINT", "SIGINT");
    expect(killed).toEqual(["7 SIGINT"]);
    expect(source.listenerCount(signal)).toBe(1);
    expect(source.listenerCount(signal === "SIGINT" ? "SIGTERM" : "SIGINT")).toBe(0);
  });

  it("SIGHUP ends the command, and is no sign of impatience when it comes again", () => {
    const { source, interrupts, killed } = program();
    source.emit("SIGHUP", "SIGHUP");
    expect(interrupts.signal.reason).toMatchObject({ message: "the terminal was closed" });
    source.emit("SIGHUP", "SIGHUP");
    expect(killed).toEqual([]);
    source.emit("SIGTERM", "SIGTERM");
    expect(killed).toEqual(["7 SIGTERM"]);
  });

  it("SIGINT goes to a part of the command that has taken it, as often as it comes", () => {
    const { source, interrupts, killed } = program();
    let taken = 0;
    const release = interrupts.take(() => taken++);
    source.emit("SIGINT", "SIGINT");
    source.emit("SIGINT", "SIGINT");
    expect([taken, interrupts.signal.aborted, killed.length]).toEqual([2, false, 0]);
    release();
    source.emit("SIGINT", "SIGINT");
    expect(interrupts.signal.aborted).toBe(true);
  });
});
