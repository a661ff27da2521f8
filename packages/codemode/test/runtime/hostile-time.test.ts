import { describe, expect, onTestFinished, test } from "vitest";
import type { ScriptEvent } from "../../src/types.ts";
import { watchedRunner } from "./crossings.ts";
import { fakeCaller } from "./fake-caller.ts";
import { errorOf, type Harness, harness } from "./harness.ts";
import { skippingClock } from "./skipping-clock.ts";

/** Only for scripts that never end by themselves: a busy machine may need longer for any other. */
const limits = { cpuMs: 400 };
const { run, value } = harness({ limits: { memoryMb: 64 }, graceMs: 300 });
/** Whose host waits so long that a busy machine alone never makes it kill a process. */
const patient = harness({ limits: { memoryMb: 64 }, graceMs: 20_000 });
const alive = async (one: Pick<Harness, "value"> = { value }): Promise<void> =>
  expect(await one.value("return (await tools.noop({ i: 1 })).i")).toBe(1);
/** The script was stopped where it ran; the message is another when its process had to be killed. */
const STOPPED = {
  kind: "timeout",
  name: "CpuLimitError",
  message: "The script's own code ran for more than the limit of 400 ms",
};

describe("time", () => {
  test.each([
    ["before the first await", "while (true) {}"],
    ["after a call (S22)", "await tools.noop({}); while (true) {}"],
    ["as microtasks (S21)", "while (true) await null"],
    ["in a timer", "await new Promise((r) => setTimeout(() => { while (true) {} }, 1))"],
    ["in a microtask", "queueMicrotask(() => { while (true) {} }); await tools.noop({})"],
    ["in a thenable", "return { then() { while (true) {} } }"],
    ["in a toJSON", "return { toJSON() { while (true) {} } }"],
    [
      "in a catch that never lets go",
      "while (true) { try { while (true) {} } catch {} finally { while (true) {} } }",
    ],
    ["in eval", "eval('while (true) {}')"],
    [
      "in a generator's return",
      "function* g() { try { yield 1 } finally { while (true) {} } } for (const x of g()) break",
    ],
  ])("hostile 19: an endless loop %s ends at the processor limit", async (_name, code) => {
    const outcome = await patient.run(`text("partial"); ${code}`, { limits });
    expect(errorOf(outcome)).toMatchObject(STOPPED);
    expect(outcome.output).toEqual([{ type: "text", text: "partial" }]);
    await alive(patient);
  });

  test.each([
    ["BigInt squaring", "let b = 2n; while (true) b = b * b"],
    ["replace with a function", '"a".repeat(2 ** 26).replace(/a/g, () => "b")'],
    ["a sparse indexOf", "const a = []; a[4294967290] = 1; a.indexOf(7)"],
    ["a sparse fill", "const a = []; a.length = 4294967295; a.fill(0)"],
    ["a huge dense fill", "new Array(1e9).fill(0)"],
    ["a split", '"ab".repeat(2 ** 26).split("")'],
    ["deep JSON", 'JSON.stringify(JSON.parse("[".repeat(1e6) + "]".repeat(1e6)))'],
    [
      "a sort with a hostile comparator",
      "Array.from({ length: 1e6 }, (_, i) => i).sort(() => { for (let i = 0; i < 1e9; i++); return 1 })",
    ],
    ["a concat of huge sparse arrays", "const a = []; a.length = 4e9; [].concat(a, a, a).lastIndexOf(1)"],
    ["padding and regular expressions", '"x".repeat(2 ** 28).replace(/(x+x+)+y/, "")'],
  ])(
    "hostile 21: a builtin that will not be interrupted (%s) is ended from the host",
    async (_name, code) => {
      // The call is a sign that the script runs: only then does its time matter.
      const outcome = await run(`text("partial"); await tools.noop({}); ${code}`, { limits });
      const error = errorOf(outcome);
      // A script error is only right where the engine itself refuses.
      const kind = error.kind === "script" ? `script ${error.name}` : error.kind;
      expect(["timeout", "memory", "script RangeError"]).toContain(kind);
      expect(outcome.output).toEqual([{ type: "text", text: "partial" }]);
      await alive();
    },
  );

  test.each([
    ["a job", "Promise.resolve().then(() => { while (true); });"],
    ["jobs that go on for ever", "(async () => { for (;;) await null; })();"],
    [
      "a job that makes calls",
      "Promise.resolve().then(() => { for (;;) tools.noop({ late: 1 }).catch(() => {}); });",
    ],
  ])(
    "hostile 19: %s in the queue of a script that is stopped takes neither its output nor its process with it",
    async (_name, code) => {
      const outcome = await patient.run(`for (let i = 0; i < 200; i++) text(i); ${code} while (true);`, {
        limits,
      });
      expect(errorOf(outcome)).toMatchObject(STOPPED);
      expect(outcome.output).toHaveLength(200);
      await alive(patient);
    },
  );

  test("hostile 21: a wedge in one script leaves the others alone", async () => {
    const wedge = run("let b = 2n; while (true) b = b * b", { limits });
    const others = await Promise.all([
      value("return 1"),
      value("await new Promise((r) => setTimeout(r, 50)); return 2"),
    ]);
    expect(others).toEqual([1, 2]);
    expect((await wedge).ok).toBe(false);
  });

  test.each([
    [
      "a getter of the stack",
      'throw Object.defineProperty(new Error("x"), "stack", { get() { while (true) {} } })',
    ],
    [
      "a getter of the message",
      'throw Object.defineProperty(new Error("x"), "message", { get() { while (true) {} } })',
    ],
    [
      "a getter of the name",
      'throw Object.defineProperty(new Error("x"), "name", { get() { while (true) {} } })',
    ],
    [
      "a proxy around an error",
      'throw new Proxy(new Error("x"), { get() { while (true) {} }, getPrototypeOf() { while (true) {} } })',
    ],
    ["a toString", "throw { toString() { while (true) {} }, toJSON() { while (true) {} } }"],
  ])("hostile 22: hanging while failing through %s ends at the limit", async (_name, code) => {
    expect(errorOf(await patient.run(code, { limits }))).toMatchObject(STOPPED);
    await alive(patient);
  });

  test("hostile 22: a name or message of another type is told as text", async () => {
    const outcome = await run(
      'const e = new Error("x"); e.name = { toString() { return "Mine" } }; e.message = 5; throw e',
    );
    expect(outcome).toMatchObject({ ok: false, error: { name: "Mine", message: "5" } });
    expect(await run("const e = new Error('x'); e.name = Symbol('s'); throw e")).toMatchObject({
      ok: false,
      error: { kind: "script" },
    });
    expect(
      await run(
        "const e = new Error('x'); Object.defineProperty(e, 'message', { get() { throw 1 } }); throw e",
      ),
    ).toMatchObject({
      ok: false,
      error: { kind: "script" },
    });
  });

  test("hostile 23: a catastrophic regular expression ends at the limit", async () => {
    const outcome = await run('return /^(a+)+$/.test("a".repeat(40) + "b")', { limits });
    expect(outcome).toMatchObject({ ok: false, error: { kind: "timeout" } });
    await alive();
  });

  test("the wall limit of a script begins when its process is there, not while it waits for one", async () => {
    const clock = skippingClock();
    const { runner } = watchedRunner({}, [], clock);
    onTestFinished(() => runner.close());
    const hold = Promise.withResolvers<object>();
    const held = Promise.withResolvers<void>();
    const first = runner.run({
      code: "await tools.hold({})",
      caller: fakeCaller([{ name: "hold", run: () => (held.resolve(), hold.promise) }]),
    });
    const second = runner.run({ code: "return 1", caller: fakeCaller([]), limits: { timeoutMs: 30_000 } });
    await held.promise;
    clock.skip(40_000);
    hold.resolve({});
    expect(await first).toMatchObject({ ok: true });
    expect(await second).toMatchObject({ ok: true, value: 1 });
    expect((await second).stats.wallMs).toBeGreaterThan(40_000);
  });

  test("hostile 25: a call that never answers ends at the wall limit, and its signal is aborted", async () => {
    const clock = skippingClock();
    const { runner } = watchedRunner({}, [], clock);
    onTestFinished(() => runner.close());
    let aborted = false;
    const hang = (_args: unknown, signal: AbortSignal | undefined): Promise<never> => {
      signal?.addEventListener("abort", () => (aborted = true));
      setImmediate(() => clock.skip(40_000));
      return new Promise(() => {});
    };
    const caller = fakeCaller([{ name: "hang", run: hang }]);
    const outcome = await runner.run({ code: "await tools.hang({})", caller, limits: { timeoutMs: 30_000 } });
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "timeout", name: "TimeoutError" },
      calls: [{ name: "hang", status: "cancelled", began: true }],
    });
    expect(aborted).toBe(true);
    expect(await runner.run({ code: "return 1", caller })).toMatchObject({ ok: true, value: 1 });
  });

  test("hostile 25: a call over its own limit rejects, the script goes on, a late answer is nobody's", async () => {
    let aborted: unknown;
    const outcome = await run(
      "let name; try { await tools.late({}) } catch (error) { name = error.name } await tools.wait({}); return name",
      {
        limits: { callTimeoutMs: 200 },
        tools: [
          {
            name: "late",
            run: (_args, signal) =>
              new Promise((resolve) => {
                signal?.addEventListener("abort", () => {
                  aborted = (signal.reason as Error).name;
                  resolve({ late: true });
                });
              }),
          },
          { name: "wait", run: () => new Promise((resolve) => setTimeout(() => resolve({}), 50)) },
        ],
      },
    );
    expect(outcome).toMatchObject({
      ok: true,
      value: "TimeoutError",
      calls: [{ status: "cancelled", began: true }, { status: "ok" }],
    });
    expect(aborted).toBe("TimeoutError");
  });

  // contract R15
  test("hostile 25: the time that a person is asked does not count", async () => {
    const clock = skippingClock();
    const { runner } = watchedRunner({}, [], clock);
    onTestFinished(() => runner.close());
    const listeners = new Set<(paused: boolean) => void>();
    const tell = (paused: boolean): void => listeners.forEach((listener) => listener(paused));
    const ask = async (): Promise<object> => {
      tell(true);
      await new Promise((resolve) => setImmediate(resolve));
      clock.skip(40_000);
      tell(false);
      return { answer: "yes" };
    };
    const caller = fakeCaller([{ name: "ask", run: ask }], {
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const events: string[] = [];
    const outcome = await runner.run({
      code: "return (await tools.ask({})).answer",
      caller,
      limits: { timeoutMs: 30_000 },
      onEvent: (event) => events.push(event.type),
    });
    expect(outcome).toMatchObject({ ok: true, value: "yes" });
    expect(outcome.stats.pausedMs).toBeGreaterThanOrEqual(40_000);
    expect(events).toContain("pause");
    expect(events).toContain("resume");
    expect(listeners.size).toBe(0);
  });

  test.each([
    ["200,000 open brackets", "[".repeat(200_000)],
    ["a million terms", `return ${"1+".repeat(400_000)}1`],
    [
      "a regular expression that explodes",
      `return /${"(a|".repeat(20_000)}b${")".repeat(20_000)}/.test("x")`,
    ],
    ["deeply nested functions", `${"(() => ".repeat(5_000)}1${")".repeat(5_000)}`],
    ["types that are nested deeply", `const x: ${"Array<".repeat(20_000)}number${">".repeat(20_000)} = 1`],
  ])("hostile 27: compiling %s is refused, and the host answers meanwhile", async (_name, code) => {
    const before = process.threadCpuUsage();
    const outcome = await patient.run(code);
    const { user, system } = process.threadCpuUsage(before);
    // What this thread has worked, however long it waited: far below what reading such a source in it would take.
    expect((user + system) / 1_000).toBeLessThan(1_500);
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "script", name: "RangeError", message: expect.stringContaining("nested too deeply") },
      calls: [],
    });
    await alive(patient);
  });

  test("hostile 27: a source over the limit is refused before anything reads it", async () => {
    expect(await run(`/*${"x".repeat(1_000_001)}*/ return 1`)).toMatchObject({
      ok: false,
      error: { kind: "limit" },
    });
    expect(await run("return 1", { limits: { maxSourceChars: 3 } })).toMatchObject({
      ok: false,
      error: { kind: "limit" },
    });
  });

  test("hostile 28: WeakRef and FinalizationRegistry stay, and a callback cannot outlive the script", async () => {
    const outcome = await run(`
      const registry = new FinalizationRegistry(() => { while (true) {} });
      for (let i = 0; i < 2000; i++) registry.register({ i: new Array(1000).fill(i) }, i);
      return typeof new WeakRef({}).deref;
    `);
    expect(outcome).toMatchObject({ ok: true, value: "function" });
    await alive();
  });

  test("hostile 29: timers are bounded, cleared at the end, and take functions only", async () => {
    const outcome = await run(
      "setInterval(() => text('late'), 0); setTimeout(() => { tools.noop({}) }, 1); return 'done'",
    );
    expect(outcome).toMatchObject({ ok: true, value: "done", output: [], calls: [] });
    expect(
      await run("for (let i = 0; i < 1e6; i++) setTimeout(() => {}, 1000)", {
        limits: { maxTimers: 1_000 },
      }),
    ).toMatchObject({
      ok: false,
      error: { name: "RangeError", message: expect.stringContaining("timers") },
    });
    expect(await run("setTimeout('globalThis.x = 1')")).toMatchObject({
      ok: false,
      error: { name: "TypeError" },
    });
    expect(
      await value(`
        const seen = [];
        await new Promise((resolve) => {
          setTimeout(() => seen.push("far"), 2 ** 31);
          setTimeout(() => seen.push("negative"), -5);
          setTimeout(() => seen.push("nan"), NaN);
          setTimeout(() => seen.push("object"), { valueOf() { return 2 } });
          setTimeout(resolve, 30);
        });
        return seen;
      `),
    ).toEqual(["negative", "nan", "object"]);
  });

  test("hostile 29: timers that renew themselves starve no call", async () => {
    expect(
      await value(
        `
        let stop = false;
        const again = () => { if (!stop) setTimeout(again, 0) };
        again(); again();
        const r = await tools.wait({});
        stop = true;
        return r.done;
      `,
        {
          tools: [
            {
              name: "wait",
              run: () => new Promise((resolve) => setTimeout(() => resolve({ done: true }), 100)),
            },
          ],
        },
      ),
    ).toBe(true);
  });

  test("an abort ends a loop, a wait and a script that has not begun", async () => {
    const abort = async (code: string): Promise<unknown> => {
      const controller = new AbortController();
      // The output is a sign that the script is there.
      const onEvent = ({ type }: ScriptEvent): void => {
        if (type === "output") setImmediate(() => controller.abort());
      };
      return await run(`text("here"); ${code}`, { signal: controller.signal, onEvent });
    };
    expect(await abort("while (true) {}")).toMatchObject({ ok: false, error: { kind: "aborted" } });
    expect(await abort("await new Promise((r) => setTimeout(r, 60000))")).toMatchObject({
      ok: false,
      error: { kind: "aborted" },
    });
    expect(await run("return 1", { signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
      error: { kind: "aborted" },
    });
    await alive();
  });
});
