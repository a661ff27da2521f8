import { describe, expect, test } from "vitest";
import { FRAME } from "../../src/runner/frames.ts";
import { createSession } from "../../src/sandbox/session.ts";
import type { TurnEnd, Vm } from "../../src/sandbox/vm.ts";

/** A realm that does what it is told to, so that the session's own part is seen alone. */
function fakeVm(ends: readonly TurnEnd[], drains: readonly string[]): Vm & { readonly log: string[] } {
  const log: string[] = [];
  const left = [...ends];
  const texts = [...drains];
  const next = (): TurnEnd => left.shift() ?? { kind: "waiting" };
  return {
    log,
    setup: undefined,
    configure: () => void log.push("configure"),
    warm: () => false,
    start: () => next(),
    settle: () => next(),
    tick: () => next(),
    drain: () => texts.shift() ?? '00;{"r":[],"p":1,"w":-1}',
    partial: () => '0;[[4,"partial"]]',
    takeSegment: (index) => `segment ${index}`,
    memoryBytes: () => 7,
    dispose: () => void log.push("dispose"),
  };
}

function open(
  vm: Vm,
  prepare = (): never =>
    ({ ok: true, program: "", lineOffset: -1, trailing: false, mayGoOn: false, shifts: [] }) as never,
) {
  const sent: { type: number; header: unknown; segments: readonly unknown[] }[] = [];
  let ended = 0;
  const session = createSession({
    run: 3,
    vm,
    code: "code",
    setup: "{}",
    own: "{}",
    cpuMs: 100,
    memoryMb: 64,
    maxFrameBytes: 1_000_000,
    prepare,
    send: (type, _run, header, segments = []) =>
      sent.push({ type, header: JSON.parse(header) as unknown, segments }),
    ended: () => void ended++,
    clock: () => 0,
  });
  return { session, sent, ended: () => ended };
}

describe("a session in the sandbox", () => {
  test("reports every turn once, and the end after the realm is gone", () => {
    const vm = fakeVm([], ['00;{"r":[[1,1,0,0]],"p":1,"w":-1}', '11;{"r":[[7,[1,0],[]]],"p":0,"w":-1}']);
    const { session, sent, ended } = open(vm);
    session.start();
    session.settle("[]", 0, []);
    session.settle("[]", 0, []);
    expect(sent).toEqual([
      { type: FRAME.turn, header: { r: [[1, 1, 0, 0]], p: 1, w: -1, b: 0 }, segments: [] },
      {
        type: FRAME.turn,
        header: { r: [[7, [1, 0], []]], p: 0, w: -1, b: 0, h: 7 },
        segments: ["segment 0"],
      },
      { type: FRAME.ended, header: { renew: false }, segments: [] },
    ]);
    expect(vm.log).toEqual(["configure", "dispose"]);
    expect(ended()).toBe(1);
  });

  test("keeps what was put out before a limit, and says which", () => {
    const { session, sent } = open(fakeVm([{ kind: "memory", message: "" }], []));
    session.start();
    expect(sent[0]).toMatchObject({
      header: {
        r: [
          [4, "partial"],
          [8, { kind: "memory" }],
        ],
      },
    });
    expect(sent[1]).toMatchObject({ type: FRAME.ended });
  });

  test.each(["drain", "takeSegment"] as const)(
    "hostile 32: memory that ends in %s is the script's, not a process that broke",
    (step) => {
      const whole = fakeVm([], ['11;{"r":[[4,0]],"p":0,"w":-1}']);
      let gone = false;
      const vm: Vm = {
        ...whole,
        [step]: () => {
          gone = true;
          throw new Error("Isolate was disposed during execution due to memory limit");
        },
        memoryBytes: () => (gone ? undefined : 7),
      };
      const { session, sent, ended } = open(vm);
      session.start();
      expect(sent).toMatchObject([
        { type: FRAME.turn, header: { r: [[8, { kind: "memory", name: "MemoryLimitError" }]] } },
        { type: FRAME.ended, header: { renew: false } },
      ]);
      expect(ended()).toBe(1);
    },
  );

  test("asks for another process when reading a source has broken this one", () => {
    const vm = fakeVm([], []);
    const { session, sent } = open(vm, () => {
      throw new Error("the stripper broke");
    });
    session.start();
    expect(sent).toMatchObject([
      {
        header: {
          r: [
            [4, "partial"],
            [8, { kind: "script", name: "SyntaxError" }],
          ],
        },
      },
      { type: FRAME.ended, header: { renew: true } },
    ]);
    expect(vm.log).toEqual(["dispose"]);
  });
});
