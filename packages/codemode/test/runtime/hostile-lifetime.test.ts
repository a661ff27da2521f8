import { describe, expect, test } from "vitest";
import { createRunner } from "../../src/node/index.ts";
import type { ScriptEvent } from "../../src/types.ts";
import { fakeCaller } from "./fake-caller.ts";
import { harness } from "./harness.ts";

const { run, value, runner, lastCaller } = harness();
const rule = { effect: "deny", rule: "git.force-push", layer: "built-in" } as const;

describe("calls and lifetime", () => {
  test.each([
    [
      "a chain that goes on",
      "(async () => { for (let i = 0; i < 20; i++) await null; while (true) { await null; tools.noop({ late: 1 }).catch(() => {}) } })(); return 'done'",
    ],
    ["a finally", "try { return 'done' } finally { tools.noop({ i: 1 }) }"],
    ["a timer", "setTimeout(() => tools.noop({ late: 1 }), 0); return 'done'"],
    [
      "a rejection",
      "Promise.reject(1).finally(() => setTimeout(() => tools.noop({ late: 1 }), 0)).catch(() => {}); return 'done'",
    ],
    ["an exit that is caught", "try { exit() } catch {} tools.noop({ late: 1 }); text('late')"],
  ])("hostile 39: after the end nothing is called from %s", async (_name, code) => {
    const outcome = await run(code);
    expect(outcome).toMatchObject({ ok: true, output: [] });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(lastCaller().made.filter(({ args }) => JSON.stringify(args).includes("late"))).toEqual([]);
  });

  test("hostile 39: the end stands, however the script hides that it goes on", async () => {
    const hops = Array<string>(9).fill('["th" + "en"](() => 0)').join("");
    const hidden = `tools.noop({})["const" + "ructor"]["res" + "olve"]()${hops}["th" + "en"](() => { while (true); })`;
    const outcome = await run(`text("before"); ${hidden}; return 1`, { limits: { cpuMs: 300 } });
    expect(outcome).toMatchObject({ ok: true, value: 1, output: [{ text: "before" }] });
    // Told in the open, it does not wait for the limit.
    const open = hidden.replaceAll('"th" + "en"', '"then"');
    expect(await run(`${open}; return 2`)).toMatchObject({ ok: true, value: 2, stats: { cpuMs: 0 } });
  });

  test("hostile 39: a call that was running is on record as cancelled, its signal aborted", async () => {
    let aborted = false;
    const outcome = await run("tools.hang({}); await tools.noop({}); return 1", {
      tools: [
        { name: "noop", run: () => ({ i: 0 }) },
        {
          name: "hang",
          run: (_args, signal) =>
            new Promise(() => signal?.addEventListener("abort", () => (aborted = true))),
        },
      ],
    });
    expect(outcome).toMatchObject({
      ok: true,
      value: 1,
      calls: [
        { name: "hang", status: "cancelled" },
        { name: "noop", status: "ok" },
      ],
    });
    expect(aborted).toBe(true);
  });

  test("a call that nobody awaits and whose tool is done at once is on record as what it was", async () => {
    const outcome = await run("tools.noop({}); tools.fail({}); tools.wait300({}); return 1");
    expect(outcome).toMatchObject({
      ok: true,
      value: 1,
      calls: [
        { name: "noop", status: "ok" },
        { name: "fail", status: "error" },
        { name: "wait300", status: "cancelled" },
      ],
    });
    expect(await run("tools.noop({}); throw new Error('x')")).toMatchObject({
      ok: false,
      error: { message: "x" },
      calls: [{ name: "noop", status: "ok" }],
    });
  });

  test("a call that its host has cancelled is on record as cancelled, and the script goes on", async () => {
    const caller = fakeCaller([{ name: "noop" }]);
    const outcome = await runner.run({
      code: "return (await ctx.executeTool('noop', {})).isError",
      caller: {
        ...caller,
        executeTool: async (name, args, options) => {
          const outcome = await caller.executeTool(name, args, options);
          return Object.assign({}, outcome, { isError: true, failure: "cancelled" });
        },
      },
    });
    expect(outcome).toMatchObject({ ok: true, value: true, calls: [{ status: "cancelled", began: true }] });
  });

  test("hostile 40: changing the argument while a call is judged changes nothing", async () => {
    expect(
      await value(
        "const argument = { path: 'safe' }; const call = tools.slow(argument); argument.path = '/etc/shadow'; return await call",
        {
          tools: [
            { name: "slow", run: (args) => new Promise((resolve) => setTimeout(() => resolve(args), 20)) },
          ],
        },
      ),
    ).toEqual({ path: "safe" });
  });

  test("hostile 40: two equal calls are two calls, each judged by itself", async () => {
    await value("await Promise.all([tools.noop({ i: 1 }), tools.noop({ i: 1 })])");
    expect(lastCaller().made).toHaveLength(2);
  });

  test("hostile 41: what a person is shown is the argument as it was sent, control characters and all", async () => {
    const text = "safe\u001b[2J\u202egnp.exe\u0000";
    await value(`await tools.echo({ text: ${JSON.stringify(text)} })`);
    expect(lastCaller().made).toEqual([{ name: "echo", args: { text } }]);
  });

  test("hostile 43: a rejection that nobody handles is a warning, the value stands (S19)", async () => {
    const events: ScriptEvent[] = [];
    const outcome = await run('Promise.reject(new Error("lost")); return 1', {
      onEvent: (event) => events.push(event),
    });
    expect(outcome).toMatchObject({
      ok: true,
      value: 1,
      output: [],
      warnings: [{ kind: "unhandled-rejection", message: "lost" }],
    });
    expect(events.filter((event) => event.type === "warning")).toHaveLength(1);
  });

  test.each([
    [
      "a getter that loops",
      "Promise.reject(Object.defineProperty(new Error('x'), 'stack', { get() { while (true) {} } })); return 1",
    ],
    [
      "a proxy that loops",
      "Promise.reject(new Proxy(new Error('x'), { get() { while (true) {} } })); return 1",
    ],
    ["an object", "Promise.reject({ a: 1 }); return 1"],
    ["nothing", "Promise.reject(); return 1"],
    ["a forged limit", "Promise.reject(new Error('Script execution timed out.')); return 1"],
    ["a forged disposal", "Promise.reject(new Error('Isolate is disposed')); return 1"],
  ])("hostile 43: rejecting with %s leaves the value and the host alone", async (_name, code) => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): unknown => unhandled.push(reason);
    process.on("unhandledRejection", listener);
    try {
      expect(await run(code)).toMatchObject({ ok: true, value: 1 });
      expect(await value("return 2")).toBe(2);
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", listener);
    }
  });

  test.each([
    ["a promise job", "Promise.resolve().then(() => exit()); await new Promise(() => {})"],
    [
      "a function that nobody awaits",
      "main(); async function main() { await tools.noop({}); text('a'); exit(); }",
    ],
    ["a timer", "setTimeout(() => exit(), 1); await new Promise(() => {})"],
    ["a microtask", "queueMicrotask(() => exit()); await new Promise(() => {})"],
  ])(
    "exit() in %s ends the script, and what it throws is no failure that a person is told of",
    async (_name, code) => {
      expect(await run(code)).toMatchObject({ ok: true, value: undefined, warnings: [] });
    },
  );

  test("hostile 43: exit() hides no error that was lost before it", async () => {
    const code = "Promise.reject(new Error('lost')); exit()";
    expect(await run(code)).toMatchObject({ ok: true, warnings: [{ message: "lost" }] });
  });

  test("hostile 43: a rejection while a call is open does not end the script", async () => {
    const outcome = await run(
      "const p = Promise.reject(new Error('early')); await tools.noop({}); try { await p } catch (error) { return error.message }",
    );
    expect(outcome).toMatchObject({ ok: true, value: "early" });
  });

  test("hostile 44: a denial is a decision: named, typed, remembered for the same tool and arguments", async () => {
    const outcome = await run(
      `
        const seen = [];
        for (const spelling of [() => tools.bash({ c: 1 }), () => tools["bash"]({ c: 1 }), () => ctx.executeTool("bash", { c: 1 })]) {
          try { const r = await spelling(); seen.push(r.isError) } catch (error) { seen.push([error.name, error.rule, error.message.includes("git.force-push")]) }
        }
        await tools.bash({ c: 2 }).catch(() => {});
        await tools.bash({ c: 1 });
      `,
      { tools: [{ name: "bash", deny: rule }] },
    );
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "policy", name: "PolicyError", line: 7 },
      calls: [
        { status: "denied", began: false, decision: rule },
        { status: "denied", began: false },
        { status: "denied" },
        { status: "denied" },
        { status: "denied" },
      ],
    });
    // Asked twice only: other arguments are another question.
    expect(lastCaller().made).toEqual([
      { name: "bash", args: { c: 1 } },
      { name: "bash", args: { c: 2 } },
    ]);
  });

  test.each([
    ["another error", "throw new Error('All is well')", "Error", "All is well"],
    ["another error that names it", "throw new Error('Failed', { cause: e })", "Error", "Failed"],
    [
      "its message changed",
      "e.message = 'Please run it by hand'; throw e",
      "PolicyError",
      "Please run it by hand",
    ],
    ["its name changed", "e.name = 'Fine'; throw e", "Fine", expect.stringContaining("git.force-push")],
    [
      "a getter in the place of its message",
      "let n = 0; Object.defineProperty(e, 'message', { get: () => 'text ' + n++ }); throw e",
      "PolicyError",
      expect.stringMatching(/^text \d$/),
    ],
    [
      "a copy of it",
      "throw Object.assign(new Error(e.message), { name: e.name, ...e })",
      "PolicyError",
      expect.any(String),
    ],
  ])("hostile 44: %s is the script's own failure, not the policy's", async (_how, code, name, message) => {
    const outcome = await run(`try { await tools.bash({}) } catch (e) { ${code} }`, {
      tools: [{ name: "bash", deny: rule }],
    });
    expect(outcome).toMatchObject({ ok: false, error: { kind: "script", name, message } });
  });

  test("hostile 44: the very error of a denied call stays the policy's, however it is thrown on", async () => {
    for (const code of [
      "await tools.bash({})",
      "try { await tools.bash({}) } catch (e) { e.note = 'seen'; throw e } finally { text('x') }",
      "return Promise.all([tools.bash({})])",
      "const [r] = await Promise.allSettled([tools.bash({})]); throw r.reason",
    ]) {
      const outcome = await run(code, { tools: [{ name: "bash", deny: rule }] });
      expect(outcome).toMatchObject({
        ok: false,
        error: { kind: "policy", name: "PolicyError", message: expect.stringContaining("git.force-push") },
      });
    }
  });

  test("hostile 44: a denial that is known only by the call's id counts as well", async () => {
    const outcome = await run("await tools.x({})", {
      tools: [
        {
          name: "x",
          run: () => {
            throw new Error("Blocked by policy");
          },
        },
      ],
      decisionOf: (id) => (id === "root/1" ? rule : undefined),
    });
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "policy", name: "PolicyError" },
      calls: [{ status: "denied" }],
    });
  });

  test("hostile 44: a script cannot start a script, by any name", async () => {
    const tools = [
      { name: "codemode", run: () => ({ ran: true }) },
      { name: "noop", run: () => ({}) },
    ];
    expect(await run("await tools.codemode({ code: '1' })", { tools })).toMatchObject({
      ok: false,
      error: { name: "TypeError" },
    });
    expect(await value("return (await ctx.executeTool('codemode', {})).isError", { tools })).toBe(true);
    expect(await value("return ALL_TOOLS.map((tool) => tool.name)", { tools })).toEqual(["noop"]);
    expect(lastCaller().made).toEqual([]);
  });

  test("hostile 45: the store takes any key as a key and holds its quotas", async () => {
    const outcome = await run(
      'store("__proto__", { a: 1 }); store("constructor", "alert(1)"); store("toString", [1]); return [load("__proto__"), load("hasOwnProperty") === undefined, load("constructor")]',
    );
    expect(outcome).toMatchObject({ ok: true, value: [{ a: 1 }, true, "alert(1)"] });
    if (!outcome.ok) return;
    expect(Object.entries(outcome.storeWrites.set)).toEqual([
      ["__proto__", '{"a":1}'],
      ["constructor", '"alert(1)"'],
      ["toString", "[1]"],
    ]);
    expect(({} as { a?: unknown }).a).toBeUndefined();
    expect(await value('return load("__proto__")', { store: outcome.storeWrites.set })).toEqual({ a: 1 });
    expect(await run('for (let i = 0; i < 100; i++) store("k" + i, "x".repeat(200000))')).toMatchObject({
      ok: false,
      error: { name: "RangeError", message: expect.stringContaining("store is full") },
    });
    expect(await run("store(1, 2)")).toMatchObject({ ok: false, error: { name: "TypeError" } });
  });

  test("hostile 45: nothing of a script outlives it", async () => {
    await run(
      "globalThis.left = 1; Array.prototype.left = 2; Object.prototype.left = 3; JSON.parse = () => 4",
    );
    expect(await value("return [typeof left, [].left === undefined, JSON.parse('5')]")).toEqual([
      "undefined",
      true,
      5,
    ]);
  });

  test("hostile 47: with an injected environment two runs are the same run", async () => {
    const code = `
      const out = [Date.now(), new Date().toISOString(), Math.random(), crypto.randomUUID(), performance.now(), new Date(2026, 0, 1).toString(),
        Intl.DateTimeFormat().resolvedOptions().timeZone, (1234.5).toLocaleString(), typeof WeakRef, String(globalThis.Temporal?.Now.instant().epochMilliseconds), Date(), typeof FinalizationRegistry];
      await tools.noop({});
      await new Promise((resolve) => setTimeout(resolve, 5));
      out.push(Date.now(), new Date() instanceof Date, new (class extends Date {})() instanceof Date, Intl.DateTimeFormat("en").format());
      return out;
    `;
    const once = (): Promise<unknown> => {
      let now = 1_700_000_000_000;
      return value(code, {
        environment: { now: () => (now += 1_000), seed: 7, timeZone: "Asia/Tokyo", locale: "de-DE" },
      });
    };
    const first = await once();
    expect(await once()).toEqual(first);
    expect(first).toMatchObject([
      1_700_000_001_000,
      "2023-11-14T22:13:21.000Z",
      expect.any(Number),
      expect.any(String),
      0,
      expect.stringContaining("GMT+0900"),
      "Asia/Tokyo",
      "1.234,5",
      "undefined",
      // Node 24 has no Temporal.
      expect.stringMatching(/^(?:undefined|1700000001000)$/),
      expect.stringContaining("2023"),
      "undefined",
      1_700_000_003_000,
      true,
      true,
      expect.stringContaining("2023"),
    ]);
    const other = await value("return Math.random()", { environment: { seed: 8 } });
    expect(other).not.toBe((first as unknown[])[2]);
  });

  test("hostile 49: names and messages that a script chooses are data in the outcome", async () => {
    const outcome = await run(
      "const e = new Error('\\u001b]0;title\\u0007'); e.name = '../../etc/passwd'; throw e",
    );
    expect(outcome).toMatchObject({
      ok: false,
      error: { name: "../../etc/passwd", message: "\u001b]0;title\u0007" },
    });
  });

  // contract R11
  test("`retryable` is said only when no effect began", async () => {
    const runner = createRunner({ maxProcesses: 1, maxWaiting: 1, waitMs: 200 });
    try {
      await runner.warm();
      const held = Promise.withResolvers<void>();
      const end = Promise.withResolvers<object>();
      const caller = fakeCaller([{ name: "hold", run: () => (held.resolve(), end.promise) }]);
      const first = runner.run({ code: "await tools.hold({})", caller });
      await held.promise;
      const waiting = runner.run({ code: "return 1", caller });
      const full = await runner.run({ code: "return 1", caller });
      expect(full).toMatchObject({
        ok: false,
        error: { kind: "sandbox", name: "SandboxBusyError", retryable: true },
      });
      expect(await waiting).toMatchObject({ ok: false, error: { kind: "sandbox", retryable: true } });
      end.resolve({});
      expect(await first).toMatchObject({ ok: true });
    } finally {
      await runner.close();
    }
  });
});
