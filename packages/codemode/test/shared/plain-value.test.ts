import { describe, expect, test } from "vitest";
import { needsCare } from "../../src/shared/plain-value.ts";

describe("what is looked at before a value becomes JSON", () => {
  test("is never the list of the members of bytes, of which there are millions", () => {
    let listed = 0;
    const watched = (value: object): object =>
      new Proxy(value, {
        ownKeys(target) {
          listed++;
          return Reflect.ownKeys(target);
        },
      });
    for (const bytes of [new Uint8Array(4), new Float64Array(4), Buffer.from("four")]) {
      expect(needsCare(watched(bytes))).toBe(true);
      expect(needsCare({ page: [watched(bytes)] })).toBe(true);
    }
    expect(listed).toBe(0);
    expect(needsCare(watched({ a: 1 }))).toBe(false);
    expect(listed).toBeGreaterThan(0);
  });

  test("is whether JSON would lose anything", () => {
    for (const value of [null, "text", 1, true, [1, { a: [null] }], Object.create(null)])
      expect(needsCare(value)).toBe(false);
    for (const value of [Number.NaN, 1n, () => 1, new Map(), new Error("x"), { d: new Date(Number.NaN) }])
      expect(needsCare(value)).toBe(true);
  });
});
