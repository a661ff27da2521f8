import { afterAll, beforeAll, expect, test } from "vitest";
import { builtinSide, normalize, ourSide, type Side } from "./side.ts";
import { FURTHER } from "./further-scripts.ts";
import { WRITTEN } from "./written-scripts.ts";

let builtin: Side;
let ours: Side;

beforeAll(async () => {
  [builtin, ours] = await Promise.all([builtinSide(), ourSide()]);
});

afterAll(async () => {
  await builtin[Symbol.asyncDispose]();
  await ours[Symbol.asyncDispose]();
});

// contract D
test.each([...WRITTEN, ...FURTHER].map((code) => ({ code })))(
  "the same text as from the built-in codemode: $code",
  async ({ code }) => {
    const expected = await builtin.run(code);
    const actual = await ours.run(code);
    expect({ ...actual, text: normalize(actual.text) }).toEqual({
      ...expected,
      text: normalize(expected.text),
    });
  },
);

test("the scripts are many", () => {
  expect(new Set([...WRITTEN, ...FURTHER]).size).toBeGreaterThan(400);
});
