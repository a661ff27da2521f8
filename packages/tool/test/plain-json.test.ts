import { findJsonFault } from "@nestbox/tool";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("plain JSON", () => {
  // contract A9
  it("is everything that JSON can carry", () => {
    const plain = fc.property(fc.jsonValue(), (value) => findJsonFault(value) === undefined);
    expect(fc.check(plain, { numRuns: 1000 }).failed).toBe(false);
  });

  it("is nothing that JSON would drop or change: what passes comes back equal", () => {
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
    let passed = 0;
    fc.assert(
      fc.property(exotic, (value) => {
        const fault = findJsonFault(value);
        if (fault !== undefined) return /^(?:is a|is |has|cannot)/.test(fault.message) && fault.path !== "";
        passed += 1;
        return Buffer.from(JSON.stringify(value)).equals(
          Buffer.from(JSON.stringify(JSON.parse(JSON.stringify(value)))),
        );
      }),
      { numRuns: 5000 },
    );
    expect(passed).toBeGreaterThan(100);
  });

  it("is found at fault at the first place in reading order, with the way to it", () => {
    expect(findJsonFault({ a: [{ b: [0, { "c d": new Date(0) }] }], z: undefined })).toEqual({
      path: "z",
      message: "is undefined; leave the key out, or use null",
    });
    expect(findJsonFault({ a: [{ b: [0, { "c d": new Date(0) }] }], z: new Map() })).toEqual({
      path: 'a[0].b[1]["c d"]',
      message: "is a Date; use toISOString()",
    });
    expect(findJsonFault({ a: Object.assign([1], { extra: 2 }) })).toMatchObject({ path: "a.extra" });
    expect(findJsonFault(Object.defineProperty({}, "hidden", { value: 1 }))).toMatchObject({
      path: "hidden",
    });
    expect(findJsonFault([[1n]])).toMatchObject({ path: "[0][0]" });
    expect(findJsonFault(undefined)).toMatchObject({ path: "value" });
    expect(findJsonFault({ ["k".repeat(500) + " "]: 1n })?.path.length).toBeLessThan(80);
  });
});
