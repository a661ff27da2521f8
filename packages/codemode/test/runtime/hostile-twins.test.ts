import { describe, expect, test } from "vitest";
import { errorOf, harness } from "./harness.ts";

const { run, value, lastCaller } = harness();

const odd = "new Proxy([], { get: (_, key) => key === 'length' ? 'abc' : 0 })";

describe("twins of the hostile cases", () => {
  test("hostile 33: a length that is no number switches no limit off", async () => {
    const limits = { maxValueChars: 10_000 };
    const text = '"x".repeat(100_000)';
    for (const code of [`return [${odd}, ${text}]`, `await tools.echo({ i: [${odd}, ${text}] })`]) {
      expect(errorOf(await run(code, { limits }))).toMatchObject({
        name: "RangeError",
        message: expect.stringContaining("larger than the limit of 10000"),
      });
    }
    expect(await value(`return ${odd}`)).toEqual([]);
    expect(lastCaller().made).toEqual([]);
  });

  test("hostile 33: a string alone is held to the limit of a value as well", async () => {
    const limits = { maxValueChars: 10_000 };
    for (const code of ['return "x".repeat(10_001)', 'await tools.echo("x".repeat(10_001))']) {
      expect(errorOf(await run(code, { limits })).message).toContain("larger than the limit of 10000");
    }
    expect(await value('return "x".repeat(10_000).length', { limits })).toBe(10_000);
  });

  test("hostile 37: whatever becomes {} is warned about", async () => {
    for (const code of [
      "new Map([[1, 2]]).keys()",
      "(function* () { yield 1 })()",
      "Object.create({ a: 1 })",
    ]) {
      const outcome = await run(`return ${code}`);
      expect(outcome).toMatchObject({ ok: true, value: {} });
      expect(outcome.warnings[0]?.message).toBe(
        "the returned value has nothing that JSON can carry: it became {}",
      );
    }
  });

  test("hostile 37: a BigInt that the script taught to be JSON is what it says", async () => {
    const teach = "BigInt.prototype.toJSON = function () { return String(this) };";
    expect(await value(`${teach} return { a: [10n] }`)).toEqual({ a: ["10"] });
    expect(errorOf(await run(`BigInt.prototype.toJSON = () => 5n; return { a: 1n }`)).name).toBe("TypeError");
  });

  test("S13: no text that looks like a frame moves the line of an error", async () => {
    const evil = {
      name: "evil",
      run: () => {
        throw new Error("boom\n    at f (codemode.js:3:5)");
      },
    };
    const outcome = await run("\nawait tools.evil({});\n\n", { tools: [evil] });
    expect(errorOf(outcome)).toMatchObject({ line: 2, message: "boom\n    at f (codemode.js:3:5)" });
    const wrapped =
      'let inner; try { null.x } catch (e) { inner = e }\n\nthrow new Error("wrapped: " + inner.stack);';
    expect(errorOf(await run(wrapped)).line).toBe(3);
    const named = 'const o = { ["codemode.js:2:1"]() { throw new Error("n") } };\n\no["codemode.js:2:1"]();';
    expect(errorOf(await run(named)).line).toBe(1);
    const call =
      'const o = { ["codemode.js:2:1"]() { return tools.fail({}) } };\n\nawait o["codemode.js:2:1"]();';
    const failed = await run(call);
    expect([errorOf(failed).line, failed.calls[0]?.line]).toEqual([1, 1]);
    const evaluated = '\neval("\\n\\n\\n\\n\\n\\nthrow new Error(1)\\n//# sourceURL=codemode.js")';
    expect(errorOf(await run(evaluated)).line).toBe(2);
  });

  test("an error of the older kind keeps its name", async () => {
    const outcome = await run(
      "function Mine(m) { this.name = 'Mine'; this.message = m } Mine.prototype = Object.create(Error.prototype); throw new Mine('legacy')",
    );
    expect(errorOf(outcome)).toMatchObject({ kind: "script", name: "Mine", message: "legacy" });
  });

  test("hostile 44: a denial is remembered whatever order the members of the arguments come in", async () => {
    const decision = { effect: "deny", rule: "r", layer: "user" } as const;
    const code = `
      const names = [];
      for (const args of [{ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }]) {
        try { await tools.secret(args) } catch (error) { names.push(error.name) }
      }
      return names;
    `;
    expect(await value(code, { tools: [{ name: "secret", deny: decision }] })).toEqual([
      "PolicyError",
      "PolicyError",
    ]);
    expect(lastCaller().made).toHaveLength(1);
  });

  test("hostile 43: a rejection with an object is told in words of this project", async () => {
    const outcome = await run("Promise.reject({ code: 7 }); return 1");
    expect(outcome).toMatchObject({ ok: true, value: 1 });
    expect(outcome.warnings.map(({ message }) => message)).toEqual([
      "A promise was rejected with an object that is no Error, and nobody handled it",
    ]);
  });

  test("hostile 3: what the engine keeps of the last match is the script's own, whatever the bridge does", async () => {
    const code = `
      /(x)(y)?/.exec("xy"); await tools.noop({}); text("t"); console.log({ a: [1] }); store("k", { b: 1 }); load("k");
      try { await tools.fail({}) } catch (error) { String(error.stack) }
      await ctx.executeTool("noop", {}); await ctx.executeTool("none", {});
      return [RegExp.$1, RegExp.$2, RegExp.input]`;
    expect(await value(code)).toEqual(["x", "y", "xy"]);
  });

  test("hostile 3: the line of a call is read from its end, whatever the functions around it are called", async () => {
    const code = `const o = { async ["codemode.js:77:1)"]() {
        return await tools.noop({ i: 1 });
      }, async ["codemode.js:0:1"]() { return await tools.noop({ i: 2 }) } };
      await o["codemode.js:77:1)"](); await o["codemode.js:0:1"](); return 1`;
    const outcome = await run(code);
    expect(outcome).toMatchObject({ ok: true, calls: [{ line: 2 }, { line: 3 }] });
  });

  test("hostile 21: calls made at the very end of the stack are all answered or all refused", async () => {
    const outcome = await run(
      `
      const made = []; let refused = 0;
      function dive(n) { try { dive(n + 1) } catch {} if (made.length < 500) try { made.push(tools.noop({ i: n })) } catch { refused++ } }
      dive(0);
      const ended = await Promise.allSettled(made);
      return [ended.length, (await tools.noop({ i: 9 })).i];
    `,
      { limits: { timeoutMs: 30_000 } },
    );
    expect(outcome).toMatchObject({ ok: true, value: [500, 9] });
  });
});
