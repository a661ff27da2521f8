import { toPlainJson } from "@nestbox/tool";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const both = ["data", "stringify"] as const;

describe.each(both)("a copy as plain JSON, read as %s,", (as) => {
  it("is equal to plain JSON, and nobody else holds a part of it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = toPlainJson(value, { as });
        if (!copy.ok) return false;
        expect(copy.value).toEqual(value);
        return typeof value !== "object" || value === null || copy.value !== value;
      }),
    );
  });

  it("never throws, and is what JSON would make of what it accepts", () => {
    const exotic = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      withNullPrototype: true,
      withBoxedValues: true,
      maxDepth: 4,
    });
    let accepted = 0;
    fc.assert(
      fc.property(exotic, (value) => {
        const copy = toPlainJson(value, { as, maxValues: 10_000, maxChars: 10_000 });
        if (!copy.ok) return copy.message !== "";
        accepted += 1;
        return JSON.stringify(copy.value) === JSON.stringify(value);
      }),
      { numRuns: 2_000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });

  it("refuses what JSON would lose or cannot write, and says where it stands", () => {
    // hostile 13, hostile 37
    const cycle: Record<string, unknown> = {};
    cycle["list"] = [0, cycle];
    expect(toPlainJson(cycle, { as })).toEqual({
      ok: false,
      path: ["list", 1],
      message: "a cycle is not JSON",
    });
    const bad: unknown[] = [1n, Number.NaN, () => 1, Symbol("x"), new Map(), new Set(), Promise.resolve()];
    for (const item of bad) {
      expect(toPlainJson({ a: [item] }, { as })).toMatchObject({ ok: false, path: ["a", 0] });
    }
    expect(toPlainJson(undefined, { as })).toMatchObject({ ok: false, path: [] });
  });

  it("says that reading threw, and not what was thrown", () => {
    const secret = () => {
      throw new Error("secret");
    };
    for (const value of [new Proxy({}, { ownKeys: secret }), new Proxy([], { get: secret })]) {
      expect(JSON.stringify(toPlainJson({ value }, { as }))).toBe(
        '{"ok":false,"path":[],"message":"reading it threw an error"}',
      );
    }
  });

  it("keeps a key named __proto__ as a key", () => {
    // hostile 11
    const copy = toPlainJson(JSON.parse('{"__proto__":{"x":1}}'), { as });
    expect(JSON.stringify(copy)).toBe('{"ok":true,"value":{"__proto__":{"x":1}}}');
    expect(Reflect.get({}, "x")).toBeUndefined();
  });

  it("reads every property once, so that no second answer can differ from the first", () => {
    let reads = 0;
    const answer = () => ++reads;
    const shifting = new Proxy(
      { n: 0 },
      {
        get: (target, key) => (key === "n" ? answer() : Reflect.get(target, key)),
        // `Object.keys` asks for the descriptor too; its value is not used.
        getOwnPropertyDescriptor: () => ({ value: answer(), enumerable: true, configurable: true }),
      },
    );
    const copy = toPlainJson(shifting, { as });
    expect(copy).toEqual({ ok: true, value: { n: reads } });
    expect(reads).toBe(2);
  });

  it("leaves a member that is undefined out, and shares no object that stands in two places", () => {
    const twice = { n: 1 };
    const copy = toPlainJson({ a: twice, b: twice, gone: undefined }, { as });
    expect(copy).toEqual({ ok: true, value: { a: { n: 1 }, b: { n: 1 } } });
    expect(JSON.stringify(copy)).not.toContain("gone");
    const { a, b } = (copy as unknown as { value: { a: object; b: object } }).value;
    expect(a).not.toBe(b);
  });

  it("ends at its limits, whatever shares or repeats itself", () => {
    const deep = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
    expect(toPlainJson(deep(5), { as, maxDepth: 5 }).ok).toBe(true);
    expect(toPlainJson(deep(6), { as, maxDepth: 5 })).toEqual({
      ok: false,
      path: [0, 0, 0, 0, 0],
      message: "more than 5 levels",
    });
    expect(toPlainJson(deep(257), { as }).ok).toBe(false);
    // 2^60 values in sixty objects.
    let wide: unknown = [];
    for (let level = 0; level < 60; level += 1) wide = [wide, wide];
    expect(toPlainJson(wide, { as })).toMatchObject({ message: "more than 1000000 values" });
    expect(toPlainJson(Object.assign([], { length: 2 ** 32 - 1 }), { as, maxChars: 100 })).toMatchObject({
      message: "more than 100 characters",
    });
    expect(toPlainJson({ key: "value" }, { as, maxChars: 8 }).ok).toBe(true);
    expect(toPlainJson({ key: "value" }, { as, maxChars: 7 })).toMatchObject({ path: ["key"] });
  });
});

describe("a copy as plain JSON", () => {
  it("read as data runs no code of the value and refuses what would", () => {
    let ran = false;
    const run = () => {
      ran = true;
      return 1;
    };
    class Point {
      readonly x = 1;
    }
    const tagged = { get [Symbol.toStringTag]() { return String(run()); } }; // prettier-ignore
    const bad: unknown[] = [
      { get x() { return run(); } }, // prettier-ignore
      { toJSON: run },
      Object.create({ toJSON: run }),
      new Point(),
      new Date(0),
      [undefined],
      Object.assign([], { length: 5 }),
    ];
    for (const value of bad) expect(toPlainJson(value)).toMatchObject({ ok: false });
    expect(toPlainJson(tagged)).toEqual({ ok: true, value: {} });
    expect(ran).toBe(false);
  });

  it("read as JSON.stringify reads: toJSON with its key, accessors, own keys of a class, null for a hole", () => {
    class Point {
      readonly x = 1;
      get y() {
        return 2;
      }
    }
    const values: unknown[] = [
      new Date(0),
      { at: new Date(0), when: { toJSON: (key: string) => `called for ${key}` } },
      [{ toJSON: (key: string) => key }],
      { get x() { return 1; } }, // prettier-ignore
      new Point(),
      [undefined, 1],
      Object.assign([], { length: 3 }),
    ];
    for (const value of values) {
      const copy = toPlainJson(value, { as: "stringify" });
      expect(copy.ok && JSON.stringify(copy.value)).toBe(JSON.stringify(value));
    }
    const endless = { toJSON: () => ({ ...endless }) };
    expect(toPlainJson(endless, { as: "stringify" })).toMatchObject({ message: "more than 256 levels" });
  });
});
