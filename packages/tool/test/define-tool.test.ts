import { arr, int, lit, num, obj, opt, str, union } from "@earendil-works/pi-schema";
import {
  dataResult,
  defineTool,
  failureResult,
  pageResult,
  refusal,
  takePage,
  textResult,
  throwIfAborted,
  type Clock,
  type ToolResult,
} from "@nestbox/tool";
import { definePiTool, toCustomTools, toolExtension } from "@nestbox/tool/pi";
import { call, runTool, scriptedPiSession } from "@nestbox/tool/testing";
import { createCodemodeExtension } from "@earendil-works/pi-coding-agent";
import { describe, expect, it } from "vitest";

const base = { name: "t", description: "", parameters: obj({}) };
const returning = (value: unknown, outputSchema?: object) =>
  defineTool({
    ...base,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    execute: async () =>
      ({ content: [{ type: "text", text: "ok" }], details: 1, structuredContent: value }) as never,
  });
const textOf = async (tool: ReturnType<typeof returning>) => {
  const run = await runTool(tool, {});
  return run.kind === "result" ? run.text : run.kind;
};

describe("structured content", () => {
  // contract A9
  it("that matches the outputSchema leaves the tool as it is", async () => {
    const run = await runTool(returning({ n: 1 }, obj({ n: num() })), {});
    expect(run).toMatchObject({ kind: "result", isError: false, structured: { n: 1 }, text: "ok" });
  });

  it("that does not match is refused with path and expectation, and the value is not lost: the tool has acted", async () => {
    const schema = obj({ items: arr(obj({ name: str(), count: opt(int()) })) });
    const run = await runTool(returning({ items: [{ name: "a" }, { name: 2, count: "x" }] }, schema), {});
    expect(run).toMatchObject({
      kind: "result",
      isError: true,
      structured: undefined,
      result: { details: 1 },
    });
    expect(run.kind === "result" && run.text).toBe(
      [
        "The tool ran, but its result was refused: structuredContent does not match the outputSchema:",
        "- items.1.name: expected string, got integer",
        "- items.1.count: expected integer, got string",
        "What it returned:",
        JSON.stringify({ items: [{ name: "a" }, { name: 2, count: "x" }] }, undefined, 2),
      ].join("\n"),
    );
  });

  it("that is missing is told, unless the result is an error already", async () => {
    expect(await textOf(returning(undefined, obj({})))).toContain("returned no structuredContent");
    const failed = defineTool({
      ...base,
      outputSchema: obj({ n: num() }),
      execute: async () => ({ ...textResult("broken"), isError: true }),
    });
    expect(await runTool(failed, {})).toMatchObject({ kind: "result", isError: true, text: "broken" });
  });

  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  class Point {
    readonly x = 1;
  }
  it.each<[string, unknown, string]>([
    ["a Date", { list: [{ when: new Date(0) }] }, "list[0].when is a Date; use toISOString()"],
    ["a Map", { m: new Map([["a", 1]]) }, "m is a Map; use Object.fromEntries()"],
    ["a Set", { s: new Set([1]) }, "s is a Set; use an array"],
    ["a BigInt", { "odd key": 1n }, '["odd key"] is a BigInt'],
    ["a cycle", { a: cycle }, "a.self is a cycle"],
    ["NaN", { a: [0, Number.NaN] }, "a[1] is NaN; use null or a string"],
    ["Infinity", { a: Number.NEGATIVE_INFINITY }, "a is -Infinity"],
    ["a function", { a: () => 1 }, "a is a function; return data"],
    ["undefined", { a: { b: undefined } }, "a.b is undefined; leave the key out, or use null"],
    ["a symbol", { a: Symbol("x") }, "a is a symbol"],
    ["a symbol key", { [Symbol("x")]: 1 }, "[Symbol(x)] is a symbol key"],
    // oxlint-disable-next-line no-sparse-arrays
    ["a hole", { a: [1, , 2] }, "a[1] is a hole; use null"],
    [
      "an accessor",
      {
        get a() {
          return 1;
        },
      },
      "a is an accessor",
    ],
    ["a class instance", { p: new Point() }, "p is a Point; return a plain object"],
    ["a promise", { p: Promise.resolve(1) }, "p is a Promise; await it"],
    ["bytes", { p: new Uint8Array(2) }, "p is a Uint8Array; use a base64 string"],
    ["an Error", { p: new TypeError("x") }, "p is a TypeError"],
    ["a toJSON method", { a: { toJSON: () => 1 } }, "a.toJSON is a toJSON method"],
    ["a Date at the top", new Date(0), "value is a Date"],
  ])("that holds %s is refused and named with its path", async (_name, value, message) => {
    for (const tool of [returning(value), returning(value, {})]) {
      const run = await runTool(tool, {});
      expect(run).toMatchObject({ kind: "result", isError: true, structured: undefined });
      expect(run.kind === "result" && run.text).toContain(`structuredContent is not plain JSON: ${message}`);
    }
  });

  it("that is deep, wide or shared is read without recursion and without refusing what JSON allows", async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(await textOf(returning(deep))).toContain("nested more than 256 levels deep");
    const shared = { a: 1 };
    const allowed = {
      first: shared,
      second: shared,
      nothing: null,
      bare: Object.assign(Object.create(null), { b: 1 }) as object,
    };
    expect(await textOf(returning(allowed))).toBe("ok");
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("trap");
        },
      },
    );
    expect(await textOf(returning({ hostile }))).toContain("cannot be read");
  });

  it("that is a key named __proto__ stays data", async () => {
    const value = JSON.parse('{"__proto__": {"polluted": true}}') as unknown;
    expect(await textOf(returning(value))).toBe("ok");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a string", "text"],
    ["no content", { details: 1 }],
    ["a part of no known kind", { content: [{ type: "text", text: "a" }, { type: "video" }], details: 1 }],
    ["a text that is none", { content: [{ type: "text", text: 1 }], details: 1 }],
  ])("in a result that is no result at all (%s) becomes an error result", async (_name, result) => {
    const run = await runTool(defineTool({ ...base, execute: async () => result as never }), {});
    expect(run).toMatchObject({ kind: "result", isError: true });
  });
});

describe("a failure", () => {
  it("with data is an error for the model, and scripts still get the data", async () => {
    // contract A10
    const tool = defineTool({
      ...base,
      name: "check",
      outputSchema: obj({ failed: num() }),
      execute: async () => failureResult({ failed: 2 }, { text: "2 checks failed" }),
    });
    await using pi = await scriptedPiSession({
      extensions: [toolExtension([tool]), createCodemodeExtension()],
      tools: ["+codemode", "+check"],
    });
    await pi.prompt("go", [
      call("check"),
      call("codemode", { code: "const { failed } = await tools.check({}); text(`data: ${failed}`);" }),
      "Done",
    ]);
    expect(pi.toolResults()[0]).toMatchObject({ isError: true, content: [{ text: "2 checks failed" }] });
    expect(pi.resultText("call-2")).toContain("data: 2");
  });

  it("of business reaches the model short, without control characters and secrets", async () => {
    // contract B2, B10
    const secret = `ghp_${"a".repeat(36)}`;
    const refuses = defineTool({
      ...base,
      execute: () =>
        Promise.reject(
          refusal(`\u001b[31mNo city\u0007 for ${secret}\u202e in /home/ann/x. ${"y".repeat(2000)}`),
        ),
    });
    const run = await runTool(refuses, {});
    expect(run).toMatchObject({ kind: "error", error: { code: "refused" } });
    expect(run.kind === "error" && run.message).toMatch(
      /^No city for \[redacted: github-token\] in ~\/x\. y+…$/,
    );
    expect(run.kind === "error" && run.message.length).toBe(500);
  });

  it("that was thrown by something else loses its secrets and its cause, and keeps name and code", async () => {
    const upstream = Object.assign(
      new TypeError("401 from https://bob:hunter22@api.test: Authorization: Bearer abcdefghijklmnop"),
      {
        code: "EUPSTREAM",
        cause: new Error("raw body"),
      },
    );
    const run = await runTool(defineTool({ ...base, execute: () => Promise.reject(upstream) }), {});
    expect(run).toMatchObject({ kind: "error", error: { name: "TypeError", code: "EUPSTREAM" } });
    expect(run.kind === "error" && run.error.cause).toBeUndefined();
    expect(run.kind === "error" && run.message).toBe(
      "401 from https://[redacted: url-credentials]@api.test: Authorization: Bearer [redacted: authorization]",
    );
    for (const thrown of [
      undefined,
      null,
      "",
      {
        toString: () => {
          throw new Error("x");
        },
      },
    ]) {
      const odd = await runTool(
        defineTool({ ...base, execute: () => Promise.reject(thrown as unknown as Error) }),
        {},
      );
      expect(odd).toMatchObject({ kind: "error" });
    }
  });
});

describe("cancellation", () => {
  it("before the call rejects with AbortError and runs nothing", async () => {
    // contract B3
    let ran = false;
    const tool = defineTool({ ...base, execute: async () => ((ran = true), textResult("")) });
    const reason = new Error("user left");
    const rejected = tool.execute("1", {}, AbortSignal.abort(reason), undefined, undefined);
    await expect(rejected).rejects.toMatchObject({ name: "AbortError", cause: reason });
    expect(ran).toBe(false);
  });

  it("between stages ends the call, and reaches what listens to the signal", async () => {
    const stages: string[] = [];
    const tool = defineTool({
      ...base,
      async execute(_id, _params, signal, onUpdate) {
        for (const stage of ["one", "two", "three"]) {
          throwIfAborted(signal);
          stages.push(stage);
          onUpdate?.(textResult(stage));
          await Promise.resolve();
        }
        return textResult("done");
      },
    });
    expect(await runTool(tool, {}, { abortAfterUpdates: 1 })).toMatchObject({ kind: "aborted" });
    expect(stages).toEqual(["one"]);
    const hangs = defineTool({
      ...base,
      execute: (_id, _params, signal, onUpdate) =>
        new Promise<never>((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason as Error));
          onUpdate?.(textResult("waiting"));
        }),
    });
    expect(await runTool(hangs, {}, { abortAfterUpdates: 1 })).toMatchObject({ kind: "aborted" });
  });

  it("of a nested call is an outcome, not a rejection", async () => {
    // contract A19
    const hangs = defineTool({
      ...base,
      name: "hangs",
      execute: (_id, _params, signal) =>
        new Promise<never>((_resolve, reject) =>
          signal?.addEventListener("abort", () => reject(signal.reason as Error)),
        ),
    });
    const caller = definePiTool({
      ...base,
      name: "caller",
      async execute(_id, _params, _signal, _onUpdate, ctx) {
        const outcomes = await Promise.all([
          ctx.executeTool("hangs", {}, { signal: AbortSignal.timeout(20) }),
          ctx.executeTool("hangs", {}, { signal: AbortSignal.abort() }),
          ctx.executeTool("nowhere", {}),
        ]);
        return textResult(outcomes.map(({ isError }) => isError).join());
      },
    });
    await using pi = await scriptedPiSession({ customTools: toCustomTools([hangs, caller]) });
    await pi.prompt("go", [call("caller"), "Done"]);
    expect(pi.resultText()).toBe("true,true,true");
    expect(await runTool(caller, {}, { tools: [hangs] })).toMatchObject({ text: "true,true,true" });
  });
});

describe("arguments", () => {
  it("that a handler changed after the host's validation are checked again next to the effect", async () => {
    // contract B7
    const ran: unknown[] = [];
    const tool = defineTool({
      name: "remove",
      description: "",
      parameters: obj({ target: union([lit("cache"), lit("logs")]), days: opt(int()) }),
      execute: async (_id, params) => (ran.push(params), textResult("ok")),
    });
    const change = (to: Record<string, unknown>) => ({
      name: "changer",
      factory: (pi: Parameters<ReturnType<typeof toolExtension>>[0]) => {
        pi.on("tool_call", (event) => void Object.assign(event.input, to));
      },
    });
    for (const [to, isError] of [
      [{ target: "everything" }, true],
      [{ extra: 1 }, true],
      [{ days: "7" }, false],
    ] as const) {
      await using pi = await scriptedPiSession({ extensions: [toolExtension([tool]), change(to)] });
      await pi.prompt("go", [call("remove", { target: "cache" }), "Done"]);
      expect(pi.toolResults()[0]).toMatchObject({ isError });
    }
    expect(ran).toEqual([{ target: "cache", days: 7 }]);
  });

  it("reach execute coerced and closed: lengths, literals, unknown keys", async () => {
    // contract B2
    const tool = defineTool({
      ...base,
      parameters: obj({ word: str({ minLength: 2 }), n: int() }),
      execute: async (_id, params) => dataResult(params),
    });
    expect(await runTool(tool, { word: "ab", n: "3" })).toMatchObject({
      kind: "result",
      structured: { word: "ab", n: 3 },
    });
    expect(await runTool(tool, { word: "a", n: 3, other: 1 })).toMatchObject({
      kind: "invalid",
      message: expect.stringContaining("- other: unknown field") as string,
    });
  });
});

describe("progress", () => {
  const testClock = () => {
    let now = 0;
    const waiting = new Set<{ at: number; callback: () => void }>();
    const clock: Clock = {
      now: () => now,
      after(ms, callback) {
        const entry = { at: now + ms, callback };
        waiting.add(entry);
        return () => void waiting.delete(entry);
      },
    };
    const pass = (ms: number) => {
      now += ms;
      for (const entry of waiting) {
        if (entry.at > now) continue;
        waiting.delete(entry);
        entry.callback();
      }
    };
    return { clock, pass, waiting };
  };
  const textsOf = (updates: readonly ToolResult[]) =>
    updates.map(({ content }) => (content[0]?.type === "text" ? content[0].text : ""));

  it("is complete, at most one in an interval with the latest told, and silent after the end", async () => {
    // contract B4
    const { clock, pass, waiting } = testClock();
    let late: (() => void) | undefined;
    const tool = defineTool(
      {
        ...base,
        async execute(_id, _params, _signal, onUpdate) {
          const tell = (text: string) => onUpdate?.(textResult(text, { details: { text } }));
          for (const text of ["a", "b", "c"]) tell(text);
          pass(50);
          for (const text of ["d", "e"]) tell(text);
          pass(200);
          tell("f");
          tell("g");
          late = () => tell("late");
          return textResult("done");
        },
      },
      { clock },
    );
    const run = await runTool(tool, {});
    late?.();
    pass(1000);
    expect(textsOf(run.updates)).toEqual(["a", "c", "e", "g"]);
    expect(run.updates[1]).toEqual({ content: [{ type: "text", text: "c" }], details: { text: "c" } });
    expect(run.lateUpdates()).toBe(0);
    expect(waiting.size).toBe(0);
  });

  it("is bounded in number and in size, and the last update is among those told", async () => {
    const { clock, pass } = testClock();
    const tool = defineTool(
      {
        ...base,
        async execute(_id, _params, _signal, onUpdate) {
          for (let step = 1; step <= 5000; step += 1) {
            pass(100);
            onUpdate?.(textResult(`${step} `.padEnd(4000, "x")));
          }
          return textResult("done");
        },
      },
      { clock, progress: { maxUpdates: 10, maxBytes: 1000 } },
    );
    const { updates } = await runTool(tool, {});
    expect(updates).toHaveLength(10);
    expect(textsOf(updates).at(-1)).toMatch(/^5000 /);
    expect(textsOf(updates).every((text) => text.length <= 1000 && text.includes("omitted"))).toBe(true);
  });

  it("survives a listener that throws, and an update that is incomplete", async () => {
    const tool = defineTool({
      ...base,
      async execute(_id, _params, _signal, onUpdate) {
        onUpdate?.({} as never);
        onUpdate?.(undefined as never);
        return textResult("done");
      },
    });
    const seen: unknown[] = [];
    await tool.execute(
      "1",
      {},
      undefined,
      (update) => {
        seen.push(update);
        throw new Error("listener");
      },
      undefined,
    );
    expect(seen).toEqual([{ content: [], details: undefined }]);
  });

  it("and content lose their secrets where a redactor was given", async () => {
    // contract B10
    const tool = defineTool(
      {
        ...base,
        async execute(_id, _params, _signal, onUpdate) {
          onUpdate?.(textResult("step hunter2"));
          return textResult("done hunter2");
        },
      },
      { redact: (text) => text.replaceAll("hunter2", "***") },
    );
    const run = await runTool(tool, {});
    expect(textsOf(run.updates)).toEqual(["step ***"]);
    expect(run).toMatchObject({ text: "done ***" });
  });
});

describe("results", () => {
  it("of data show the model JSON unless a text is given, and are cut to Pi's limits", async () => {
    expect(dataResult({ a: 1 })).toEqual({
      content: [{ type: "text", text: '{\n  "a": 1\n}' }],
      structuredContent: { a: 1 },
      details: undefined,
    });
    const big = dataResult({ lines: Array.from({ length: 100_000 }, (_, index) => `line ${index}`) });
    const text = big.content[0]?.type === "text" ? big.content[0].text : "";
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(50 * 1024);
    expect(text.split("\n").length).toBeLessThanOrEqual(2000);
    expect(text).toContain("omitted");
    expect(big.structuredContent.lines).toHaveLength(100_000);
  });

  it("that ask to end the follow-up carry it", () => {
    // contract A13
    expect(textResult("x", { terminate: true })).toHaveProperty("terminate", true);
    expect(textResult("x")).not.toHaveProperty("terminate");
  });

  it("of a page are bounded in items and bytes, and every item is reached once through the cursors", () => {
    // contract B11
    const list = Array.from({ length: 250 }, (_, index) => ({ id: index, text: "x".repeat(index % 50) }));
    for (const options of [{ limit: 7 }, { maxBytes: 300 }, { limit: 100_000 }]) {
      const seen: number[] = [];
      let cursor: string | undefined;
      do {
        const page = takePage(list, {
          ...options,
          ...(cursor === undefined ? {} : { cursor }),
          version: "v/1",
        });
        expect(page.total).toBe(250);
        expect(page.items.length).toBeLessThanOrEqual(Math.min(options.limit ?? 100, 1000));
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(list.map(({ id }) => id));
    }
    expect(takePage([{ big: "x".repeat(9999) }, 1], { maxBytes: 10 }).items).toHaveLength(1);
    const result = pageResult(takePage(list, { limit: 2 }));
    expect(result.structuredContent).toMatchObject({ total: 250, nextCursor: "2." });
    expect(result.content[0]).toMatchObject({
      text: expect.stringMatching(/\[2 of 250 items; .* cursor "2\." for more\]$/) as string,
    });
  });

  it.each([
    "",
    "x",
    "-1.",
    "1e3.",
    "99999999999999999999.",
    "5.other",
    "250.v",
    "2.v\n",
    `2.${"v".repeat(500)}`,
    "02.v",
  ])("of a page refuse the cursor %j", (cursor) => {
    const list = Array.from({ length: 250 }, (_, index) => index);
    expect(() => takePage(list, { cursor, version: "v" })).toThrow(
      expect.objectContaining({ code: "refused" }),
    );
  });
});
