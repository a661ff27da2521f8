import { describe, expect, test, vi } from "vitest";
import { FRAME } from "../../src/runner/frames.ts";
import { fakeCaller } from "./fake-caller.ts";
import { harness } from "./harness.ts";
import { lyingRunner } from "./lying-runner.ts";

const MB = 1024 * 1024;
const CALLS = 9;
const rows = Array.from({ length: CALLS }, (_, index) => `[1,${index + 1},0,0,[{"i":${index}}]]`).join(",");

/** A sandbox that has begun its calls and computes: what it was sent, and its way to go on. */
function busySandbox(bytes: number, maxFrameBytes: number) {
  const frames: { readonly ids: readonly number[]; readonly bytes: number }[] = [];
  let report: () => void = () => undefined;
  const made = lyingRunner(
    (frame, send) => {
      if (frame.type === FRAME.start) send(FRAME.turn, `{"r":[${rows}],"p":${CALLS},"w":-1}`);
      if (frame.type !== FRAME.answers) return;
      const answers = JSON.parse(frame.header.slice(frame.header.indexOf(";") + 1)) as [number][];
      const size = frame.segments.reduce((sum, segment) => sum + segment.length, 0);
      frames.push({ ids: answers.map(([id]) => id), bytes: size });
      report = () => {
        const taken = frames.reduce((sum, { ids }) => sum + ids.length, 0);
        const end = taken === CALLS ? '[7,"all",[]]' : "";
        send(FRAME.turn, `{"r":[${end}],"p":${CALLS - taken},"w":-1}`);
      };
    },
    // Nothing but the test ends this script.
    { limits: { cpuMs: 600_000, maxFrameBytes } },
  );
  let answered = 0;
  const caller = fakeCaller([
    {
      name: "big",
      run: async ({ i }) => {
        // One after the other, so that each answer is ready by itself.
        await vi.waitFor(() => expect(answered).toBe(Number(i)), { timeout: 60_000, interval: 1 });
        await new Promise((resolve) => setImmediate(resolve));
        answered++;
        return "x".repeat(bytes);
      },
    },
  ]);
  return {
    frames,
    runner: made.runner,
    outcome: made.runner.run({ code: "1", caller }),
    allAnswered: () => vi.waitFor(() => expect(answered).toBe(CALLS), { timeout: 60_000 }),
    report: () => report(),
  };
}

describe("answers for a script that computes", () => {
  test("hostile 26, hostile 33: some are sent ahead, the others are held until it has read them", async () => {
    const { frames, runner, outcome, allAnswered, report } = busySandbox(10 * MB, 256 * MB);
    await allAnswered();
    // More than 32 MB are on their way: no more is sent.
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(frames).toHaveLength(4);
    for (let turn = 0; turn < 4; turn++) report();
    await vi.waitFor(() => expect(frames).toHaveLength(5), { timeout: 60_000 });
    expect(frames.flatMap(({ ids }) => ids)).toEqual(Array.from({ length: CALLS }, (_, index) => index + 1));
    report();
    expect(await outcome).toMatchObject({ ok: true, value: "all" });
    await runner.close();
  });

  test("hostile 26: more than the limit in sum ends the script, and none of it is kept", async () => {
    const { frames, runner, outcome } = busySandbox(10 * MB, 30 * MB);
    expect(await outcome).toMatchObject({
      ok: false,
      error: { kind: "limit", name: "LimitError", message: expect.stringContaining("(maxFrameBytes)") },
    });
    expect(frames.length).toBeLessThan(CALLS);
    await runner.close();
  });
});

describe("answers for a script that takes them", () => {
  const { value } = harness({ maxProcesses: 1 });

  test("more than is sent ahead arrives whole, in its order", async () => {
    const tools = [
      {
        name: "big",
        run: async ({ i }: { readonly i?: unknown }) => {
          await new Promise((resolve) => setTimeout(resolve, Number(i)));
          return `${String(i)}:${"x".repeat(3 * MB)}`;
        },
      },
    ];
    const code = `
      const sizes = [];
      await Promise.all(Array.from({ length: 30 }, async (_, i) => { const text = await tools.big({ i }); sizes.push([i, text.length]); }));
      return sizes.toSorted(([a], [b]) => a - b).every(([i, length], at) => i === at && length === ${3 * MB} + String(i).length + 1) && sizes.length;
    `;
    expect(await value(code, { tools, limits: { memoryMb: 512, cpuMs: 300_000 } })).toBe(30);
  });
});
