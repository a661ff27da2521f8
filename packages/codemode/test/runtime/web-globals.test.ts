import { describe, expect, test } from "vitest";
import { harness } from "./harness.ts";

const { run, value } = harness();

describe("web globals", () => {
  test("URL and URLSearchParams parse, change and print as on the web", async () => {
    expect(
      await value(`
        const url = new URL("../b?x=1&x=2#h", "https://user@Example.com:8080/a/c");
        url.searchParams.append("ü", "a b");
        url.port = "";
        const params = new URLSearchParams({ a: "1", b: "&" });
        return [url.href, url.origin, url.searchParams.getAll("x"), String(params), URL.canParse("nope"), [...params.keys()],
          JSON.stringify({ url }), new URL("https://例え.jp").hostname];
      `),
    ).toEqual([
      "https://user@example.com/b?x=1&x=2&%C3%BC=a+b#h",
      "https://example.com",
      ["1", "2"],
      "a=1&b=%26",
      false,
      ["a", "b"],
      '{"url":"https://user@example.com/b?x=1&x=2&%C3%BC=a+b#h"}',
      "xn--r8jz45g.jp",
    ]);
    expect(await run('new URL("nope")')).toMatchObject({
      ok: false,
      error: { name: "TypeError", message: "Invalid URL" },
    });
  });

  test("text is encoded and decoded, in pieces too", async () => {
    expect(
      await value(`
        const bytes = new TextEncoder().encode("é€😀");
        const decoder = new TextDecoder();
        let text = "";
        for (const byte of bytes) text += decoder.decode(new Uint8Array([byte]), { stream: true });
        text += decoder.decode();
        return [Array.from(bytes), text, new TextDecoder("latin1").decode(new Uint8Array([233])), btoa("hi"), atob("aGk=")];
      `),
    ).toEqual([[195, 169, 226, 130, 172, 240, 159, 152, 128], "é€😀", "é", "aGk=", "hi"]);
    expect(await run('atob("%")')).toMatchObject({ ok: false, error: { name: "InvalidCharacterError" } });
  });

  test("structuredClone copies what JSON loses and refuses what cannot be copied", async () => {
    expect(
      await value(`
        const a = { m: new Map([[1, new Set([2])]]), d: new Date(0), r: /x/g, e: new RangeError("r"), u: new Uint8Array([1]) };
        a.self = a;
        const b = structuredClone(a);
        let refused;
        try { structuredClone(() => 1) } catch (error) { refused = error.name }
        return [b !== a, b.self === b, [...b.m.get(1)], b.d.getTime(), String(b.r), b.e instanceof RangeError, b.u[0], refused];
      `),
    ).toEqual([true, true, [2], 0, "/x/g", true, 1, "DataCloneError"]);
  });

  test("an AbortController tells its signal's listeners", async () => {
    expect(
      await value(`
        const seen = [];
        const controller = new AbortController();
        const any = AbortSignal.any([controller.signal, AbortSignal.timeout(60000)]);
        any.addEventListener("abort", (event) => seen.push(event.type));
        controller.abort();
        let thrown;
        try { any.throwIfAborted() } catch (error) { thrown = [error.name, error instanceof DOMException, error.code] }
        return [seen, any.aborted, thrown];
      `),
    ).toEqual([["abort"], true, ["AbortError", true, 20]]);
  });

  test("crypto makes UUIDs and digests, performance and microtasks work", async () => {
    expect(
      await value(`
        const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("abc"));
        const hex = Array.from(new Uint8Array(hash), (b) => b.toString(16).padStart(2, "0")).join("");
        const order = [];
        queueMicrotask(() => order.push("micro"));
        await null; await null;
        return [/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/.test(crypto.randomUUID()), hex.slice(0, 16),
          crypto.getRandomValues(new Uint8Array(4)).length, performance.now() >= 0, order];
      `),
    ).toEqual([true, "ba7816bf8f01cfea", 4, true, ["micro"]]);
  });

  // contract R3, S35
  test("timers fire in order, intervals repeat until cleared", async () => {
    expect(
      await value(`
        const seen = [];
        setTimeout(() => seen.push("b"), 10);
        setTimeout(() => seen.push("a"), 1);
        const cleared = setTimeout(() => seen.push("never"), 5);
        clearTimeout(cleared);
        let ticks = 0;
        await new Promise((resolve) => {
          const interval = setInterval(() => { if (++ticks === 3) { clearInterval(interval); resolve() } }, 2);
        });
        await new Promise((resolve) => setTimeout(resolve, 20));
        return [seen, ticks];
      `),
    ).toEqual([["a", "b"], 3]);
  });

  test("console has every method and never throws for a strange value", async () => {
    const outcome = await run(`
      console.log("a", 1, [2], { b: 3 }, undefined, null, 4n, Symbol("s"), new Error("e").message, NaN);
      console.group("g"); console.warn("in"); console.groupEnd(); console.error("out");
      console.count(); console.count("x"); console.count(); console.assert(true, "no"); console.assert(false, "yes", 1);
      console.table([{ a: 1, b: 2 }, { a: 3 }]); console.dir({ c: 1 });
      const self = {}; self.self = self; console.log(self);
    `);
    expect(outcome.output.map((item) => (item.type === "console" ? item.text : item))).toEqual([
      'a 1 [2] {"b":3} undefined null 4 Symbol(s) e NaN',
      "g",
      "  in",
      "out",
      "default: 1",
      "x: 1",
      "default: 2",
      "Assertion failed: yes 1",
      "(index) | a | b\n0 | 1 | 2\n1 | 3 | ",
      '{"c":1}',
      '{"self":"[Circular]"}',
    ]);
  });

  test("a table of a Map, a Set or of what has no columns shows what is in it", async () => {
    const outcome = await run(`
      console.table(new Map([["a", 1], [{ k: 1 }, { x: 2 }]])); console.table(new Set([1, { x: 2 }]));
      console.table([new Date(0), { a: 1 }, new Map([[1, 2]]), {}]); console.table([new Error("m").message]);
      console.table(new Uint8Array([7]));
    `);
    expect(outcome.output.map((item) => (item.type === "console" ? item.text : item))).toEqual([
      '(iteration index) | Key | x | Values\n0 | a |  | 1\n1 | {"k":1} | 2 | ',
      "(iteration index) | x | Values\n0 |  | 1\n1 | 2 | ",
      '(index) | a | Values\n0 |  | "1970-01-01T00:00:00.000Z"\n1 | 1 | \n2 |  | [[1,2]]\n3 |  | ',
      "(index) | Values\n0 | m",
      "(index) | Values\n0 | 7",
    ]);
  });

  test("a script may replace them, and the bridge does not notice", async () => {
    expect(
      await value(
        "URL = 1; globalThis.setTimeout = 2; structuredClone = null; return [URL, setTimeout, structuredClone]",
      ),
    ).toEqual([1, 2, null]);
  });

  // What scripts must not have.
  test("nothing reaches the outside: no fetch, process, require, WebAssembly or SharedArrayBuffer", async () => {
    expect(
      await value(
        'return ["fetch", "process", "require", "WebAssembly", "SharedArrayBuffer", "Atomics", "Buffer", "global", "gc"].filter((name) => name in globalThis)',
      ),
    ).toEqual([]);
  });
});
