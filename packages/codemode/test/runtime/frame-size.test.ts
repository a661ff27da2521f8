import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { FRAME } from "../../src/runner/frames.ts";
import { watchedRunner } from "./crossings.ts";
import { fakeCaller } from "./fake-caller.ts";
import { harness } from "./harness.ts";
import { sandboxes } from "./sandbox-pids.ts";

const pids = (): readonly number[] => (process.platform === "linux" ? sandboxes() : []);

// So patient that a busy machine alone never makes it end a process.
const { run, value } = harness({ maxProcesses: 1, graceMs: 20_000 });
const hugeFrame = fileURLToPath(new URL("./fixtures/huge-frame.ts", import.meta.url));

/** A script with "before" put out and a frame above 100,000 bytes. */
const OVER = {
  ok: false,
  error: {
    kind: "limit",
    name: "LimitError",
    message: expect.stringMatching(/limit of 100000\b.*maxFrameBytes/),
  },
  output: [{ type: "text", text: "before" }],
};

describe("the size of a frame", () => {
  test.each([
    ["text", "y".repeat(200_000), undefined],
    ["data", { rows: Array.from({ length: 20_000 }, (_, i) => i) }, {}],
    ["two bytes a character", "日".repeat(60_000), undefined],
  ])(
    "hostile 33: a tool's answer (%s) over it is a limit that is named, and the host lives",
    async (_name, answer, outputSchema) => {
      const outcome = await run("text('before'); const r = await tools.big({}); return r.length", {
        limits: { maxFrameBytes: 100_000 },
        tools: [{ name: "big", outputSchema, run: () => answer }],
      });
      expect(outcome).toMatchObject({
        ...OVER,
        calls: [{ name: "big", status: "ok" }],
      });
      expect(
        await value("return (await tools.noop({ i: 1 })).i", { limits: { maxFrameBytes: 100_000 } }),
      ).toBe(1);
    },
  );

  test("hostile 33: a source or a catalogue over it is a limit that is named, and the host lives", async () => {
    const limits = { maxFrameBytes: 100_000 };
    expect(await run(`return ${JSON.stringify("z".repeat(120_000))}.length`, { limits })).toMatchObject({
      ok: false,
      error: { kind: "limit", message: expect.stringContaining("maxFrameBytes") },
    });
    expect(
      await run("return 1", { limits, store: { k: JSON.stringify("z".repeat(120_000)) } }),
    ).toMatchObject({
      ok: false,
      error: { kind: "limit", message: expect.stringContaining("maxFrameBytes") },
    });
    expect(
      await run("return 1", { limits, tools: [{ name: "a", description: "d".repeat(120_000) }] }),
    ).toMatchObject({
      ok: false,
      error: { kind: "limit", message: expect.stringContaining("maxFrameBytes") },
    });
    expect(await value("return 1", { limits })).toBe(1);
  });

  test.each([
    [
      "calls of one turn",
      "const s = 'x'.repeat(40_000); await Promise.all([1, 2, 3].map((i) => tools.noop({ i, s })))",
    ],
    ["its result", "return 'x'.repeat(120_000)"],
    ["its result, in words", "return Array.from({ length: 30_000 }, (_, i) => i)"],
    ["one text", "text('日'.repeat(60_000)); for (let i = 0; i < 10; i++) text(i); return 1"],
    [
      "one call that is awaited",
      "try { await tools.noop({ s: 'x'.repeat(120_000) }) } catch { return 'caught' }",
    ],
  ])(
    "hostile 33: what a script makes (%s) over it is a limit that is named, and its process goes on",
    async (_name, code) => {
      const limits = { maxFrameBytes: 100_000 };
      await value("return 0", { limits });
      const before = pids();
      const outcome = await run(`text('before'); await tools.noop({}); ${code}`, { limits });
      expect(outcome).toMatchObject(OVER);
      expect(await value("return 1", { limits })).toBe(1);
      expect(pids()).toEqual(before);
    },
  );

  test("hostile 33: names and warnings without end are a limit as well, at any size of a frame", async () => {
    for (const code of [
      "await ctx.executeTool('n'.repeat(17e6), {})",
      "store('k'.repeat(17e6), undefined); return 1",
    ])
      expect(await run(code)).toMatchObject({ ok: false, error: { kind: "limit", name: "LimitError" } });
    expect(await value("return 1")).toBe(1);
  });

  test("hostile 33: what did not fit beside the error of a script that was stopped is left out, and the error told", async () => {
    const limits = { maxFrameBytes: 100_000, cpuMs: 2_000 };
    const code = "for (let i = 0; i < 100; i++) text('x'.repeat(3_000)); while (true);";
    const outcome = await run(code, { limits });
    expect(outcome).toMatchObject({ ok: false, error: { kind: "timeout" } });
    expect(outcome.output.length).toBeGreaterThanOrEqual(64);
    expect(await value("return 1", { limits })).toBe(1);
  });

  test.each([
    ["a length without an end", 100_000, "4294967284"],
    ["a whole frame", 99_999, "1000"],
  ])(
    "hostile 7: a sandbox that sends more (%s) is ended, and the next script runs",
    async (_name, maxFrameBytes, size) => {
      const { runner, started, crossings } = watchedRunner({ maxFrameBytes }, [hugeFrame]);
      onTestFinished(() => runner.close());
      const outcome = await runner.run({ code: "return 1", caller: fakeCaller([]) });
      expect(outcome).toMatchObject({
        ok: false,
        error: { kind: "sandbox", message: expect.stringContaining(size), retryable: true },
        output: [],
      });
      expect(outcome.ok ? "" : outcome.error.message).toContain(`larger than the limit of ${maxFrameBytes}`);
      expect(await runner.run({ code: "return 2", caller: fakeCaller([]) })).toMatchObject({
        ok: true,
        value: 2,
      });
      expect(started()).toBe(2);
      expect(crossings.filter(({ to, type }) => to === "host" && type === FRAME.turn)).not.toEqual([]);
    },
  );
});
