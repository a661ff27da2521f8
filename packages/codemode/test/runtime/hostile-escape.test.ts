import { describe, expect, test } from "vitest";
import type { FakeTool } from "./fake-caller.ts";
import { harness } from "./harness.ts";

const { run, value, lastCaller } = harness();

describe("reaching out of the isolate", () => {
  test("hostile 1: no reference, callback or copy of the bridge is reachable", async () => {
    const found = await value(`
      const bad = [];
      const seen = new Set();
      const names = new Set(["Reference", "Callback", "ExternalCopy", "Isolate", "Context", "Script", "Module"]);
      const look = (value, path, depth) => {
        if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value) || depth > 6) return;
        seen.add(value);
        try { if (names.has(value.constructor?.name)) bad.push(path); } catch {}
        for (const method of ["applySync", "derefInto", "setSync", "copyInto"]) {
          try { if (method in value) bad.push(path + "." + method); } catch {}
        }
        for (const key of Reflect.ownKeys(value)) {
          const descriptor = Reflect.getOwnPropertyDescriptor(value, key);
          for (const part of ["value", "get", "set"]) if (descriptor && part in descriptor) look(descriptor[part], path + "." + String(key), depth + 1);
        }
        look(Reflect.getPrototypeOf(value), path + ".__proto__", depth + 1);
      };
      look(globalThis, "globalThis", 0);
      const pending = tools.noop({});
      look(pending, "call", 0);
      await pending;
      return [bad, seen.size > 500];
    `);
    expect(found).toEqual([[], true]);
  });

  test("hostile 1: the constructors of bridge functions make code in the script's own realm only", async () => {
    expect(
      await value(`
        const made = [];
        for (const fn of [text, tools.noop, console.log, ctx.executeTool, store, setTimeout, exit, URL, crypto.randomUUID]) {
          made.push(fn.constructor("return this === globalThis && typeof process + typeof require + typeof emit + typeof service")());
        }
        return [...new Set(made)];
      `),
    ).toEqual(["undefinedundefinedundefinedundefined"]);
  });

  test("hostile 3: no caller, this, function or frame of the bridge leaks", async () => {
    expect(
      await value(`
        const leaks = [];
        let frames;
        Error.prepareStackTrace = (error, sites) => { frames = sites; return "taken over"; };
        const argument = {
          get a() {
            try { if (argument.constructor.caller) leaks.push("caller"); } catch {}
            try { const f = Object.getOwnPropertyDescriptor(argument, "a").get; if (f.caller) leaks.push("get.caller"); } catch {}
            new Error("x").stack;
            for (const site of frames ?? []) {
              leaks.push("site");
              if (site.getThis?.() !== undefined) leaks.push("this");
              if (site.getFunction?.() !== undefined) leaks.push("function");
            }
            return this === argument ? 1 : 2;
          },
        };
        function sloppy() { try { if (sloppy.caller) leaks.push("sloppy.caller"); } catch {} try { if (arguments.callee.caller) leaks.push("callee.caller"); } catch {} return 1; }
        const result = await tools.echo({ v: argument, toJSON: undefined });
        await tools.echo({ toJSON: sloppy });
        return [leaks, result.v.a, Error.prepareStackTrace === undefined];
      `),
    ).toEqual([[], 1, true]);
    const outcome = await run("Error.prepareStackTrace = () => 'forged';\nthrow new Error('real')");
    expect(outcome).toMatchObject({
      ok: false,
      error: { message: "real", line: 2, stack: expect.stringContaining("codemode.js:2") },
    });
    expect(await value("return Reflect.defineProperty(Error, 'prepareStackTrace', { value: () => 1 })")).toBe(
      false,
    );
  });

  test.each([
    ["a closed wrapper", "return 1 })(); globalThis.pwn = 1; (async () => { return 2"],
    ["an end of comment", "*/ return 1"],
    ["a template that does not end", "return `${"],
    ["a source that ends in a string", 'return "abc'],
    ["an arrow that closes", "}), (() => { return 3"],
  ])("hostile 5: %s is a SyntaxError with the script's own line", async (_name, code) => {
    const outcome = await run(`const first = 1;\n${code}`);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "script", name: "SyntaxError", line: 2 } });
  });

  test.each([
    ["a comment at the end", "return 1 // comment", 1],
    ["a block comment", "/* `${x}` */ return 1", 1],
    ["a template", "const a = 2; return `${a}\\n`", "2\n"],
    ["U+2028 in a string", "return 'a\u2028b'.length", 3],
    ["a hash-bang", "#!/usr/bin/env node\nreturn 4", 4],
    ["back-ticks and dollars", "return '`${1}`'", "`${1}`"],
  ])("hostile 5, contract R7: %s is legal and runs", async (_name, code, expected) => {
    expect(await value(code)).toBe(expected);
  });

  test("hostile 5: an HTML-like comment at the start of a line is legal and runs", async () => {
    expect(await value("const a = 1;\n--> not code\nreturn a")).toBe(1);
  });
});

describe("turning the bridge's own code against it", () => {
  test("hostile 9: replacing Promise in every way changes no call and no end", async () => {
    expect(
      await value(`
        const real = Promise;
        const then = Promise.prototype.then;
        let taken = 0;
        Object.defineProperty(real, Symbol.species, { get() { taken++; return class Evil { constructor(f) { f(() => {}, () => {}) } } } });
        real.prototype.then = function (...args) { taken++; return then.apply(this, args) };
        globalThis.Promise = class { constructor() { throw new Error("hijacked") } };
        const call = tools.noop({ i: 5 });
        const ok = call instanceof real;
        return [ok, (await call).i];
      `),
    ).toEqual([true, 5]);
    // Its own await then finds a broken promise; the bridge must still end the script.
    const outcome = await run(
      "Promise.prototype.constructor = { [Symbol.species]: function () { throw 1 } }; return 7",
    );
    expect(outcome).toMatchObject({ ok: true, value: 7 });
  });

  test("hostile 9: replaced JSON, Map, Array and Reflect forge nothing (S27, S28)", async () => {
    expect(
      await value(`
        JSON.stringify = () => '"forged"'; JSON.parse = () => ({ forged: true });
        Map.prototype.get = () => { throw 1 }; Map.prototype.set = () => { throw 1 }; Map.prototype.has = () => false;
        Array.prototype.push = () => { throw 1 }; Array.prototype[Symbol.iterator] = () => { throw 1 };
        Reflect.apply = () => { throw 1 }; Reflect.ownKeys = () => []; Object.keys = () => [];
        String.prototype.slice = () => "x"; Function.prototype.call = () => { throw 1 }; Function.prototype.apply = () => { throw 1 };
        let seen = 0;
        Object.defineProperty(Array.prototype, 0, { set() { seen++ }, get() { seen++ }, configurable: true });
        Object.defineProperty(Object.prototype, "kind", { set() { seen++ }, get() { seen++; return "string" }, configurable: true });
        text({ a: 1 });
        console.log({ b: [2] });
        const r = await tools.noop({ i: 3 });
        delete Array.prototype[0];
        return { i: r.i, seen };
      `),
    ).toMatchObject({ i: 3 });
  });

  test("hostile 9: a setter on Array.prototype sees nothing of the bridge (S28)", async () => {
    expect(
      await value(`
        let seen = 0;
        for (const key of [0, 1, 2]) Object.defineProperty(Array.prototype, key, { set() { seen++ }, configurable: true });
        const r = await tools.noop({ i: 3 });
        text("x"); console.log(1, 2);
        for (const key of [0, 1, 2]) delete Array.prototype[key];
        return seen === 0 ? r.i : "seen " + seen;
      `),
    ).toBe(3);
  });

  test("hostile 11: a polluted Object.prototype makes no failure a success (S29)", async () => {
    const outcome = await run(`
      for (const key of ["success", "ok", "value", "result", "denied", "done", "isError", "length", "0", "1", "2"]) {
        try { Object.defineProperty(Object.prototype, key, { value: true, writable: true, configurable: true }) } catch {}
      }
      await tools.fail({});
    `);
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "script", name: "TypeError", message: "tool exploded" },
    });
  });

  test("hostile 11: own keys named __proto__ are kept and change nobody's prototype (S30)", async () => {
    expect(
      await value(`
        const r = await tools.echo({ i: JSON.parse('{"__proto__":{"polluted":1},"a":1}') });
        return [Object.keys(r.i), r.i.polluted === undefined, ({}).polluted === undefined, JSON.stringify(r.i)];
      `),
    ).toEqual([["__proto__", "a"], true, true, '{"__proto__":{"polluted":1},"a":1}']);
    expect(Object.keys(lastCaller().made[0]?.args as object)).toEqual(["i"]);
  });

  test("hostile 13: arguments are read exactly once, into plain data", async () => {
    expect(
      await value(`
        let reads = 0;
        const r = await tools.echo({ get path() { return reads++ === 0 ? "safe" : "/etc/shadow" } });
        return [r.path, reads];
      `),
    ).toEqual(["safe", 1]);
    expect(lastCaller().made).toEqual([{ name: "echo", args: { path: "safe" } }]);
  });

  test("hostile 13: proxies, revoked proxies and getters that call tools end in an error or plain data", async () => {
    expect(
      await value(`
        const errors = [];
        const { proxy, revoke } = Proxy.revocable({}, {}); revoke();
        for (const argument of [proxy, { a: proxy }, new Proxy({}, { ownKeys() { throw new RangeError("mine") } }), { get a() { throw new RangeError("mine") } }]) {
          try { await tools.echo(argument); errors.push("ran") } catch (error) { errors.push(error.name) }
        }
        let nested;
        const r = await tools.echo({ get a() { nested = tools.noop({ i: 9 }); return 1 } });
        return [errors, r, (await nested).i];
      `),
    ).toEqual([["TypeError", "TypeError", "RangeError", "RangeError"], { a: 1 }, 9]);
  });

  test("hostile 13: a Proxy whose keys never end is stopped by the limits", async () => {
    const outcome = await run(
      "let n = 0; await tools.echo(new Proxy({}, { ownKeys() { while (true) n++; } }))",
      { limits: { cpuMs: 300 } },
    );
    expect(outcome).toMatchObject({ ok: false, error: { kind: "timeout" }, calls: [] });
  });

  test("hostile 15: symbols bend nothing", async () => {
    expect(
      await value(`
        const evil = { [Symbol.toPrimitive]() { throw 1 }, get [Symbol.toStringTag]() { throw 1 }, [Symbol.isConcatSpreadable]: true, get [Symbol.unscopables]() { throw 1 } };
        for (const Constructor of [Promise, Error, Map, Array]) Object.defineProperty(Constructor, Symbol.hasInstance, { value: () => true });
        const r = await tools.echo({ evil, [Symbol("k")]: 1 });
        const dropped = await tools.echo(Symbol("argument"));
        return [r, dropped, tools[Symbol("x")] === undefined, tools[Symbol.iterator] === undefined];
      `),
    ).toEqual([{ evil: {} }, {}, true, true]);
    expect(await run("ctx.executeTool(Symbol('x'))")).toMatchObject({
      ok: false,
      error: { name: "TypeError" },
    });
  });

  const names = [
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "toString",
    "then",
    "delete",
    "class",
    "await",
    "my-tool",
    "my_tool",
    "a.b",
    "a",
    "",
    "x".repeat(10_000),
    "😀",
    "toJSON",
    "prototype",
    "length",
  ];
  const weapons: readonly FakeTool[] = names.map((name) => ({
    name,
    run: () => ({ ran: name.slice(0, 20) }),
  }));

  test("hostile 17: every tool is reachable by its exact name, and looking at tools harms nobody (S33, S36)", async () => {
    const outcome = await run(
      `
        const ran = [];
        for (const name of ${JSON.stringify(names)}) ran.push((await ctx.executeTool(name, {})).result.structuredContent.ran);
        const awaited = await tools;
        return { ran, same: awaited === tools, thenable: typeof tools.then, json: JSON.stringify(tools), list: ALL_TOOLS.length,
          own: (await tools.my_tool({})).ran, other: (await tools["my-tool"]({})).ran, proto: (await tools.__proto__({})).ran,
          constructor: (await tools.constructor({})).ran, delete: (await tools.delete({})).ran };
      `,
      { tools: weapons },
    );
    expect(outcome).toMatchObject({
      ok: true,
      value: {
        ran: names.map((name) => name.slice(0, 20)),
        same: true,
        thenable: "undefined",
        json: "{}",
        list: names.length,
        own: "my_tool",
        other: "my-tool",
        proto: "__proto__",
        constructor: "constructor",
        delete: "delete",
      },
    });
  });

  test("hostile 17: what a script is told about a name is the same in every order", async () => {
    const list = "return ALL_TOOLS.map((tool) => tool.name).sort()";
    expect(await value(list, { tools: weapons })).toEqual(await value(list, { tools: weapons.toReversed() }));
  });

  test("tools and globals cannot be replaced, without a throw (S34)", async () => {
    expect(
      await value(
        'globalThis.tools = null; tools.noop = () => "hijacked"; globalThis.text = 1; ALL_TOOLS.length = 0; ctx.executeTool = 1; return (await tools.noop({ i: 1 })).i',
      ),
    ).toBe(1);
  });

  test("hostile 17: a script declares its own names (contract D)", async () => {
    expect(
      await value(
        "const ctx = 1; let text = 2; function store() { return 3 } const URL = 4; return [ctx, text, store(), URL]",
      ),
    ).toEqual([1, 2, 3, 4]);
  });
});
