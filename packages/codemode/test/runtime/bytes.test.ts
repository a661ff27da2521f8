import { createHash, randomBytes } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { createOutputCheck } from "../../src/runner/output-check.ts";
import { watchedRunner } from "./crossings.ts";
import { fakeCaller, type FakeTool } from "./fake-caller.ts";
import { harness } from "./harness.ts";

const { run, value, lastCaller } = harness({ maxProcesses: 1 });
const tool = (name: string, answer: unknown): FakeTool => ({ name, outputSchema: {}, run: () => answer });
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("bytes that a tool gives", () => {
  test("arrive as a Uint8Array, wherever they stand and whatever holds them", async () => {
    const buffer = Uint8Array.from([9, 1, 2, 3, 9]).buffer;
    const answer = {
      plain: new Uint8Array([1, 2]),
      node: Buffer.from([3, 4]),
      part: new Uint8Array(buffer, 1, 3),
      whole: new Uint8Array([5]).buffer,
      view: new DataView(buffer, 1, 2),
      list: [null, { deep: new Uint8Array([6]) }],
      map: new Map([["k", new Uint8Array([7])]]),
      empty: new Uint8Array(),
      json: { toJSON: () => ({ inner: new Uint8Array([8]) }) },
      text: "beside",
    };
    const seen = await value(
      `const r = await tools.data({});
       const show = (v) => v instanceof Uint8Array ? "bytes " + v.join() + " of " + v.buffer.byteLength
         : Array.isArray(v) ? v.map(show)
         : v !== null && typeof v === "object" ? Object.fromEntries(Object.entries(v).map(([k, i]) => [k, show(i)])) : v;
       return show(r)`,
      { tools: [tool("data", answer)] },
    );
    expect(seen).toEqual({
      plain: "bytes 1,2 of 2",
      node: "bytes 3,4 of 2",
      part: "bytes 1,2,3 of 3",
      whole: "bytes 5 of 1",
      view: "bytes 1,2 of 2",
      list: [null, { deep: "bytes 6 of 1" }],
      map: [["k", "bytes 7 of 1"]],
      empty: "bytes  of 0",
      json: { inner: "bytes 8 of 1" },
      text: "beside",
    });
  });

  test("are the value itself where a tool gives nothing else, and the outcome's where that is asked for", async () => {
    const tools = [tool("data", new Uint8Array([1, 2, 3]))];
    expect(
      await value("const b = await tools.data({}); return [b instanceof Uint8Array, b.length, b[2]]", {
        tools,
      }),
    ).toEqual([true, 3, 3]);
    expect(
      await value(
        "const { result } = await ctx.executeTool('data', {}); return result.structuredContent instanceof Uint8Array",
        { tools },
      ),
    ).toBe(true);
    expect(
      await value("const b = await read(); return b instanceof Uint8Array && b[0]", {
        globals: [{ name: "read", execute: () => Buffer.from([7]) }],
      }),
    ).toBe(7);
  });

  test("cross as they are: no base64, no array of numbers, not one byte changed", async () => {
    const { runner, crossings } = watchedRunner();
    onTestFinished(() => runner.close());
    const bytes = randomBytes(3_000_000);
    const outcome = await runner.run({
      code: `const { file } = await tools.data({});
        const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", file));
        return [file.length, Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")]`,
      caller: fakeCaller([tool("data", { file: bytes, name: "a.bin" })]),
    });
    expect(outcome).toMatchObject({
      ok: true,
      value: [3_000_000, createHash("sha256").update(bytes).digest("hex")],
    });
    const sent = crossings.filter(
      ({ to, segments }) => to === "sandbox" && segments.some((part) => part.length > 1_000),
    );
    expect(sent.map(({ segments }) => segments)).toEqual([
      ['{"file":null,"name":"a.bin"}', new Uint8Array(bytes)],
    ]);
  });

  test("are those of the moment: what the tool does with its buffer later changes nothing", async () => {
    const bytes = new Uint8Array([1, 1, 1]);
    const tools: FakeTool[] = [
      tool("data", bytes),
      { name: "spoil", run: () => (bytes.fill(9), { done: true }) },
    ];
    const code = "const b = await tools.data({}); await tools.spoil({}); b[0] = 5; return Array.from(b)";
    expect(await value(code, { tools })).toEqual([5, 1, 1]);
    expect(Array.from(bytes)).toEqual([9, 9, 9]);
  });

  test("keep their place under any key, and change no prototype", async () => {
    const answer = JSON.parse('{"__proto__":{"constructor":0},"a.b":0,"":0}') as Record<string, unknown>;
    const hidden = answer["__proto__"] as Record<string, unknown>;
    hidden["constructor"] = new Uint8Array([1]);
    answer["a.b"] = new Uint8Array([2]);
    answer[""] = new Uint8Array([3]);
    expect(
      await value(
        `Object.defineProperty(Object.prototype, "a.b", { set() { throw new Error("seen") }, configurable: true });
         const r = await tools.data({});
         return [Object.keys(r), r["__proto__"].constructor[0], r["a.b"][0], r[""][0], {}.constructor === Object]`,
        { tools: [tool("data", answer)] },
      ),
    ).toEqual([["__proto__", "a.b", ""], 1, 2, 3, true]);
  });

  test("arrive as well when a script has replaced what belongs to typed arrays", async () => {
    const code = `
      const proto = Object.getPrototypeOf(Uint8Array.prototype);
      for (const key of ["length", "buffer", "byteLength", "byteOffset"])
        Object.defineProperty(proto, key, { get() { throw new Error("read " + key) }, configurable: true });
      const Real = Uint8Array;
      globalThis.Uint8Array = class { constructor() { throw new Error("made") } };
      const { a, b } = await tools.data({});
      return [a instanceof Real, a[1], b[0]]`;
    const tools = [tool("data", { a: new Uint8Array([1, 2]), b: new Uint8Array([3]) })];
    expect(await value(code, { tools })).toEqual([true, 2, 3]);
  });

  test("a thousand of them are a thousand, from many calls at once", async () => {
    const many = Array.from({ length: 1_000 }, (_, i) => new Uint8Array([i & 255]));
    const code = `const all = (await Promise.all(Array.from({ length: 20 }, () => tools.data({})))).flat();
      return [all.length, all.reduce((sum, bytes) => sum + bytes[0], 0)]`;
    const sum = many.reduce((total, bytes) => total + (bytes[0] ?? 0), 0);
    expect(await value(code, { tools: [tool("data", many)] })).toEqual([20_000, 20 * sum]);
  });

  test("are bounded like everything that crosses", async () => {
    const tools = [tool("data", { file: new Uint8Array(200_000) })];
    expect(await run("await tools.data({})", { tools, limits: { maxFrameBytes: 100_000 } })).toMatchObject({
      ok: false,
      error: { kind: "limit", message: expect.stringContaining("maxFrameBytes") },
    });
    expect(
      await run("const keep = []; while (true) keep.push(await tools.data({}))", {
        tools: [tool("data", new Uint8Array(16 * 1024 * 1024).fill(1))],
        limits: { memoryMb: 64 },
      }),
    ).toMatchObject({ ok: false, error: { kind: "memory" } });
  });

  test("are one value for the check of an output schema, however many they are", () => {
    const check = createOutputCheck();
    const file = new Uint8Array(20_000_000);
    expect(
      check({ type: "object", properties: { name: { type: "number" } } }, { file, name: "x" }, undefined),
    ).toContain("name");
  });
});

describe("bytes that a script gives", () => {
  // One outcome, that of JSON: Pi's own codemode does the same.
  test("become an object of numbers as an argument, an array of numbers when they are a buffer", async () => {
    await value("await tools.noop({ a: new Uint8Array([1, 2]), b: new Uint8Array([3]).buffer })");
    expect(lastCaller().made).toEqual([{ name: "noop", args: { a: { 0: 1, 1: 2 }, b: [3] } }]);
  });

  test("cross as bytes when they are an image, and the host makes base64 of them", async () => {
    const { runner, crossings } = watchedRunner({ maxOutputChars: 4_000_000 });
    onTestFinished(() => runner.close());
    const large = Buffer.concat([png, randomBytes(2_000_000)]);
    const caller = fakeCaller([tool("picture", { large, part: Buffer.concat([Buffer.from([0, 0]), png]) })]);
    const outcome = await runner.run({
      code: `const { large, part } = await tools.picture({});
        text("before"); image(large); image(part.subarray(2)); image(new DataView(part.buffer, 2)); text("after")`,
      caller,
    });
    expect(
      outcome.output.map((item) => (item.type === "image" ? [item.mimeType, item.data] : item.type)),
    ).toEqual([
      "text",
      ["image/png", large.toString("base64")],
      ["image/png", png.toString("base64")],
      ["image/png", png.toString("base64")],
      "text",
    ]);
    const crossed = crossings.flatMap(({ to, segments }) => (to === "host" ? segments : []));
    expect(crossed).toEqual([new Uint8Array(large), new Uint8Array(png), new Uint8Array(png)]);
  });

  test("cross from a buffer that can grow as well", async () => {
    const outcome = await run(`const buffer = new ArrayBuffer(8, { maxByteLength: 2 ** 20 });
      const view = new Uint8Array(buffer);
      view.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
      image(view);
      buffer.resize(16);
      image(view)`);
    expect(outcome.output.map((item) => (item.type === "image" ? item.data : item.text))).toEqual([
      "iVBORw0KGgo=",
      "iVBORw0KGgoAAAAAAAAAAA==",
    ]);
  });

  test("count as the base64 that they become (hostile 33)", async () => {
    const code = (size: number) =>
      `const b = new Uint8Array(${size}); b.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]); image(b)`;
    expect(await run(code(750), { limits: { maxOutputChars: 1_000 } })).toMatchObject({
      ok: true,
      stats: { outputChars: 1_000 },
    });
    expect(await run(code(751), { limits: { maxOutputChars: 1_000 } })).toMatchObject({
      ok: false,
      error: { kind: "limit" },
      output: [],
    });
  });

  test.each([
    ["nothing", "image(new Uint8Array(0))"],
    ["another format", "image(new Uint8Array(100))"],
    ["a few bytes", "image(new Uint8Array([0x89]))"],
    ["a detached buffer", "const b = new Uint8Array(8); b.buffer.transfer(); image(b)"],
  ])("are refused as an image with a reason when they hold %s", async (_name, code) => {
    expect(await run(code)).toMatchObject({
      ok: false,
      error: { name: "TypeError", message: expect.stringMatching(/not a PNG|detached/) },
    });
  });
});
