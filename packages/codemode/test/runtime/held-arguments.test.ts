import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ToolCaller } from "@nestbox/tool";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesOf, bytesOfJson } from "../../src/runner/value-bytes.ts";
import type { FakeTool } from "./fake-caller.ts";
import { harness } from "./harness.ts";

const { run, runner, lastCaller } = harness({ maxProcesses: 1 });

/** A tool whose calls all wait until `done` is called. */
function slow(): { readonly tools: readonly FakeTool[]; readonly done: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const tools: FakeTool[] = [
    { name: "slow", run: () => promise.then(() => ({ ok: true })) },
    { name: "noop", run: () => ({}) },
    {
      name: "finish",
      run: () => {
        resolve();
        return {};
      },
    },
  ];
  return { tools, done: resolve };
}

const total = (bytes: ReturnType<typeof bytesOf>): number =>
  bytes === undefined ? Number.NaN : bytes.texts + bytes.structure;

// Megabytes are made, read and counted: on a busy machine that takes its time.
describe("what a script has its host keep", { timeout: 240_000 }, () => {
  test.each([
    ["long texts", "'x'.repeat(1e6)", 3, 3_500_000],
    ["many objects", "new Array(5e3).fill({})", 10, 3_500_000],
    ["many lists, in one short argument", "new Array(320).fill([])", 60, 1_000_000],
  ])(
    "hostile 33: arguments of calls that are running are bounded in sum, whether awaited or not: %s",
    async (_name, value, most, maxFrameBytes) => {
      const { tools } = slow();
      const code = `const value = ${value}; const errors = [];
        for (let i = 0; i < 90; i++) {
          tools.slow({ i, value }).catch((error) => errors.push(error));
          if (i % 3 === 0) await tools.noop();
        }
        await tools.noop();
        const refused = errors.length;
        await tools.finish();
        await tools.noop();
        await tools.slow({ i: 0, value });
        return { refused, name: errors[0].name, message: errors[0].message };`;
      const outcome = await run(code, { tools, limits: { maxFrameBytes } });
      expect(outcome).toMatchObject({
        ok: true,
        value: {
          name: "RangeError",
          message: expect.stringMatching(/slow was not called.*limit of \d+.*await/),
        },
      });
      const made = lastCaller().made.filter(({ name }) => name === "slow").length - 1;
      const { refused } = (outcome.ok ? outcome.value : undefined) as { readonly refused: number };
      expect(made).toBeGreaterThan(0);
      expect(made).toBeLessThanOrEqual(most);
      expect(made + refused).toBe(90);
      const errors = outcome.calls.filter(({ status }) => status === "error");
      expect(errors).toHaveLength(refused);
      expect(errors.every(({ began, id }) => !began && id === "")).toBe(true);
    },
  );

  test("hostile 33: so are those of a host's function, and of a call whose outcome is asked for", async () => {
    const { tools, done } = slow();
    const waits: Promise<unknown>[] = [];
    const code = `const value = "x".repeat(1e6);
      for (let i = 0; i < 3; i++) hold(value);
      await tools.noop();
      const outcome = await ctx.executeTool("slow", { value });
      let error; try { await hold(value) } catch (caught) { error = caught.name }
      await tools.finish();
      return [outcome.isError, outcome.result.content[0].text, error]`;
    const globals = [
      { name: "hold", execute: () => new Promise((resolve) => waits.push(Promise.resolve(resolve))) },
    ];
    const outcome = await run(code, { tools, globals, limits: { maxFrameBytes: 3_500_000 } });
    done();
    expect(outcome).toMatchObject({
      ok: true,
      value: [true, expect.stringContaining("slow was not called"), "RangeError"],
    });
    expect(waits).toHaveLength(3);
  });

  test("hostile 33, hostile 44: nothing stays of the arguments of a call that was denied, which is remembered all the same", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    let judged = 0;
    const decision = { effect: "deny", rule: "r", layer: "user" } as const;
    const caller: ToolCaller = {
      tools: [{ name: "denied", description: "", parameters: {} }],
      executeTool(name) {
        judged++;
        return Promise.resolve({
          toolCall: { type: "toolCall", id: `root/${judged}`, name, arguments: {} },
          result: { content: [{ type: "text", text: "no" }], details: {} },
          isError: true,
          decision,
        });
      },
    };
    collect();
    const before = process.memoryUsage().heapUsed;
    let during = 0;
    const code = `for (let round = 0; round < 2; round++)
        for (let i = 0; i < 30; i++) try { await tools.denied({ i, s: "x".repeat(4e6) + i }) } catch {}
      await look()`;
    const execute = (): void => {
      collect();
      during = process.memoryUsage().heapUsed - before;
    };
    const outcome = await runner.run({ code, caller, globals: [{ name: "look", execute }] });
    expect(outcome.ok).toBe(true);
    expect(judged).toBe(30);
    expect(outcome.calls).toHaveLength(60);
    expect(during).toBeLessThan(60e6);
  });

  test("hostile 45: keys that a script removes count like those that it writes", async () => {
    const code = (chars: number): string => `store("k".repeat(${chars}), undefined); return 1`;
    expect(await run(code(1_048_576))).toMatchObject({ ok: true });
    expect(await run(code(1_048_577))).toMatchObject({ ok: false, error: { kind: "limit" } });
  });

  test("a text is never taken for less than what it becomes", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.boolean(), (value, spaced) => {
        const text = JSON.stringify(value, undefined, spaced ? 2 : 0);
        expect(bytesOfJson(text)).toBeGreaterThanOrEqual(total(bytesOf(JSON.parse(text), 100)));
      }),
    );
    const braces = JSON.stringify({ a: '{"[,'.repeat(1_000) });
    expect(bytesOfJson(braces)).toBeLessThan(braces.length + 200);
    for (const text of ['"', '"\\', '"\\"', "{", '"a"b"', ""])
      expect(bytesOfJson(text)).toBeGreaterThanOrEqual(0);
  });
});
