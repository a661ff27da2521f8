import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatOutcome } from "../../src/output/format-outcome.ts";
import { createTempFiles } from "../../src/output/node/temp-files.ts";
import type { ScriptError, ScriptOutcome } from "../../src/types.ts";
import { harness } from "../runtime/harness.ts";
import type { FakeTool } from "../runtime/fake-caller.ts";

// The scripts that models and users really send, each with its right outcome: S1 to S36.
const scripts = harness();
const run = (...args: Parameters<typeof scripts.run>) => scripts.run(...args);
const value = (...args: Parameters<typeof scripts.value>) => scripts.value(...args);

function errorOf(outcome: ScriptOutcome): ScriptError {
  if (outcome.ok) throw new Error(`expected a failure, got ${JSON.stringify(outcome.value)}`);
  return outcome.error;
}

describe("TypeScript", () => {
  test("S1: a type annotation is taken off", async () => {
    expect(await value("const x: number = 1; return x")).toBe(1);
  });

  test("S2: interfaces, generics and casts run, and places stay", async () => {
    const head = "interface A { n: number }\nconst f = <U,>(u: U): U => u;\nconst a = { n: 2 } as A;\n";
    expect(await value(`${head}return f<number>(a.n)`)).toBe(2);
    const error = errorOf(await run(`${head}  throw new Error("here")`));
    expect(error).toMatchObject({ line: 4, column: 9, lineText: '  throw new Error("here")' });
  });

  test("S2, a twin: f<number>(x) alone is JavaScript", async () => {
    expect(await value("const f = 1, number = 0, x = 5; return f<number>(x)")).toBe(false);
  });

  test("S3: an enum is named together with the way out", async () => {
    const error = errorOf(await run("enum A { X = 1 }\nreturn A.X"));
    expect(error).toMatchObject({ kind: "script", name: "SyntaxError", line: 1 });
    expect(error.message).toMatch(/`enum` is not supported.*constant object/);
    expect(scripts.lastCaller().made).toEqual([]);
  });
});

describe("forms", () => {
  test.each([
    "```js\nreturn 1\n```",
    "```\nreturn 1\n```",
    "```typescript\nconst a: number = 1;\nreturn a\n```",
    "Here you are:\n\n```js\nreturn 1\n```\n\nIt returns one.",
    "Script:\n```javascript\nreturn 1\n```",
  ])("S4: fenced code runs: %j", async (code) => {
    expect(await value(code)).toBe(1);
  });

  test("S5: a trailing expression is the result", async () => {
    expect(await value("const a = 1;\na + 1")).toBe(2);
    expect(await value("await tools.noop({ i: 4 })")).toEqual({ i: 4 });
  });

  test("S5, its limits: not beside a top-level return, not when something was output", async () => {
    expect(await value("if (false) return 1;\n2")).toBeUndefined();
    expect(await value("text('a');\n2")).toBeUndefined();
    expect(await value("console.log('a');\n2")).toBeUndefined();
  });

  test("S6: text that closes the wrapper is a syntax error in its own line", async () => {
    const code = "return 1 })(); globalThis.__broke = 1; (async () => { return 2";
    expect(errorOf(await run(code))).toMatchObject({ name: "SyntaxError", line: 1, lineText: code });
    expect(await value("return typeof globalThis.__broke")).toBe("undefined");
  });
});

describe("values", () => {
  test("S7: a BigInt is refused with its place", async () => {
    expect(errorOf(await run("return 10n")).message).toMatch(/the returned value is a BigInt/);
    expect(errorOf(await run("return { a: [10n] }")).message).toMatch(
      /^a\[0\] of the returned value is a BigInt/,
    );
  });

  test("S8: the content of maps and sets arrives", async () => {
    expect(await value('return { m: new Map([["a", 1]]), s: new Set([1]) }')).toEqual({
      m: [["a", 1]],
      s: [1],
    });
  });

  test("S9: what JSON leaves out is left out, and a warning says so", async () => {
    const outcome = await run('return { a: undefined, b: [undefined], f() {}, s: Symbol("q") }');
    expect(outcome).toMatchObject({ ok: true, value: { b: [null] } });
    expect(outcome.warnings.map(({ kind, message }) => `${kind}: ${message}`).join("\n")).toMatch(
      /value: .*\bf\b/,
    );
  });

  test("S10: a cycle is refused with its place", async () => {
    const error = errorOf(await run("const a = { k: 1 }; a.self = a; return a"));
    expect(error).toMatchObject({ kind: "script", name: "TypeError" });
    expect(error.message).toMatch(/^self of the returned value/);
  });

  test("S11: an error has its name and message", async () => {
    expect(await value('return new RangeError("r")')).toMatchObject({ name: "RangeError", message: "r" });
  });

  test("S12: a date in arguments is its ISO text", async () => {
    expect(await value("const r = await tools.echo({ i: new Date(0) }); return r.i")).toBe(
      "1970-01-01T00:00:00.000Z",
    );
  });
});

describe("errors", () => {
  test("S13: an error has the script's line and no line of ours", async () => {
    const error = errorOf(await run('const a = 1;\nconst b = 2;\nthrow new Error("boom")'));
    expect(error).toMatchObject({ name: "Error", message: "boom", line: 3 });
    expect(error.stack).toBe("Error: boom\n    at codemode.js:3:7");
  });

  test("S14: a syntax error has its line, and the line is shown with a caret", async () => {
    const outcome = await run("const a = 1;\nconst b = ;");
    expect(errorOf(outcome)).toMatchObject({
      name: "SyntaxError",
      line: 2,
      column: 11,
      lineText: "const b = ;",
    });
    const { content } = await formatOutcome(outcome, { wallMs: 0, files: createTempFiles() });
    expect(JSON.stringify(content)).toContain(JSON.stringify("\n\nconst b = ;\n          ^\n").slice(1, -1));
  });

  test("S15: a thrown object reaches the model", async () => {
    const outcome = await run("throw { code: 7 }");
    expect(errorOf(outcome)).toMatchObject({ kind: "script", message: '{"code":7}' });
    const { content } = await formatOutcome(outcome, { wallMs: 0, files: createTempFiles() });
    expect(JSON.stringify(content)).toContain(String.raw`{\"code\":7}`);
  });

  test("S16: a tool's error keeps its name, code and data", async () => {
    const code = "try { await tools.fail({}) } catch (e) { return [e.name, e.message, e.code, e.data] }";
    expect(await value(code)).toEqual(["TypeError", "tool exploded", "E_TOOL", { status: 404 }]);
  });

  test("D24: outside of Pi an uncaught failure has the name that the tool gave it", async () => {
    const tools = [
      {
        name: "ticket",
        run: () => {
          throw Object.assign(new Error("No such ticket"), { name: "ToolError", code: "refused" });
        },
      },
    ];
    const outcome = await run("await tools.ticket({})", { tools });
    expect(errorOf(outcome)).toMatchObject({
      kind: "script",
      name: "ToolError",
      message: "No such ticket",
      stack: expect.stringMatching(/^ToolError: No such ticket\n/),
    });
  });

  test("S17: an unknown tool names what exists, the nearest first", async () => {
    const error = errorOf(await run("return await tools.nope({})"));
    expect(error.name).toBe("TypeError");
    expect(error.message).toMatch(/tools\.nope does not exist\. Did you mean tools\.noop\b/);
  });
});

describe("time", () => {
  test("S18: calls that are made at once run at once", async () => {
    // Each ends when all five have begun: one after the other, none ever would.
    let begun = 0;
    const five = Promise.withResolvers<object>();
    const wait = (): Promise<object> => {
      if (++begun === 5) five.resolve({ waited: true });
      return five.promise;
    };
    const code = "return await Promise.all(Array.from({ length: 5 }, () => tools.wait300({})))";
    expect(await value(code, { tools: [{ name: "wait300", run: wait }] })).toEqual(
      Array.from({ length: 5 }, () => ({ waited: true })),
    );
  });

  test("S19: an unhandled rejection is a warning and changes nothing else", async () => {
    const outcome = await run('Promise.reject(new Error("lost")); return 1');
    expect(outcome).toMatchObject({ ok: true, value: 1, output: [] });
    expect(outcome.warnings).toEqual([
      expect.objectContaining({ kind: "unhandled-rejection", message: expect.stringContaining("lost") }),
    ]);
  });

  test("S20: what nothing can settle fails at once and says so", async () => {
    const outcome = await run("await new Promise(() => {}); return 1");
    expect(errorOf(outcome).message).toMatch(/can never settle/);
    expect(outcome.stats.wallMs).toBeLessThan(10_000);
  });

  test("S21: an endless loop of awaits ends at the processor limit", async () => {
    expect(errorOf(await run("while (true) await null", { limits: { cpuMs: 300 } })).kind).toBe("timeout");
  });

  test("S22: so does a loop after an answered call", async () => {
    const outcome = await run("await tools.noop({}); while (true) {}", { limits: { cpuMs: 300 } });
    expect(errorOf(outcome).kind).toBe("timeout");
    expect(outcome.calls).toEqual([expect.objectContaining({ name: "noop", status: "ok" })]);
  });

  test("S35: timers work", async () => {
    expect(await value('await new Promise((r) => setTimeout(r, 20)); return "slept"')).toBe("slept");
  });
});

describe("memory and size", () => {
  test("S23: a script that fills its heap ends with a typed error, the next one is fine", async () => {
    const code = "const a = []; while (true) a.push(new Array(1e5).fill(1.5))";
    expect(errorOf(await run(code, { limits: { memoryMb: 64 } })).kind).toBe("memory");
    expect(await value("return 1")).toBe(1);
  });

  test("S24: so does one that fills buffers", async () => {
    const code =
      "const a = []; for (let i = 0; i < 200; i++) a.push(new Uint8Array(64 << 20).fill(i)); return a.length";
    expect(errorOf(await run(code, { limits: { memoryMb: 64 } }))).toMatchObject({
      kind: "memory",
      name: "MemoryLimitError",
    });
    expect(await value("return 1")).toBe(1);
  });

  test("S25: a large text is cut to the budget, and a file has all of it", async () => {
    const outcome = await run('return "x".repeat(20e6)');
    const folder = await mkdtemp(join(tmpdir(), "s25-"));
    try {
      const { content, fullOutputPath } = await formatOutcome(outcome, {
        wallMs: 0,
        files: createTempFiles({ folder }),
      });
      expect(JSON.stringify(content).length).toBeLessThan(41_000);
      expect(await readFile(fullOutputPath ?? "", "utf8")).toHaveLength(20e6);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("S26: twenty thousand calls at once are held back, and all are answered", async () => {
    let open = 0;
    let most = 0;
    const noop: FakeTool = {
      name: "noop",
      run: async ({ i }) => {
        open++;
        most = Math.max(most, open);
        await new Promise((resolve) => setImmediate(resolve));
        open--;
        return { i: i ?? 0 };
      },
    };
    const code = `const all = []; for (let i = 0; i < 20000; i++) all.push(tools.noop({ i }));
      return (await Promise.all(all)).reduce((sum, r) => sum + r.i, 0)`;
    expect(await value(code, { tools: [noop], limits: { maxCallsInFlight: 200 } })).toBe(199_990_000);
    expect(most).toBeLessThanOrEqual(200);
    const capped = await run(code, { tools: [noop], limits: { maxCalls: 1000 } });
    expect(errorOf(capped).kind).toBe("limit");
  });
});

describe("scripts that change the built-ins", () => {
  test("S27: replaced JSON functions change no call", async () => {
    const code = `JSON.stringify = () => '"forged"'; JSON.parse = () => ({ forged: true });
      return await tools.noop({ i: 3 })`;
    expect(await value(code)).toEqual({ i: 3 });
  });

  test("S28: a setter on Array.prototype sees nothing of ours", async () => {
    const code = `const seen = []; Object.defineProperty(Array.prototype, 0, { set(v) { seen.push(v) }, configurable: true });
      const r = await tools.noop({ i: 1 }); return { r, seen: seen.length }`;
    expect(await value(code)).toEqual({ r: { i: 1 }, seen: 0 });
  });

  test("S29: flags on Object.prototype make no failure a success", async () => {
    const code = `Object.prototype.success = true; Object.prototype.ok = true;
      try { await tools.fail({}); return "swallowed" } catch (e) { return e.message }`;
    expect(await value(code)).toBe("tool exploded");
  });

  test("S30: own keys named __proto__ are kept, and nobody's prototype changes", async () => {
    const code = `const r = await tools.echo({ i: JSON.parse('{"__proto__":{"polluted":1},"a":1}') });
      return [Object.keys(r.i), {}.polluted === undefined, JSON.stringify(r.i)]`;
    expect(await value(code)).toEqual([["__proto__", "a"], true, '{"__proto__":{"polluted":1},"a":1}']);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  test("S31: a thenable gives its value", async () => {
    expect(await value('return { then(r) { r("from then") } }')).toBe("from then");
  });

  test("S32: prepareStackTrace changes no report and is handed nothing of ours", async () => {
    const set = `globalThis.seen = []; Error.prepareStackTrace = (e, frames) => {
      for (const f of frames) seen.push(f.getFileName(), typeof f.getThis(), typeof f.getFunction());
      return "forged" };`;
    const error = errorOf(await run(`${set}\nthrow new Error("real")`));
    expect(error).toMatchObject({ name: "Error", message: "real", line: 4 });
    expect(error.stack).not.toContain("forged");
    // Every way in which a stack is made: by the script, by a tool's failure, by the bridge itself.
    const stacks = `${set}
      const stacks = [new Error("a").stack];
      await tools.fail({}).catch((e) => stacks.push(e.stack));
      try { text(Symbol.iterator in tools, store(1, 2)) } catch (e) { stacks.push(e.stack) }
      const own = {}; Error.captureStackTrace?.(own); stacks.push(own.stack ?? "");
      return [seen, stacks.map((s) => typeof s === "string" && !s.includes("forged"))]`;
    expect(await value(stacks)).toEqual([[], [true, true, true, true]]);
  });

  test("S33: tools is no thenable and can be made JSON", async () => {
    expect(
      await value(
        "const t = await tools; return [t === tools, typeof tools.then, typeof JSON.stringify(tools)]",
      ),
    ).toEqual([true, "undefined", "string"]);
  });

  test("S34: tools can neither be replaced nor changed", async () => {
    const code = `globalThis.tools = null; tools.noop = () => "hijacked"; return await tools.noop({ i: 5 })`;
    expect(await value(code)).toEqual({ i: 5 });
  });
});

describe("S36: every tool can be reached, whatever its name", () => {
  const names = ["my-tool", "my_tool", "delete", "class", "then", "constructor", "__proto__", ""];
  const tools = names.map((name): FakeTool => ({ name, run: () => ({ name }) }));

  test("by its exact name through ctx.executeTool", async () => {
    const code = `const out = []; for (const name of ${JSON.stringify(names)}) {
      out.push((await ctx.executeTool(name, {})).result.structuredContent.name) } return out`;
    expect(await value(code, { tools })).toEqual(names);
  });

  test("by an identifier of its own, which the exact name owns", async () => {
    const code = `return [
      (await tools.my_tool({})).name, (await tools["my-tool"]({})).name, (await tools.delete({})).name,
      (await tools.class({})).name, (await tools.constructor({})).name, (await tools.__proto__({})).name,
      (await tools[""]({})).name, typeof tools.then]`;
    expect(await value(code, { tools })).toEqual([
      "my_tool",
      "my-tool",
      "delete",
      "class",
      "constructor",
      "__proto__",
      "",
      "undefined",
    ]);
  });

  test("the list shows the identifiers, and they work", async () => {
    const code =
      "const out = []; for (const { name } of ALL_TOOLS) out.push([name, (await tools[name]({})).name]); return out";
    const listed = await value(code, { tools });
    const entries = Array.isArray(listed)
      ? listed.map((entry: unknown) => (Array.isArray(entry) ? entry.map(String) : []))
      : [];
    expect(new Set(entries.map(([, name]) => name))).toEqual(new Set(names));
    expect(new Set(entries.map(([identifier]) => identifier)).size).toBe(names.length);
  });
});
