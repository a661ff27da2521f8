import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { afterAll, describe, expect, it } from "vitest";

import { readWorkerLine } from "../../scripts/fleet/worker-line.ts";

const fixture = fileURLToPath(new URL("fixtures/interrupted.ts", import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), "nestbox-show-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

interface Shown {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly pid: number;
  readonly closed: Promise<number | null>;
}

async function show(mode: string): Promise<Shown> {
  const child = spawn(process.execPath, ["--conditions=@nestbox/source", fixture, mode], {
    env: { ...process.env, TMPDIR: temporary, NODE_OPTIONS: "" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const line = await new Promise<string>((resolve, reject) => {
    closed.then(() => reject(new Error("It has ended")), reject);
    createInterface({ input: child.stdout }).once("line", resolve);
  });
  return { child, closed, ...(JSON.parse(line) as { readonly folder: string; readonly pid: number }) };
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("the fleet that is shown", () => {
  it.each([
    ["one interrupt", "waits", ["SIGINT"]],
    ["two interrupts", "waits", ["SIGINT", "SIGINT"]],
    ["an interrupt and an impatient end", "waits", ["SIGINT", "SIGTERM", "SIGHUP"]],
    ["a mistake in a listener, and an interrupt", "mistake", ["SIGINT"]],
    ["an end that is told to the process that began it alone", "outer", ["SIGTERM", "SIGTERM"]],
  ] as const)(
    "leaves no process and no folder after %s",
    async (_title, mode, signals) => {
      const { child, folder, pid, closed } = await show(mode);
      expect([existsSync(folder), lives(pid)]).toEqual([true, true]);
      for (const signal of signals) {
        child.kill(signal);
        await pause(100);
      }
      expect(await closed).toBe(1);
      expect(lives(pid)).toBe(false);
      expect(readdirSync(temporary)).toEqual([]);
    },
    60_000,
  );

  it("takes of what a worker says only what it knows how to read", () => {
    const line = { time: "2026-03-01T12:00:00Z", level: "info", event: "run.begun", message: "run a begun" };
    expect(readWorkerLine(JSON.stringify(line))).toEqual({ event: "run.begun", message: "run a begun" });
    const interrupted = { ok: false, error: { kind: "sandbox", name: "Error", message: "terminated" } };
    for (const other of [
      JSON.stringify(interrupted),
      "",
      "no JSON",
      "null",
      "[]",
      '{"event":1,"message":""}',
    ])
      expect(readWorkerLine(other)).toBeUndefined();
  });
});
