import { describe, expect, test } from "vitest";
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
