import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  encodeFrame,
  FRAME,
  type Frame,
  FrameError,
  frameChunks,
  FrameReader,
  type Segment,
} from "../../src/runner/frames.ts";
import { CASE_TOOLS, fakeCaller } from "./fake-caller.ts";
import { lyingRunner, type Reply } from "./lying-runner.ts";

const onStart =
  (header: string, segments: readonly Segment[] = [], type: number = FRAME.turn): Reply =>
  (frame, send) => {
    if (frame.type === FRAME.start) send(type, header, segments);
  };

describe("a sandbox that lies", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  test.each([
    ["text that is no JSON", onStart("{")],
    ["no rows", onStart("{}")],
    ["rows of another type", onStart('{"r":{}}')],
    ["a row of an unknown kind", onStart('{"r":[[99,1]],"p":0,"w":-1}')],
    ["a call of a tool that is not in the table", onStart('{"r":[[1,1,99,0]],"p":1,"w":-1}')],
    ["a call under a name instead of an index", onStart('{"r":[[1,1,"constructor",0]],"p":1,"w":-1}')],
    ["a call of a negative index", onStart('{"r":[[1,1,-1,0]],"p":1,"w":-1}')],
    ["the same id twice", onStart('{"r":[[1,1,0,0],[1,1,0,0]],"p":2,"w":-1}')],
    ["an id out of order", onStart('{"r":[[1,5,0,0],[1,3,0,0]],"p":2,"w":-1}')],
    ["a call of no global", onStart('{"r":[[3,1,0,0]],"p":1,"w":-1}')],
    ["a segment that is not there", onStart('{"r":[[4,7]],"p":0,"w":-1}')],
    ["bytes as text", onStart('{"r":[[4,0]],"p":0,"w":-1}', [new Uint8Array(3)])],
    ["bytes as arguments", onStart('{"r":[[1,1,1,0,0]],"p":1,"w":-1}', [new Uint8Array(3)])],
    ["bytes as a value", onStart('{"r":[[7,[1,0],[]]],"p":0,"w":-1}', [new Uint8Array(3)])],
    ["arguments that are nested too deeply", onStart('{"r":[[1,1,1,0,0]],"p":1,"w":-1}', [deep])],
    ["a value that is nested too deeply", onStart('{"r":[[7,[2,0],[]]],"p":0,"w":-1}', [deep])],
    ["store writes of another shape", onStart('{"r":[[7,null,[["a",5]]]],"p":0,"w":-1}')],
    ["a store value that is no JSON", onStart('{"r":[[7,null,[["a","{"]]]],"p":0,"w":-1}')],
    ["an error of its own kind", onStart('{"r":[[8,{"kind":"sandbox","message":"x"}]],"p":0,"w":-1}')],
    ["an image of its own type", onStart('{"r":[[6,"AAAA","text/html"]],"p":0,"w":-1}')],
    [
      "a turn that nobody began",
      ((frame, send) => {
        if (frame.type !== FRAME.start) return;
        send(FRAME.turn, '{"r":[],"p":0,"w":50}');
        send(FRAME.turn, '{"r":[],"p":0,"w":50}');
      }) satisfies Reply,
    ],
    ["a rest in which nothing is waited for", onStart('{"r":[],"p":0,"w":-1}')],
    [
      "an end between two turns",
      ((frame, send) => {
        if (frame.type !== FRAME.start) return;
        send(FRAME.turn, '{"r":[[1,1,2,0]],"p":1,"w":-1}');
        send(FRAME.early, '{"r":[[7,"x",[]]]}');
      }) satisfies Reply,
    ],
    ["more in one report than a script says", onStart(`{"r":[${"[],".repeat(6e6)}[]],"p":0,"w":-1}`)],
    ["the text of one segment in two rows", onStart('{"r":[[4,0],[4,0]],"p":0,"w":-1}', ["once"])],
    [
      "the bytes of one segment in two images",
      onStart('{"r":[[6,0,"image/png"],[6,0,"image/png"]],"p":0,"w":-1}', [new Uint8Array(1e6)]),
    ],
    ["an image that is no base64", onStart('{"r":[[6,"\\"><script>x","image/png"]],"p":0,"w":-1}')],
    [
      "a long image that is no base64",
      onStart('{"r":[[6,0,"image/png"]],"p":0,"w":-1}', ["é".repeat(4_000)]),
    ],
    [
      "a value that takes more memory than its script has",
      onStart('{"r":[[7,[2,0],[]]],"p":0,"w":-1}', [`[${"[],".repeat(12e6)}0]`]),
    ],
    [
      "a refusal of a call that nobody made",
      onStart('{"r":[[8,{"kind":"policy","message":"no"}]],"p":0,"w":-1}'),
    ],
    ["a time that is endless", onStart('{"r":[],"p":0,"w":1e309}')],
    ["a processor time that is endless", onStart('{"r":[[7,"x",[]]],"p":0,"w":-1,"b":1e309}')],
    [
      "frames of other scripts without an end",
      ((frame, send) => {
        if (frame.type === FRAME.start)
          for (let i = 0; i < 2_000; i++) send(FRAME.early, '{"r":[]}', [], frame.run + 1);
      }) satisfies Reply,
    ],
    ["calls in flight that were never made", onStart('{"r":[],"p":3,"w":-1}')],
    ["an end without an outcome", onStart("{}", [], FRAME.ended)],
    ["a frame type of the host's", onStart("{}", [], FRAME.start)],
    [
      "more calls than the script may make",
      onStart(
        `{"r":[${Array.from({ length: 2000 }, (_, i) => `[1,${i + 1},2,0]`).join(",")}],"p":2000,"w":-1}`,
      ),
    ],
  ])(
    "hostile 7: %s ends the script, never the host, and no tool is called without a check",
    async (_name, reply) => {
      const { runner, killed } = lyingRunner(reply);
      const caller = fakeCaller(CASE_TOOLS);
      const outcome = await runner.run({ code: "return 1", caller });
      expect(outcome).toMatchObject({ ok: false, error: { kind: "sandbox" } });
      expect(killed()).toBe(1);
      expect(caller.made.every(({ name }) => CASE_TOOLS.some((tool) => tool.name === name))).toBe(true);
      await runner.close();
    },
  );

  test("hostile 7, hostile 33: of what it says of an error and in warnings, as much is kept as a script may say", async () => {
    const long = "m".repeat(300_000);
    const error = { kind: "script", name: long, message: long, stack: long, line: 1, lineText: long };
    const { runner } = lyingRunner(
      onStart(
        JSON.stringify({
          r: [
            [9, "value", long],
            [8, error],
          ],
          p: 0,
          w: -1,
          x: long,
        }),
      ),
    );
    const outcome = await runner.run({ code: "1", caller: fakeCaller([]) });
    expect(outcome.ok ? undefined : outcome.error.message).toHaveLength(65_536);
    expect(JSON.stringify(outcome).length).toBeLessThan(500_000);
    expect(outcome.warnings.map(({ message }) => message.length)).toEqual([4_000, 4_000]);
    await runner.close();
  });

  test("hostile 7: silence is ended by the watchdog, and the next script gets a new sandbox", async () => {
    const { runner, started, killed } = lyingRunner(() => undefined);
    const caller = fakeCaller([]);
    expect(await runner.run({ code: "1", caller })).toMatchObject({ ok: false, error: { kind: "timeout" } });
    expect(await runner.run({ code: "1", caller })).toMatchObject({ ok: false, error: { kind: "timeout" } });
    expect(started()).toBe(2);
    expect(killed()).toBeGreaterThanOrEqual(2);
    await runner.close();
  });

  test("hostile 7, hostile 39: frames of another run, and calls after the end, are nobody's", async () => {
    const { runner } = lyingRunner((frame, send) => {
      if (frame.type !== FRAME.start) return;
      send(FRAME.turn, '{"r":[[1,1,0,0]],"p":1,"w":-1}', [], frame.run + 1);
      send(FRAME.turn, '{"r":[[7,"done",[]],[1,1,0,0]],"p":0,"w":-1}');
      send(FRAME.turn, '{"r":[[1,2,0,0]],"p":1,"w":-1}');
      send(FRAME.ended, "{}");
    });
    const caller = fakeCaller(CASE_TOOLS);
    const outcome = await runner.run({ code: "1", caller });
    expect(outcome).toMatchObject({ ok: true, value: "done", calls: [] });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(caller.made).toEqual([]);
    await runner.close();
  });

  test("hostile 7: one that speaks between two scripts is ended, and the next script gets another", async () => {
    const { runner, started, killed } = lyingRunner((frame, send) => {
      if (frame.type !== FRAME.start) return;
      send(FRAME.turn, '{"r":[[7,"done",[]]],"p":0,"w":-1}');
      send(FRAME.ended, "{}");
      send(FRAME.early, '{"r":[[4,"more"]]}');
    });
    for (const count of [1, 2]) {
      const outcome = await runner.run({ code: "1", caller: fakeCaller([]) });
      expect(outcome).toMatchObject({ ok: true, value: "done", output: [] });
      await vi.waitFor(() => expect(killed()).toBe(count), { timeout: 10_000 });
      expect(started()).toBe(count);
    }
    await runner.close();
  });

  test("hostile 45: of many words about one key of the store the last one counts", async () => {
    const { runner } = lyingRunner(
      onStart('{"r":[[7,null,[["a"],["a","1"],["b","2"],["b"],["__proto__","3"]]]],"p":0,"w":-1}'),
    );
    const outcome = await runner.run({ code: "1", caller: fakeCaller([]) });
    if (!outcome.ok) throw new Error(outcome.error.message);
    expect(Object.entries(outcome.storeWrites.set)).toEqual([
      ["a", "1"],
      ["__proto__", "3"],
    ]);
    expect(outcome.storeWrites.delete).toEqual(["b"]);
    await runner.close();
  });

  test("hostile 7: whatever a sandbox says, the host gives one outcome and calls only what is in the table", async () => {
    const number = fc.oneof(fc.integer({ min: -2, max: 12 }), fc.double());
    const part = fc.oneof(
      number,
      fc.string({ maxLength: 8 }),
      fc.constant(null),
      fc.constant([1]),
      fc.constant([[]]),
      fc.constant({}),
    );
    const row = fc.array(part, { maxLength: 6 });
    const header = fc.record(
      { r: fc.array(row, { maxLength: 5 }), p: number, w: fc.constant(-1), b: number },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(header, { minLength: 1, maxLength: 4 }), async (headers) => {
        const { runner } = lyingRunner((frame, send) => {
          if (frame.type !== FRAME.start) return;
          for (const item of headers) send(FRAME.early, JSON.stringify(item), ["1", "x"]);
          send(FRAME.turn, '{"r":[[7,null,[]]],"p":0,"w":-1}');
        });
        const caller = fakeCaller([{ name: "noop", run: () => ({}) }]);
        const outcome = await runner.run({ code: "1", caller });
        expect(["ok", "sandbox", "script", "policy", "limit", "timeout", "memory"]).toContain(
          outcome.ok ? "ok" : outcome.error.kind,
        );
        expect(caller.made.every(({ name }) => name === "noop")).toBe(true);
        await runner.close();
      }),
      { numRuns: 200 },
    );
  });
});

describe("frames", () => {
  test("any strings cross whole, in any pieces", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.uint8Array({ maxLength: 300 })), {
          maxLength: 5,
        }),
        fc.nat(1000),
        fc.integer({ min: 1, max: 64 }),
        (segments, run, size) => {
          const frames: Frame[] = [];
          const reader = new FrameReader(1_000_000, (frame) => frames.push(frame));
          const header = JSON.stringify(segments);
          const bytes = Buffer.concat([encodeFrame(17, run, header, segments), encodeFrame(18, run, "{}")]);
          const pieces: Buffer[] = [];
          for (const piece of frameChunks(17, run, header, segments, Buffer.alloc(size + 1))) {
            // A piece is good until the next one.
            pieces.push(Buffer.from(piece));
          }
          expect(Buffer.concat(pieces)).toEqual(encodeFrame(17, run, header, segments));
          for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
          expect(frames).toEqual([
            { type: 17, run, header, segments },
            { type: 18, run, header: "{}", segments: [] },
          ]);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("hostile 33: lone surrogates cross unchanged, and an oversized frame is refused by its length alone", () => {
    const frames: Frame[] = [];
    const reader = new FrameReader(1_000, (frame) => frames.push(frame));
    reader.push(encodeFrame(17, 1, "{}", ["\ud800x\udfff"]));
    expect(frames[0]?.segments).toEqual(["\ud800x\udfff"]);
    const head = Buffer.alloc(4);
    head.writeUInt32LE(0xffff_ffff, 0);
    expect(() => reader.push(head)).toThrow(FrameError);
  });

  test("hostile 7: no bytes make the reader throw anything but its own error", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const reader = new FrameReader(10_000, () => undefined);
        let thrown: unknown;
        try {
          reader.push(Buffer.from(bytes));
        } catch (error) {
          thrown = error;
        }
        expect(thrown === undefined || thrown instanceof FrameError).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
