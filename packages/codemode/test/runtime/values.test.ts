import { describe, expect, test } from "vitest";
import { harness } from "./harness.ts";

const { run, value, lastCaller } = harness();

/** The table of values in the README: what is written in a script, what leaves it, what is warned about. */
const OUTCOMES: readonly (readonly [string, unknown, string?])[] = [
  ["new Date(0)", "1970-01-01T00:00:00.000Z"],
  ["[new Date(NaN)]", [null], "invalid Date"],
  [
    'new Map([["a", 1], [{ k: 1 }, new Set([2])]])',
    [
      ["a", 1],
      [{ k: 1 }, [2]],
    ],
  ],
  ["new Set([1, [2]])", [1, [2]]],
  ['new RangeError("r")', { name: "RangeError", message: "r" }],
  [
    'Object.assign(new Error("e", { cause: new Error("c") }), { code: "E" })',
    { name: "Error", message: "e", cause: { name: "Error", message: "c" }, code: "E" },
  ],
  ["new AggregateError([new Error('x')], 'm').errors.length", 1],
  [
    "new SuppressedError(new Error('a'), 'b', 'm')",
    { name: "SuppressedError", message: "m", error: { name: "Error", message: "a" }, suppressed: "b" },
  ],
  ["(() => { const v = new DataView(new ArrayBuffer(2)); v.buffer.transfer(); return v })()", []],
  [
    "(() => { const b = new ArrayBuffer(4, { maxByteLength: 8 }), v = new DataView(b, 2); b.resize(1); return v })()",
    [],
  ],
  ["Object.assign([1], { x: 2 })", [1]],
  ["/a+/gi", "/a+/gi"],
  ["{ a: undefined, b: [undefined], c: null }", { b: [null], c: null }],
  ["[NaN, Infinity, -0, 1.5]", [null, null, 0, 1.5], "NaN"],
  ["{ f() {}, a: 1 }", { a: 1 }, "f of the returned value is a function"],
  ["[Symbol('s'), () => 1]", [null, null], "symbol"],
  ["new Uint8Array([1, 2])", { 0: 1, 1: 2 }],
  ["new Uint8Array([1, 2]).buffer", [1, 2]],
  ["new DataView(new ArrayBuffer(2))", [0, 0]],
  ["'\\ud800\\u0000x'", "\ud800\u0000x"],
  ["['\\ud800\\u0000x']", ["\ud800\u0000x"]],
  ["[Object(1), Object('s'), Object(true)]", [1, "s", true]],
  ["new (class A { x = 1; #y = 2; get z() { return 3 } })()", { x: 1 }],
  ["{ toJSON() { return { a: new Map([[1, 2]]) } } }", { a: [[1, 2]] }],
  ["Object.assign(() => 1, { toJSON() { return { f: 1 } } })", { f: 1 }],
  ["[Object.assign(() => 1, { toJSON: (key) => 'f' + key })]", ["f0"]],
  ["new URL('https://a.b/c')", "https://a.b/c"],
  ["new WeakMap()", {}, "nothing that JSON can carry"],
  ["Object.setPrototypeOf(new Map([[1, 2]]), null)", [[1, 2]]],
  ["Object.setPrototypeOf(new Set([1]), Object.prototype)", [1]],
  ["Object.setPrototypeOf(new Date(0), null)", "1970-01-01T00:00:00.000Z"],
  ["Object.setPrototypeOf(/a/, null)", "/a/"],
  ["[Object.setPrototypeOf(Object('s'), Object.prototype)]", [{ 0: "s" }]],
  ["new (class M extends Map {})([[1, 2]])", [[1, 2]]],
  ["{ [Symbol('s')]: 1 }", {}, "the returned value has members under symbols"],
  ["{ a: { b: 1, [Symbol('s')]: 1 } }", { a: { b: 1 } }, "a of the returned value has members under symbols"],
  ["Object.defineProperty({}, 'a', { value: 1 })", {}, "nothing that JSON can carry"],
  ["new (class A { #x = 1; get x() { return 1 } })()", {}, "nothing that JSON can carry"],
  ["[Object(Symbol('q'))]", [{}], "[0] of the returned value has nothing that JSON can carry"],
  ["new Map([[1, 2]]).entries()", {}, "nothing that JSON can carry"],
  ["(function* () {})()", {}, "nothing that JSON can carry"],
  ["new Proxy(new Map([[1, 2]]), {})", {}, "nothing that JSON can carry"],
  ["[{}, Object.create(null), { a: undefined }]", [{}, {}, {}]],
  ["(function () { return arguments })(1)", { 0: 1 }],
  ["'a-b'.match(/(?<l>a)/).groups", { l: "a" }],
  ["Object.create(null, { a: { value: 1, enumerable: true } })", { a: 1 }],
  ['JSON.parse(\'{"__proto__":{"a":1}}\')', JSON.parse('{"__proto__":{"a":1}}') as unknown],
];

const REFUSED: readonly (readonly [string, string, string])[] = [
  ["10n", "TypeError", "the returned value is a BigInt"],
  ["{ a: [10n] }", "TypeError", "a[0] of the returned value is a BigInt"],
  ["{ 'my key': { b: 1n } }", "TypeError", '["my key"].b of the returned value is a BigInt'],
  ["{ a: Promise.resolve(1) }", "TypeError", "a of the returned value is a promise that was not awaited"],
  ["new BigInt64Array(1)", "TypeError", "BigInt"],
  ["Object(10n)", "TypeError", "the returned value is a BigInt"],
  ["{ get a() { throw new RangeError('got') } }", "RangeError", "got"],
  ["{ toJSON() { throw new SyntaxError('said') } }", "SyntaxError", "said"],
];

describe("a value that leaves the script", () => {
  test.each(OUTCOMES.map(([code, expected, warning]) => ({ code, expected, warning })))(
    "hostile 37: $code has one documented outcome",
    async ({ code, expected, warning }) => {
      const outcome = await run(`return ${code.startsWith("{") ? `(${code})` : code}`);
      expect(outcome).toMatchObject({ ok: true, value: expected });
      expect(outcome.warnings.map(({ message }) => message).join("\n")).toContain(warning ?? "");
      expect(outcome.warnings.length > 0).toBe(warning !== undefined);
      // An argument is read in the same way.
      const argument = await value(`return await tools.echo({ i: ${code} })`);
      expect(argument).toMatchObject(expected === undefined ? {} : { i: expected });
    },
  );

  // contract R4, S7
  test.each(REFUSED)("hostile 37: %s is a %s that names the path", async (code, name, message) => {
    const outcome = await run(`return ${code.startsWith("{") ? `(${code})` : code}`);
    expect(outcome).toMatchObject({
      ok: false,
      error: { kind: "script", name, message: expect.stringContaining(message) },
    });
    const refused = await run(`await tools.echo({ i: ${code} })`);
    expect(refused).toMatchObject({ ok: false, error: { name }, calls: [] });
    expect(lastCaller().made).toEqual([]);
  });

  // contract R4
  test.each([
    "await tools.echo({ a: { b: { c: [{ d: 1n }] } } })",
    "await tools.echo({ a: [{ b: { c: Promise.resolve(1) } }] })",
    "await ctx.executeTool('echo', { a: { b: { c: [{ d: 1n }] } } })",
    "text({ a: { b: { c: [{ d: 1n }] } } })",
    "store('k', { a: { b: { c: [{ d: 1n }] } } })",
  ])("what cannot leave is told with its line, however deep it is: %s", async (code) => {
    const outcome = await run(`const a = 1;\n${code}`);
    expect(outcome).toMatchObject({ ok: false, error: { name: "TypeError", line: 2, lineText: code } });
    expect(outcome.ok ? "" : outcome.error.message).not.toContain("codemode.js");
  });

  // S10
  test("hostile 37: a cycle is an error with its path", async () => {
    expect(await run("const a = { k: 1 }; a.self = a; return a")).toMatchObject({
      ok: false,
      error: { name: "TypeError", message: expect.stringContaining("self of the returned value") },
    });
    expect(await run("const a = { b: [{}] }; a.b[0].back = a.b; return a")).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("b[0].back") },
    });
    expect(await value("const shared = { x: 1 }; return [shared, shared]")).toEqual([{ x: 1 }, { x: 1 }]);
  });

  test.each([
    ['{ a: 1, b: "x", c: null, d: true, e: -0, f: 1e21 }', { a: 1, b: "x", c: null, d: true, e: 0, f: 1e21 }],
    ['{ a: 1, "b\\"\\ud800": "\\u2028\\ud800", c: undefined }', { a: 1, 'b"\ud800': "\u2028\ud800" }],
    ['{ a: 1, b: [2, { c: 3 }], d: "x" }', { a: 1, b: [2, { c: 3 }], d: "x" }],
    ["{ a: undefined, b: new Map([[1, 2]]), c: 1 }", { b: [[1, 2]], c: 1 }],
    ['{ ["__proto__"]: 1, a: 2, b: {} }', JSON.parse('{"__proto__":1,"a":2,"b":{}}')],
    ["{ a: 1, b: NaN, c: 2 }", { a: 1, b: null, c: 2 }],
    ["{ a: 1, toJSON: 5 }", { a: 1, toJSON: 5 }],
    ["{ a: 1, [Symbol('s')]: 2 }", { a: 1 }],
  ])("words and more than words stand side by side: %s", async (source, expected) => {
    expect(await value(`return ${source}`)).toEqual(expected);
    expect(await value(`Object.prototype.toJSON = undefined; return ${source}`)).toEqual(expected);
  });

  test("every member is read once and in its order, whatever the others are", async () => {
    for (const rest of ["1", "{ x: 1 }", "[1]", "() => 1", "new Date(0)"]) {
      const seen = await value(`
        const seen = [];
        const target = { a: 1, b: "x", c: ${rest}, d: 2, e: { f: 1 } };
        const watched = new Proxy(target, {
          get(object, key) { seen.push(key); return object[key]; },
        });
        text(watched);
        return seen;`);
      expect(seen).toEqual(["toJSON", "a", "b", "c", "d", "e"]);
    }
  });

  test("the limit of a value's size holds for its words", async () => {
    const long = "return { a: 'x'.repeat(600), b: 'x'.repeat(600) }";
    const outcome = await run(long, { limits: { maxValueChars: 1_000 } });
    expect(outcome).toMatchObject({ ok: false, error: { name: "RangeError" } });
    const mixed = "return { a: 'x'.repeat(600), c: {}, b: 'x'.repeat(600) }";
    expect(await run(mixed, { limits: { maxValueChars: 1_000 } })).toMatchObject({ ok: false });
    expect(await run(mixed, { limits: { maxValueChars: 1_300 } })).toMatchObject({ ok: true });
  });

  test("a hundred thousand keys and a detached buffer are values like others", async () => {
    expect(
      await value(
        "const o = {}; for (let i = 0; i < 1e5; i++) o['k' + i] = i; return Object.keys((await tools.echo({ o })).o).length",
        {
          limits: { memoryMb: 512 },
        },
      ),
    ).toBe(100_000);
    expect(await value("const b = new Uint8Array(8); b.buffer.transfer(); return [b, b.buffer]")).toEqual([
      {},
      [],
    ]);
  });

  // S31
  test("a thenable is awaited, and a trailing expression counts only when nothing was put out (S5)", async () => {
    expect(await value('return { then(r) { r("from then") } }')).toBe("from then");
    expect(await value("const a = 1;\na + 1")).toBe(2);
    expect(await run('text("x");\n1 + 1')).toMatchObject({
      ok: true,
      value: undefined,
      output: [{ type: "text", text: "x" }],
    });
  });

  test("a thrown value that is no error reaches the reader (S15)", async () => {
    expect(await run("throw { code: 7 }")).toMatchObject({ ok: false, error: { message: '{"code":7}' } });
    expect(await run("throw undefined")).toMatchObject({ ok: false, error: { message: "undefined" } });
    expect(await run("throw null")).toMatchObject({ ok: false, error: { message: "null" } });
  });

  test("text() and store() read a value as the result is read, with the same warnings", async () => {
    const outcome = await run(
      "const v = { m: Object.setPrototypeOf(new Map([[1, 2]]), null), [Symbol('s')]: 1 }; text(v); store('k', v); return load('k')",
    );
    expect(outcome).toMatchObject({
      ok: true,
      value: { m: [[1, 2]] },
      output: [{ type: "text", text: '{"m":[[1,2]]}' }],
      warnings: [
        { kind: "value", message: expect.stringContaining("the value of text() has members under symbols") },
        { kind: "value", message: expect.stringContaining("the value has members under symbols") },
      ],
    });
  });
});

describe("a value that comes in", () => {
  // contract R5, A9
  test("is structured content when the tool declares a schema, else text", async () => {
    const tools = [
      { name: "structured", run: () => ({ a: 1 }) },
      { name: "plain", outputSchema: undefined, run: () => ({ a: 1 }) },
    ];
    expect(await value("return [await tools.structured({}), await tools.plain({})]", { tools })).toEqual([
      { a: 1 },
      '{"a":1}',
    ]);
  });

  test("keeps what a tool put into it, also where JSON would lose it", async () => {
    const cyclic: Record<string, unknown> = { a: 1 };
    cyclic["self"] = cyclic;
    const results = {
      map: new Map([["k", new Set([1])]]),
      date: new Date(0),
      big: 10n,
      error: new RangeError("r"),
      cyclic,
    };
    expect(
      await value("return await tools.odd({})", {
        tools: [{ name: "odd", outputSchema: {}, run: () => results }],
      }),
    ).toEqual({
      map: [["k", [1]]],
      date: "1970-01-01T00:00:00.000Z",
      big: "10",
      error: { name: "RangeError", message: "r" },
      cyclic: { a: 1, self: "[Circular]" },
    });
  });

  function detached(): unknown {
    const buffer = new ArrayBuffer(2);
    const views = [buffer, new Uint8Array(buffer), new DataView(buffer)];
    structuredClone(buffer, { transfer: [buffer] });
    return views;
  }

  class Row {
    id = 7;
    #secret = 1;
    get secret() {
      return this.#secret;
    }
  }

  test.each<[string, unknown, unknown, string?]>([
    ["a regular expression", /a+/gi, "/a+/gi"],
    ["a Map without its prototype", Object.setPrototypeOf(new Map([[1, 2]]), null), [[1, 2]]],
    ["a Set that looks like an object", Object.setPrototypeOf(new Set([1]), Object.prototype), [1]],
    ["a Date without its prototype", Object.setPrototypeOf(new Date(0), null), "1970-01-01T00:00:00.000Z"],
    ["an invalid Date", new Date(Number.NaN), null, "is an invalid Date"],
    ["an instance of a class", new Row(), { id: 7 }],
    ["an object of which nothing is left", new WeakMap(), {}, "has nothing that JSON can carry"],
    ["an iterator", new Map([[1, 2]]).entries(), {}, "has nothing that JSON can carry"],
    ["a boxed number and text", [Object(1), Object("s"), Object(false)], [1, "s", false]],
    ["a boxed big integer", Object(10n), "10"],
    ["members under symbols", { a: 1, [Symbol("s")]: 2 }, { a: 1 }, "has members under symbols"],
    [
      "a getter that throws",
      {
        a: 1,
        get b() {
          throw new RangeError("no b");
        },
      },
      { a: 1, b: null },
      "odd.b of the result of odd could not be read (RangeError: no b): it became null",
    ],
    [
      "a toJSON that throws",
      {
        toJSON() {
          throw new Error("no JSON");
        },
      },
      null,
      "could not be read (Error: no JSON)",
    ],
    ["a function", { f: () => 1, a: 1 }, { a: 1 }, "odd.f of the result of odd is a function"],
    ["a symbol in a list", [Symbol("s")], [null], "odd[0] of the result of odd is a symbol"],
    ["numbers that JSON lacks", [Number.NaN, -Infinity], [null, null], "is -Infinity"],
    ["a promise", { p: Promise.resolve(1) }, { p: null }, "is a promise"],
    [
      "an error with causes",
      new AggregateError([new Error("one")], "many", { cause: new RangeError("why") }),
      {
        name: "AggregateError",
        message: "many",
        cause: { name: "RangeError", message: "why" },
        errors: [{ name: "Error", message: "one" }],
      },
    ],
    ["a function that says what it is", { f: Object.assign(() => 1, { toJSON: () => "f" }) }, { f: "f" }],
    ["a detached buffer and its views", detached(), [{}, {}, {}]],
    [
      "an error that hides another",
      new SuppressedError(new Error("a"), "b", "m"),
      { name: "SuppressedError", message: "m", error: { name: "Error", message: "a" }, suppressed: "b" },
    ],
    ["a Proxy that throws", new Proxy({}, { ownKeys: () => ["a", "a"] }), null, "could not be read"],
    [
      "nothing odd",
      { a: [{}, Object.create(null)], b: undefined, c: [undefined] },
      { a: [{}, {}], c: [null] },
    ],
  ])(
    "hostile 37: %s has one documented outcome, never a silent {}",
    async (_what, odd, expected, warning) => {
      const tools = [{ name: "odd", outputSchema: {}, run: () => ({ odd }) }];
      const outcome = await run("return (await tools.odd({})).odd", { tools });
      expect(outcome).toMatchObject({ ok: true, value: expected });
      expect(outcome.warnings.map(({ message }) => message).join("\n")).toContain(warning ?? "");
      expect(outcome.warnings.length > 0).toBe(warning !== undefined);
    },
  );

  test("hostile 37: what is warned of one result is bounded", async () => {
    const tools = [{ name: "odd", outputSchema: {}, run: () => Array.from({ length: 500 }, () => () => 1) }];
    const outcome = await run("return (await tools.odd({})).length", { tools });
    expect(outcome).toMatchObject({ ok: true, value: 500 });
    expect(outcome.warnings).toHaveLength(20);
  });

  // contract R10
  test("that does not match its schema comes with a warning: the effect has happened", async () => {
    const outcome = await run("return await tools.wrong({})", {
      tools: [
        {
          name: "wrong",
          outputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
          run: () => ({ a: "x" }),
        },
      ],
    });
    expect(outcome).toMatchObject({
      ok: true,
      value: { a: "x" },
      warnings: [{ kind: "schema-mismatch", message: expect.stringContaining("a: ") }],
    });
  });

  test("of ten megabytes crosses whole, whatever its characters", async () => {
    for (const text of [
      "0123456789".repeat(1e6),
      "é".repeat(1e6),
      "日本語".repeat(1e6),
      `\ud800${"x".repeat(1e6)}`,
    ]) {
      const length = await value(
        "const t = await tools.big({}); return [t.length, t.charCodeAt(0), t.charCodeAt(t.length - 1)]",
        {
          tools: [{ name: "big", outputSchema: undefined, run: () => text }],
        },
      );
      expect(length).toEqual([text.length, text.charCodeAt(0), text.charCodeAt(text.length - 1)]);
    }
  });

  // S16
  test("of a failure keeps name, code and data; the place is the script's", async () => {
    expect(
      await value(
        "try { await tools.fail({}) } catch (e) { return [e.name, e.message, e.code, e.data, e instanceof TypeError] }",
      ),
    ).toEqual(["TypeError", "tool exploded", "E_TOOL", { status: 404 }, true]);
    expect(await run("const a = 1;\nawait tools.fail({})")).toMatchObject({
      ok: false,
      error: { kind: "script", name: "TypeError", line: 2, lineText: "await tools.fail({})" },
      calls: [{ name: "fail", line: 2, index: 0 }],
    });
  });
});

describe("images", () => {
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

  test("are taken as a data URL, a block, an object or bytes, and typed by their signature", async () => {
    const outcome = await run(`
      image("data:text/plain;base64,${png}");
      image({ image_url: "data:image/png;base64,${png}" });
      image({ type: "image", data: "${png}", mimeType: "image/gif" });
      const bytes = Uint8Array.from(atob("${png}"), (char) => char.charCodeAt(0));
      image(bytes);
      image(bytes.buffer);
      image(new DataView(bytes.buffer));
    `);
    expect(outcome).toMatchObject({ ok: true });
    expect(outcome.output).toEqual(
      Array.from({ length: 6 }, () => ({ type: "image", data: png, mimeType: "image/png" })),
    );
  });

  test.each([
    ["image('')", "image expects"],
    ["image('https://a.b/c.png')", "remote image URLs"],
    ["image('data:image/png;base64,AAAA')", "not a PNG"],
    ["image('data:image/png;base64,A')", "not valid base64"],
    ["image({ type: 'audio' })", 'got "audio"'],
    ["image(1)", "image expects"],
  ])("%s is refused with a reason", async (code, message) => {
    expect(await run(code)).toMatchObject({
      ok: false,
      error: { name: "TypeError", message: expect.stringContaining(message) },
    });
  });
});
