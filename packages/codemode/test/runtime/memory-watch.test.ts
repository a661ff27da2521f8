import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FRAME } from "../../src/runner/frames.ts";
import { dataKilobytes } from "../../src/node/process-driver.ts";
import { fakeCaller } from "./fake-caller.ts";
import { harness } from "./harness.ts";
import { lyingRunner } from "./lying-runner.ts";
import { sandboxes } from "./sandbox-pids.ts";

const MEGABYTE = 1024 * 1024;
const linux = process.platform === "linux";
const { value } = harness({ maxProcesses: 1, stock: 2, limits: { memoryMb: 64 } });

describe("memory that no isolate counts", () => {
  test("hostile 31: a sandbox that grows past its limit is killed, and the error says memory", async () => {
    // Twice the script's 64 MB and the runner's 256 MB.
    let bytes = 384 * MEGABYTE + 1;
    const { runner, killed, started } = lyingRunner(
      (frame, send) => {
        if (bytes > 384 * MEGABYTE || frame.type !== FRAME.start) return;
        send(FRAME.turn, '{"r":[[7,"next",[]]],"p":0,"w":-1}');
        send(FRAME.ended, "{}");
      },
      { memoryBytes: () => bytes, limits: { memoryMb: 64, cpuMs: 30_000 } },
    );
    const caller = fakeCaller([]);
    const outcome = await runner.run({ code: "return 1", caller });
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "memory", name: "MemoryLimitError", message: expect.stringContaining("64 MB") },
    });
    expect(killed()).toBe(1);
    bytes = 384 * MEGABYTE;
    expect(await runner.run({ code: "return 1", caller })).toMatchObject({ ok: true, value: "next" });
    expect([started(), killed()]).toEqual([2, 1]);
    await runner.close();
  });

  test.each([
    ["says so itself", { message: "signal SIGABRT", outOfMemory: true }, 0, "memory"],
    ["was large when it died", { message: "signal SIGKILL", outOfMemory: false }, 300, "memory"],
    ["was small when it died", { message: "signal SIGKILL", outOfMemory: false }, 100, "sandbox"],
  ])("hostile 31: a sandbox that %s ends the script with one typed error", async (_name, exit, mb, kind) => {
    const { runner } = lyingRunner(
      (frame, _send, leave) => {
        // The watch has looked at least once by then.
        if (frame.type === FRAME.start) setTimeout(() => leave(exit), 200);
      },
      { memoryBytes: () => mb * MEGABYTE, limits: { memoryMb: 64, cpuMs: 30_000 } },
    );
    const outcome = await runner.run({ code: "return 1", caller: fakeCaller([]) });
    expect(outcome).toMatchObject({ ok: false, error: { kind } });
    await runner.close();
  });

  test.runIf(linux)(
    "hostile 31: the system itself limits a sandbox's data, cores, files and time",
    async () => {
      await value("return 1");
      const spec = { memoryMb: 64, timeZone: "", locale: "", jit: true, stock: 2, maxFrameBytes: 1 };
      const [pid] = sandboxes();
      const limits = readFileSync(`/proc/${String(pid)}/limits`, "utf8");
      const hard = (name: string): number =>
        Number(new RegExp(`^${name} +\\d+ +(\\d+)`, "m").exec(limits)?.[1]);
      expect(hard("Max data size")).toBe(dataKilobytes(spec) * 1_024);
      expect(hard("Max data size")).toBeLessThan(8 * 1024 * MEGABYTE);
      expect(hard("Max core file size")).toBe(0);
      expect(hard("Max file size")).toBe(0);
      expect(hard("Max open files")).toBe(256);
      expect(hard("Max cpu time")).toBe(3_600);
    },
  );
});
