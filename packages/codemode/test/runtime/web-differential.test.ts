import { runInThisContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { harness } from "./harness.ts";
import { CLONE_CASES } from "./web-cases/clone.ts";
import { ENCODING_CASES } from "./web-cases/encoding.ts";
import { EVENT_CASES } from "./web-cases/events.ts";
import { casesScript } from "./web-cases/show.ts";
import { URL_CASES } from "./web-cases/url.ts";

const { run, value } = harness({ maxProcesses: 1 });

const groups = Object.entries({ ...URL_CASES, ...ENCODING_CASES, ...CLONE_CASES, ...EVENT_CASES });

describe("a web global does in a script what it does in Node", () => {
  test.each(groups)(
    "%s",
    async (_name, cases) => {
      const code = casesScript(cases);
      const node = runInThisContext(`(async () => {${code}})()`) as Promise<string>;
      // Signals with a time-out do not keep Node's process alive: the test does.
      const expected = JSON.parse(await node) as string[];
      const found = JSON.parse((await value(code)) as string) as string[];
      const table = (results: readonly string[]): string[] => cases.map((at, i) => `${at} → ${results[i]}`);
      expect(table(found)).toEqual(table(expected));
    },
    60_000,
  );
});

/** Where Node is silent about a loss, or says it in its own way only. */
const ON_PURPOSE: readonly (readonly [code: string, outcome: unknown])[] = [
  ["JSON.stringify({ p: new URLSearchParams('a=1') })", '{"p":"a=1"}'],
  ["structuredClone(new Proxy({ a: 1 }, {}))", { a: 1 }],
  ["structuredClone(new Proxy(new Map([[1, 2]]), {}))", "DataCloneError"],
  ["structuredClone(new AbortController())", "DataCloneError"],
  ["structuredClone(new Event('x'))", "DataCloneError"],
  ["structuredClone(new TextEncoder())", "DataCloneError"],
  ["structuredClone(Object.create(Date.prototype))", "DataCloneError"],
  [
    "const t = new EventTarget(), e = new Event('a'); let name; t.addEventListener('a', () => { try { t.dispatchEvent(e) } catch (x) { name = x.name } }); t.dispatchEvent(e); return name",
    "InvalidStateError",
  ],
  ["typeof setTimeout(() => 1, 1)", "number"],
  ["typeof URL.createObjectURL", "undefined"],
  ["AbortSignal.abort().addEventListener('abort', null)", undefined],
];

test.each(ON_PURPOSE)("differs from Node on purpose: %s", async (code, expected) => {
  const body = /\breturn\b/.test(code) ? code : `return ${code}`;
  expect(await value(`try { ${body} } catch (error) { return error.name }`)).toEqual(expected);
});

describe("what web globals are as values", () => {
  test("a URL's base may be a URL", async () => {
    expect(await value("return new URL('c?q', new URL('https://a.b/x/y')).href")).toBe("https://a.b/x/c?q");
  });

  // hostile 37
  test.each(["new AbortController()", "AbortSignal.abort(1)", "new Event('x')", "new TextDecoder()"])(
    "%s has nothing to carry, and says so",
    async (code) => {
      const outcome = await run(`return ${code}`);
      expect(outcome).toMatchObject({
        ok: true,
        value: {},
        warnings: [{ kind: "value", message: expect.stringContaining("nothing that JSON can carry") }],
      });
    },
  );

  test("a helper on Object.prototype does not take them away", async () => {
    const code = `Object.prototype.get = function (key) { return this[key] };
      const url = new URL("https://a.b/c?d=1");
      return [url.get("host"), [...url.searchParams], new TextDecoder().decode(new TextEncoder().encode("é"))]`;
    expect(await value(code)).toEqual(["a.b", [["d", "1"]], "é"]);
  });

  test("long text is encoded into a buffer at once", async () => {
    const code = `const target = new Uint8Array(3e6);
      const { read, written } = new TextEncoder().encodeInto("€".repeat(2e6), target);
      return [read, written, target[0], target.at(-1)]`;
    expect(await value(code)).toEqual([1_000_000, 3_000_000, 0xe2, 0xac]);
  });

  test.each([
    "utf-8",
    "utf-16le",
    "utf-16be",
    "gbk",
    "gb18030",
    "big5",
    "shift_jis",
    "euc-jp",
    "euc-kr",
    "iso-2022-jp",
  ])(
    "bytes in %s are the same text in pieces as at once, however they are cut and whatever they are",
    async (encoding) => {
      const code = `
        let seed = 7;
        const random = (below) => { seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff; return (seed >>> 8) % below };
        const likely = [0x41, 0x5c, 0x7e, 0x0a, 0x30, 0x81, 0x8e, 0x8f, 0xa1, 0xc4, 0xe3, 0xfe, 0xff, 0x1b, 0x24, 0x42, 0xd8, 0xed, 0xf0, 0x9f];
        const different = [];
        for (let i = 0; i < 300; i++) {
          const bytes = Uint8Array.from({ length: random(24) }, () => (random(4) ? likely[random(likely.length)] : random(256)));
          const decoder = new TextDecoder("${encoding}");
          let text = "";
          for (let at = 0; at < bytes.length; ) {
            const end = at + 1 + random(4);
            text += decoder.decode(bytes.subarray(at, end), { stream: true });
            at = end;
          }
          text += decoder.decode();
          if (text !== new TextDecoder("${encoding}").decode(bytes)) different.push([...bytes]);
        }
        return different`;
      expect(await value(code)).toEqual([]);
    },
    60_000,
  );

  test("very many empty objects are cloned as fast as others", async () => {
    const code = "return structuredClone(Array.from({ length: 200_000 }, () => ({}))).length";
    expect(await value(code, { limits: { cpuMs: 15_000 } })).toBe(200_000);
  }, 60_000);

  test("timers take odd delays, and clearing takes the digits of an id", async () => {
    const code = `const seen = [];
      setTimeout(() => seen.push("negative"), -5); setTimeout(() => seen.push("NaN"), NaN);
      setTimeout(() => seen.push("text"), "3"); setTimeout(() => seen.push("none"));
      setTimeout(() => seen.push("never"), 1e12);
      clearTimeout(String(setTimeout(() => seen.push("cleared"), 1)));
      for (const odd of [undefined, null, {}, "x", NaN, Symbol()]) clearTimeout(odd);
      await new Promise((resolve) => setTimeout(resolve, 40));
      return seen`;
    expect(await value(code)).toEqual(["negative", "NaN", "none", "text"]);
  });
});
