import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DIFFERENCES } from "./differences.ts";
import { FAILED_CALLS, SAME } from "./scripts.ts";
import { builtinSide, normalize, ourSide, type Side } from "./side.ts";

// Both sides are real Pi sessions with a scripted model: one has the built-in codemode tool, one has ours.
let builtin: Side;
let ours: Side;

beforeAll(async () => {
  [builtin, ours] = await Promise.all([builtinSide(), ourSide()]);
});

afterAll(async () => {
  await builtin[Symbol.asyncDispose]();
  await ours[Symbol.asyncDispose]();
});

describe("a script for the built-in codemode gives the same output, character for character", () => {
  // contract D
  test.each(SAME)("%s", async (_promise, code) => {
    const expected = await builtin.run(code);
    const actual = await ours.run(code);
    expect({ ...actual, text: normalize(actual.text) }).toEqual({
      ...expected,
      text: normalize(expected.text),
    });
  });

  test.each(FAILED_CALLS)("%s, with the line that made the call", async (_promise, code) => {
    // D19
    const expected = await builtin.run(code);
    const actual = await ours.run(code);
    const place = /\n {4}at line 1(?=\n)/;
    expect(normalize(actual.text)).toMatch(place);
    const text = normalize(actual.text).replace(place, "");
    expect({ ...actual, text }).toEqual({ ...expected, text: normalize(expected.text) });
  });

  test("the scripts are many", () => {
    expect(SAME.length + FAILED_CALLS.length).toBeGreaterThan(120);
  });
});

/** Names of all built-ins with their members; what an object has itself is not asked for. */
const NAMES = `// @options: {"max_output_tokens": 100000}
const names = (o) => Reflect.ownKeys(o).map(String);
const out = [];
for (const k of names(globalThis)) {
  out.push(k);
  const v = ["tools", "ALL_TOOLS", "models", "ctx", "globalThis"].includes(k) ? undefined : globalThis[k];
  if ((typeof v !== "object" && typeof v !== "function") || v === null) continue;
  for (const m of names(v)) out.push(k + "." + m);
  if (typeof v === "function" && v.prototype) for (const m of names(v.prototype)) out.push(k + ".prototype." + m);
}
const kinds = [function* () {}, async () => {}, async function* () {}, Int8Array, new Map().entries(), [].values()];
for (const [i, kind] of kinds.entries()) for (const m of names(Object.getPrototypeOf(kind))) out.push(i + "." + m);
return [...new Set(out)].sort().join(" ");`;

test("nothing that the built-in codemode has is missing, but what the list names", async () => {
  // D16
  const [theirs, own] = await Promise.all(
    [builtin, ours].map(async (side) => {
      const { text } = await side.run(NAMES);
      return text.slice(text.indexOf("Output:\n|") + 9).split(" ");
    }),
  );
  expect(theirs?.length).toBeGreaterThan(900);
  const missing = theirs?.filter((name) => own?.includes(name) !== true) ?? [];
  const named =
    /^(?:SharedArrayBuffer\b|ArrayBuffer\.prototype\.\w*[iI]mmutable|Function\.prototype\.(?:fileName|lineNumber|columnNumber)$)/;
  // Members of every error that the engine keeps on the error itself, and prototypes of functions that are no classes.
  const elsewhere =
    /^(?:Error\.prototype\.stack|DOMException\.prototype\.(?:name|message)|Symbol\(Symbol\.toStringTag\)|(?:store|load|text|image|exit)\.prototype)/;
  expect(missing.filter((name) => !named.test(name) && !elsewhere.test(name))).toEqual([]);
});

describe("what differs on purpose is on the list", () => {
  test.each(DIFFERENCES)("$id: $promise", async ({ code, builtin: theirs, ours: own }) => {
    const expected = await builtin.run(code);
    const actual = await ours.run(code);
    expect(normalize(expected.text)).toMatch(theirs);
    expect(normalize(actual.text)).toMatch(own);
    expect(normalize(actual.text)).not.toBe(normalize(expected.text));
  });
});

test("stored values are entries that either side reads", async () => {
  const entries = (side: Side) =>
    side.session.session.sessionManager
      .getBranch()
      .flatMap((entry) =>
        entry.type === "custom" && entry.customType === "codemode-store" ? [entry.data] : [],
      );
  const expected = entries(builtin);
  expect(expected.length).toBeGreaterThan(2);
  // The one that the built-in tool loses is on the list: a key named __proto__.
  expect(entries(ours).filter((data) => !JSON.stringify(data).includes("__proto__"))).toEqual(expected);
});

test("nested calls are on record alike", () => {
  // contract A17
  const record = (side: Side) =>
    [...side.session.nestedCalls().values()].flatMap(({ calls }) =>
      calls.map(({ name, status }) => [name, status]),
    );
  // The scripts on which the sides differ come after all others; what came before is the same.
  const expected = record(builtin);
  expect(record(ours).slice(0, 20)).toEqual(expected.slice(0, 20));
  expect(expected.length).toBeGreaterThan(20);
});

test("no extension reported an error", () => {
  expect(builtin.session.errors).toEqual([]);
  expect(ours.session.errors).toEqual([]);
});
