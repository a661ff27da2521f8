import { describe, expect, test } from "vitest";
import { makeFrames } from "../../src/sandbox/prelude/frames.ts";
import { primordials } from "../../src/sandbox/prelude/primordials.ts";
import { harness } from "./harness.ts";

const { run, value, runner } = harness();

describe("a script", () => {
  test("returns its value and calls tools", async () => {
    expect(await value("return 1 + 1")).toBe(2);
    expect(await value("return await tools.noop({ i: 3 })")).toEqual({ i: 3 });
    expect(
      await value(
        "const r = await ctx.executeTool('noop', { i: 4 }); return [r.toolCall.name, r.result.structuredContent, r.isError]",
      ),
    ).toEqual(["noop", { i: 4 }, false]);
  });

  test("puts out text and console lines in order, and keeps them when it fails", async () => {
    const outcome = await run('text("a"); console.log("b", { c: 1 });\nthrow new Error("boom")');
    expect(outcome.output).toEqual([
      { type: "text", text: "a" },
      { type: "console", text: 'b {"c":1}' },
    ]);
    // contract R9, S13
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "script", name: "Error", message: "boom", line: 2, lineText: 'throw new Error("boom")' },
    });
  });

  test.each([
    ["const x = 1; null.foo", 1, 19],
    ["const x = 1;\nnull.foo", 2, 6],
    ["const x = 1; (() => { throw new Error('boom') })()", 1, 29],
    ["const fail = () => { throw new Error('boom') }; fail()", 1, 28],
    ["return null.foo", 1, 13],
  ])(
    "tells the script's own column, also where a word stands in front of its result: %s",
    async (code, line, column) => {
      expect(await run(code)).toMatchObject({ ok: false, error: { line, column } });
    },
  );

  test("is not kept from its answers by a stack that cannot be made, as under a name of half a gigabyte", () => {
    const { frames, lineOf } = makeFrames(primordials());
    const error = Object.defineProperty(new Error("x"), "stack", {
      get() {
        throw new RangeError("Invalid string length");
      },
    });
    expect([frames(error), lineOf(error)]).toEqual(["", "0"]);
  });

  test.each([
    "'use asm'; return 1",
    "'use asm';\nfunction f() { return 1 } return f()",
    "function M() { 'use asm'; function f() { return 1 } return f } return M()()",
    "function M() { 'use asm'; function f() { return 1 | 0 } return { f: f } } return M().f()",
  ])("hostile 7: nothing that the engine prints gets among the frames: %s", async (code) => {
    expect(await value(code)).toBe(1);
  });

  test("is a SyntaxError with its own line when it cannot be read", async () => {
    const outcome = await run("const a = 1;\nconst b = ;");
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "script", name: "SyntaxError", line: 2, lineText: "const b = ;" },
    });
  });

  test("stores and loads; writes of a failed script do not leave it", async () => {
    const outcome = await run(
      'store("a", 1); store("b", undefined); return [load("a"), load("b"), load("c")]',
      {
        store: { b: "2", c: '{"d":3}' },
      },
    );
    expect(outcome).toMatchObject({
      ok: true,
      value: [1, null, { d: 3 }],
      storeWrites: { set: { a: "1" }, delete: ["b"] },
    });
    expect(await run('store("a", 1); throw new Error("x")')).not.toHaveProperty("storeWrites");
  });

  test("ends with its sandbox as a `sandbox` error, and the next one runs", async () => {
    const pids: number[] = [];
    const { execFileSync } = await import("node:child_process");
    const outcome = await run("await tools.kill(); return 1", {
      tools: [
        {
          name: "kill",
          run: () => {
            const children = execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)])
              .toString()
              .split("\n");
            for (const line of children) {
              if (line.includes("sandbox/main")) pids.push(Number.parseInt(line, 10));
            }
            for (const pid of pids) process.kill(pid, "SIGKILL");
            return new Promise(() => undefined);
          },
        },
      ],
    });
    expect(pids.length).toBeGreaterThan(0);
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "sandbox" },
      calls: [{ name: "kill", status: "cancelled" }],
    });
    expect(await value("return 'next'")).toBe("next");
  });

  test("does not start on a closed runner", async () => {
    const { createRunner } = await import("../../src/node/index.ts");
    const other = createRunner();
    await other.close();
    await expect(
      other.run({
        code: "return 1",
        caller: { tools: [], executeTool: () => Promise.reject(new Error("no")) },
      }),
    ).rejects.toMatchObject({
      code: "closed",
    });
    void runner;
  });
});
