import { afterAll, describe, expect, test } from "vitest";
import { FRAME } from "../../src/runner/frames.ts";
import { watchedRunner } from "./crossings.ts";
import { CASE_TOOLS, fakeCaller } from "./fake-caller.ts";

const { runner, crossings } = watchedRunner();
afterAll(() => runner.close());
const caller = fakeCaller(CASE_TOOLS);

async function framesOf(
  code: string,
): Promise<{ readonly toHost: unknown[][]; readonly toSandbox: number[] }> {
  crossings.length = 0;
  const outcome = await runner.run({ code, caller });
  expect(outcome).toMatchObject({ ok: true });
  const seen = crossings.slice();
  const rows = (header: string) => (JSON.parse(header) as { r?: unknown[] }).r ?? [];
  return {
    toHost: seen
      .filter(({ to, type }) => to === "host" && type !== FRAME.ended)
      .map(({ header }) => rows(header)),
    toSandbox: seen.filter(({ to }) => to === "sandbox").map(({ type }) => type),
  };
}

const isCall = (row: unknown): boolean => Array.isArray(row) && (row[0] === 1 || row[0] === 2);

describe("what crosses between host and sandbox", () => {
  test("calls made in one turn cross in one frame, and so do their answers", async () => {
    await framesOf("return 1");
    const { toHost, toSandbox } = await framesOf(
      "return (await Promise.all(Array.from({ length: 250 }, (_, i) => tools.noop({ i })))).length",
    );
    expect(toHost.map((rows) => rows.filter(isCall).length).filter((calls) => calls > 0)).toEqual([250]);
    expect(toSandbox).toEqual([FRAME.start, FRAME.answers]);
  });

  test("what was made ready for one script is not given to one with other tools", async () => {
    const other = fakeCaller(CASE_TOOLS.slice(0, 1));
    for (const tools of [caller, other, caller]) {
      // Long enough that the next realm has been made ready for the same tools.
      await framesOf("return 1");
      await new Promise((resolve) => setTimeout(resolve, 100));
      const outcome = await runner.run({ code: "return Object.keys(tools).length", caller: tools });
      expect(outcome).toMatchObject({ ok: true, value: new Set(tools.tools.map(({ name }) => name)).size });
    }
  });

  test("one call after the other crosses one by one", async () => {
    await framesOf("return 1");
    const { toHost, toSandbox } = await framesOf("for (let i = 0; i < 5; i++) await tools.noop({ i })");
    expect(toHost.map((rows) => rows.filter(isCall).length).filter((calls) => calls > 0)).toEqual([
      1, 1, 1, 1, 1,
    ]);
    expect(toSandbox).toEqual([FRAME.start, ...Array.from({ length: 5 }, () => FRAME.answers)]);
  });

  test("a large string crosses once, beside the JSON and never inside it", async () => {
    await framesOf("const s = 'x'.repeat(100000); await tools.echo({ i: s }); return s");
    const large = crossings.filter(
      ({ header, segments }) => header.length > 50_000 || segments.some((s) => s.length > 50_000),
    );
    expect(large.map(({ to, segments }) => [to, segments.length])).toEqual([
      ["host", 1],
      ["sandbox", 1],
      ["host", 1],
    ]);
    expect(crossings.every(({ header }) => header.length < 2_000)).toBe(true);
  });

  test("the tool table crosses once for scripts that have the same tools", async () => {
    const { toSandbox } = await framesOf("return 1");
    expect(toSandbox).toEqual([FRAME.start]);
    const other = fakeCaller([{ name: "other", run: () => 1 }]);
    crossings.length = 0;
    await runner.run({ code: "return 1", caller: other });
    expect(crossings.filter(({ to }) => to === "sandbox").map(({ type }) => type)).toEqual([
      FRAME.tools,
      FRAME.start,
    ]);
  });
});
