import { describe, expect, test } from "vitest";
import { errorOf, harness } from "./harness.ts";

// So much time that memory is what ends them, on a slow machine as well.
const limits = { cpuMs: 30_000, memoryMb: 64 };
const { run, value, lastCaller } = harness({ limits, graceMs: 300 });
const alive = async (): Promise<void> => expect(await value("return (await tools.noop({ i: 1 })).i")).toBe(1);

describe("memory and size", () => {
  // contract R1, S23, S24
  test.each([
    ["a heap of numbers", "const a = []; while (true) a.push(new Array(1e5).fill(1.5))"],
    ["a spread of a long string", 'return [...".".repeat(2e8)].length'],
    [
      "filled byte arrays",
      "const a = []; for (let i = 0; i < 200; i++) a.push(new Uint8Array(64 * 2 ** 20).fill(1)); return a.length",
    ],
    [
      "resizable buffers that grow",
      "const a = []; for (let i = 0; i < 20; i++) { const b = new ArrayBuffer(8, { maxByteLength: 2 ** 32 }); b.resize(2 ** 29); new Uint8Array(b).fill(1); a.push(b) } return a.length",
    ],
    [
      "strings of strings",
      'const a = []; for (let i = 0; ; i++) { const s = "x".repeat(2 ** 24) + i; a.push(s.split("").join("y")) }',
    ],
    ["a split", 'const a = []; while (true) a.push(("ab" + a.length).repeat(2 ** 22).split(""))'],
    ["a map without end", "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })"],
    ["un-awaited calls", "for (let i = 0; ; i++) tools.echo({ i, s: 'x'.repeat(1000) })"],
    ["un-awaited promises", "for (let i = 0; ; i++) Promise.resolve(new Array(100).fill(i)).then((x) => x)"],
    ["array literals in JSON", "const a = JSON.parse('[' + '[],'.repeat(5e7) + '0]'); return a.length"],
    [
      "typed array copies",
      "let a = new Float64Array(2 ** 20).fill(1); const keep = []; while (true) keep.push(a.slice())",
    ],
    [
      "text encoding",
      "const keep = []; while (true) keep.push(new TextEncoder().encode('x'.repeat(2 ** 24)))",
    ],
  ])("hostile 31: %s ends with one typed error, which says memory", async (_name, code) => {
    const outcome = await run(`text("partial");\n${code}`);
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "memory", name: "MemoryLimitError", message: expect.stringContaining("64 MB") },
    });
    expect(outcome.output).toEqual([{ type: "text", text: "partial" }]);
    await alive();
  });

  test("hostile 31: a buffer that does not fit is an error that the script may catch, and only then goes on", async () => {
    const fill = "const a = []; for (let i = 0; i < 200; i++) a.push(new Uint8Array(64 * 2 ** 20).fill(1));";
    expect(await value(`try { ${fill} } catch (error) { return error.name }`)).toBe("RangeError");
    expect(await run(`const x = 1;\n${fill}`)).toMatchObject({
      ok: false,
      error: { kind: "memory", line: 2 },
    });
  });

  // Work that grows without end and copies that can be collected: time or memory, whichever is over first.
  test("hostile 31: structuredClone of what doubles ends with one typed error", async () => {
    const code = "let a = [1]; for (let i = 0; i < 60; i++) a = structuredClone([a, a, structuredClone(a)])";
    const outcome = await run(code, { limits: { cpuMs: 2_000 } });
    expect(["memory", "timeout"]).toContain(errorOf(outcome).kind);
    await alive();
  });

  test("hostile 31: memory that no limit sees is absent", async () => {
    expect(await value("return [typeof WebAssembly, typeof SharedArrayBuffer, typeof Atomics]")).toEqual([
      "undefined",
      "undefined",
      "undefined",
    ]);
  });

  test("hostile 33: output over its limit fails the script and keeps what came before (contract D)", async () => {
    const outcome = await run(
      'text("first"); try { text("x".repeat(101)) } catch {} text("after"); return 1',
      { limits: { maxOutputChars: 100 } },
    );
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "limit", name: "RangeError", message: expect.stringContaining("100 characters") },
    });
    expect(outcome.output).toEqual([{ type: "text", text: "first" }]);
    const items = await run("for (let i = 0; i < 1e6; i++) console.log('')", {
      limits: { maxOutputItems: 1000 },
    });
    expect(items).toMatchObject({ ok: false, error: { kind: "limit" } });
    expect(items.output).toHaveLength(1000);
    expect(
      await run("for (let i = 0; i < 1e6; i++) console.log('')", { limits: { maxLogLines: 10 } }),
    ).toMatchObject({
      ok: false,
      error: { kind: "limit" },
    });
  });

  test("hostile 33: 100,000 lines pass, one more does not", async () => {
    const outcome = await run("for (let i = 0; i < 100000; i++) console.log(i); text('over')");
    expect(outcome).toMatchObject({ ok: false, error: { kind: "limit" } });
    expect(outcome.output).toHaveLength(100_000);
  });

  test("hostile 33: a huge argument, result or store value is an error that says the size", async () => {
    const small = { ...limits, maxValueChars: 1_000_000 };
    expect(await run('return "x".repeat(2e6).split("")', { limits: small })).toMatchObject({
      ok: false,
      error: { name: "RangeError", message: expect.stringContaining("1000000") },
    });
    const big =
      'try { await tools.echo({ a: "x".repeat(2e6) }); return "ran" } catch (error) { return error.name }';
    expect(await value(big, { limits: small })).toBe("RangeError");
    expect(lastCaller().made).toEqual([]);
    expect(await run('store("x", "y".repeat(300000))')).toMatchObject({
      ok: false,
      error: { name: "RangeError" },
    });
  });

  test("hostile 33: 20 MB come back whole (S25)", async () => {
    const outcome = await run('return "x".repeat(20e6)', { limits: { memoryMb: 256 } });
    expect(outcome.ok && typeof outcome.value === "string" ? outcome.value.length : outcome).toBe(20e6);
  });

  test("hostile 35: deep structures are refused by depth, on the way out, in and when thrown", async () => {
    const deep = "let a = []; for (let i = 0; i < 1e6; i++) a = [a];";
    expect(await run(`${deep} return a`)).toMatchObject({
      ok: false,
      error: { name: "RangeError", message: expect.stringContaining("512") },
    });
    expect(await value(`${deep} try { await tools.echo({ a }) } catch (error) { return error.name }`)).toBe(
      "RangeError",
    );
    expect(await run(`${deep} throw a`)).toMatchObject({ ok: false, error: { kind: "script" } });
    expect(await run(`${deep} console.log(a); store("a", 1)`)).toMatchObject({ ok: true });
    expect(
      await value(
        "let a = 1; for (let i = 0; i < 500; i++) a = [a]; return (await tools.echo({ a })).a.length",
      ),
    ).toBe(1);
    await alive();
  });

  test("hostile 35: a deep result of a tool reaches the script", async () => {
    let deep: unknown = 1;
    for (let i = 0; i < 400; i++) deep = [deep];
    expect(
      await value(
        "let a = (await tools.deep({})).deep; let n = 0; while (Array.isArray(a)) { a = a[0]; n++ } return n",
        {
          tools: [{ name: "deep", run: () => ({ deep }) }],
        },
      ),
    ).toBe(400);
  });

  test("hostile 37: a shared reference that doubles 40 times ends with one typed error", async () => {
    const outcome = await run("let a = ['x']; for (let i = 0; i < 40; i++) a = [a, a]; return a", {
      limits: { cpuMs: 4_000 },
    });
    expect(["script", "timeout", "memory"]).toContain(errorOf(outcome).kind);
    await alive();
  });

  test("hostile 37: a sparse array of four billion is stopped by size", async () => {
    const outcome = await run("const a = []; a[2 ** 32 - 2] = 1; return a");
    expect(outcome).toMatchObject({ ok: false, error: { name: "RangeError" } });
    await alive();
  });

  test("hostile 33: calls are counted, and more than the limit fail (S26)", async () => {
    const outcome = await run(
      "const all = []; for (let i = 0; i < 300; i++) all.push(tools.noop({ i })); await Promise.all(all)",
      {
        limits: { maxCalls: 200 },
      },
    );
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "limit", message: expect.stringContaining("200 calls") },
    });
  });

  test("hostile 33: 20,000 un-awaited calls run, never more than the limit at once (S26)", async () => {
    let open = 0;
    let most = 0;
    const result = await value(
      "const all = []; for (let i = 0; i < 20000; i++) all.push(tools.slow({ i })); return (await Promise.all(all)).reduce((sum, r) => sum + r.i, 0)",
      {
        limits: { maxCallsInFlight: 100, cpuMs: 30_000 },
        tools: [
          {
            name: "slow",
            run: async ({ i }) => {
              most = Math.max(most, ++open);
              await Promise.resolve();
              open--;
              return { i };
            },
          },
        ],
      },
    );
    expect(result).toBe((20_000 * 19_999) / 2);
    expect(most).toBeLessThanOrEqual(100);
    expect(most).toBeGreaterThan(1);
  });
});
