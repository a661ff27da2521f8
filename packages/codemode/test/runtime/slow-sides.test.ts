import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { FRAME } from "../../src/runner/frames.ts";
import { watchedRunner } from "./crossings.ts";
import { CASE_TOOLS, fakeCaller } from "./fake-caller.ts";
import { harness } from "./harness.ts";
import { lyingRunner } from "./lying-runner.ts";

const { run } = harness({ maxProcesses: 1 });
const slowPipe = fileURLToPath(new URL("./fixtures/slow-pipe.ts", import.meta.url));

/** The longest time in which the event loop did nothing else, in milliseconds. */
function watchLoop(): { stop(): number } {
  let last = performance.now();
  let longest = 0;
  const look = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 5);
  return {
    stop() {
      look();
      clearInterval(timer);
      return longest;
    },
  };
}

describe("a side that is slow", () => {
  test.each([
    ["reads a large frame a page at a time", 99_999_999],
    ["sends a frame a byte at a time", 99_999_998],
  ])("hostile 7: a sandbox that %s does not keep the host", async (_name, maxFrameBytes) => {
    const { runner: slow } = watchedRunner({ maxFrameBytes, cpuMs: 1_000 }, [slowPipe]);
    onTestFinished(() => slow.close());
    await slow.warm();
    const loop = watchLoop();
    const outcome = await slow.run({
      code: "return 1",
      caller: fakeCaller(CASE_TOOLS),
      store: { k: JSON.stringify("x".repeat(maxFrameBytes % 2 === 1 ? 40_000_000 : 10)) },
    });
    // The page reader takes more than ten seconds, the other a minute: less is a busy machine.
    expect(loop.stop()).toBeLessThan(9_000);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "timeout" } });
    const limits = { cpuMs: 30_000 };
    expect(await slow.run({ code: "return 2", caller: fakeCaller([]), limits })).toMatchObject({
      ok: true,
      value: 2,
    });
  });

  const away = (ms: number): void => {
    for (const end = performance.now() + ms; performance.now() < end;);
  };

  test("a host that was away for longer than the script's limit reads what came before it judges", async () => {
    const { runner, killed } = lyingRunner((frame, send) => {
      if (frame.type !== FRAME.start) return;
      away(2_500);
      setImmediate(() => {
        send(FRAME.turn, '{"r":[[7,[0,5],[]]],"p":0,"w":-1,"b":3}');
        send(FRAME.ended, '{"renew":false}');
      });
    });
    onTestFinished(() => runner.close());
    const outcome = await runner.run({ code: "return 5", caller: fakeCaller([]) });
    expect(outcome).toMatchObject({ ok: true, value: 5 });
    expect(killed()).toBe(0);
  });

  test("a host that is away again and again still ends a sandbox that does not answer", async () => {
    const { runner } = lyingRunner(() => undefined);
    const busy = setInterval(() => away(300), 1);
    onTestFinished(() => {
      clearInterval(busy);
      return runner.close();
    });
    const outcome = await runner.run({ code: "return 5", caller: fakeCaller([]) });
    expect(outcome).toMatchObject({ ok: false, error: { kind: "timeout" } });
  });
});

describe("a report and what is answered while it is read", () => {
  test("output between calls of tools that do not exist is all there, in its order", async () => {
    const outcome = await run(
      `for (let i = 0; i < 150; i++) { ctx.executeTool("no" + i, {}); text("a" + i) }
       for (let i = 0; i < 50; i++) { const call = ctx.executeTool("none", {}); text("b" + i); await call; text("c" + i) }
       return "end"`,
    );
    expect(outcome).toMatchObject({ ok: true, value: "end" });
    const texts = outcome.output.map((item) => (item.type === "text" ? item.text : ""));
    const first = Array.from({ length: 150 }, (_, i) => `a${i}`);
    expect(texts).toEqual([...first, ...Array.from({ length: 50 }, (_, i) => [`b${i}`, `c${i}`]).flat()]);
  });

  test("so it is between calls that were denied before", async () => {
    const deny = { effect: "deny", rule: "no", layer: "user" } as const;
    const outcome = await run(
      `for (let i = 0; i < 100; i++) { const call = tools.never({}).catch(() => 0); text("a" + i); await call; text("b" + i) }`,
      { tools: [{ name: "never", deny }] },
    );
    const texts = outcome.output.map((item) => (item.type === "text" ? item.text : ""));
    expect(texts).toEqual(Array.from({ length: 100 }, (_, i) => [`a${i}`, `b${i}`]).flat());
  });
});
