import { type ChildProcess, spawn } from "node:child_process";
import { afterEach, describe, expect, test } from "vitest";
import { writeNow } from "../../src/node/read-now.ts";

let child: ChildProcess | undefined;
afterEach(() => void child?.kill("SIGKILL"));

/** The descriptor of the input of a program that reads when it has slept for so long. */
function reader(sleepMs: number): number {
  const program = `const { readSync } = require("node:fs"); const buffer = Buffer.alloc(1 << 16);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${sleepMs});
    for (;;) try { if (readSync(0, buffer) === 0) break } catch {}`;
  child = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "ignore", "inherit"] });
  const { fd } = (child.stdin as unknown as { readonly _handle: { readonly fd: number } })._handle;
  return fd;
}

describe.skipIf(process.platform === "win32")("writing now", () => {
  const large = Buffer.alloc(8 * 1024 * 1024, 1);

  test("waits for room as long as it may, and for the most part without the core", () => {
    const fd = reader(300);
    const started = performance.now();
    const busy = process.threadCpuUsage();
    expect(writeNow(fd, large, 60_000)).toBe(large.length);
    const { user, system } = process.threadCpuUsage(busy);
    // It waited for 300 ms and more, on a busy machine for long.
    expect((user + system) / 1_000).toBeLessThan((performance.now() - started) * 0.8);
  });

  test("gives up when there is no room for so long, and says how much was written", () => {
    const fd = reader(60_000);
    const started = performance.now();
    const written = writeNow(fd, large, 20);
    expect(performance.now() - started).toBeGreaterThanOrEqual(20);
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(large.length);
    expect(writeNow(fd, large, 0)).toBe(0);
  });

  test("gives up at its end, whatever room there is", () => {
    const fd = reader(0);
    expect(writeNow(fd, large, 60_000, performance.now() - 1)).toBeLessThan(large.length);
  });
});
