import { describe, expect, test } from "vitest";
import { createRunner } from "../../src/node/index.ts";
import { DEFAULT_LIMITS, resolveLimits } from "../../src/runner/limits.ts";
import type { ScriptLimits } from "../../src/types.ts";
import { CASE_TOOLS, fakeCaller } from "./fake-caller.ts";
import { harness } from "./harness.ts";

const { value } = harness({ maxProcesses: 1, stock: 0 });
const ODD: readonly unknown[] = [Number.NaN, -1, "5", null, {}];

/** Uses a little of everything that a limit counts. */
const CODE = `text("a"); console.log("b");
const timer = setTimeout(() => {}, 1_000);
await tools.noop({ i: { deep: [1] } });
clearTimeout(timer);
return { a: { b: [1] } };`;

describe("limits and settings", () => {
  const names = Object.keys(DEFAULT_LIMITS) as (keyof ScriptLimits)[];

  test.each(names.flatMap((name) => [Infinity, 1e18, 2 ** 32].map((limit) => ({ name, limit }))))(
    "a script runs with the limit $name at $limit",
    async ({ name, limit }) => {
      expect(await value(CODE, { limits: { [name]: limit } })).toEqual({ a: { b: [1] } });
    },
    30_000,
  );

  test("every limit that holds is a number that JSON can carry, or none at all", () => {
    const limits = resolveLimits(Object.fromEntries(names.map((name) => [name, Infinity])));
    expect(JSON.parse(JSON.stringify(limits))).toEqual(
      Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined)),
    );
    expect(limits).toMatchObject({ timeoutMs: undefined, callTimeoutMs: undefined });
  });

  test.each(names)("the limit %s is refused where it is none, of a script and of a runner", async (name) => {
    for (const odd of [0, ...ODD]) {
      const limits = { [name]: odd } as Partial<ScriptLimits>;
      expect(() => createRunner({ limits })).toThrow(expect.objectContaining({ code: "misuse" }));
      await expect(value("return 1", { limits })).rejects.toMatchObject({ code: "misuse" });
    }
  });

  test.each(["maxProcesses", "maxWaiting", "waitMs", "idleMs", "maxScripts", "stock", "graceMs"])(
    "the setting %s is refused where no script could run with it",
    (name) => {
      for (const odd of ODD) {
        // `null` is no setting, as `undefined` is.
        if (odd === null) continue;
        const open = () => createRunner({ [name]: odd });
        expect(open).toThrow(
          expect.objectContaining({ code: "misuse", message: expect.stringContaining(name) }),
        );
      }
    },
  );

  test("a runner whose settings are without an end, or at their least, runs scripts", async () => {
    const overflows: string[] = [];
    const onWarning = (warning: Error): void => void overflows.push(warning.name);
    process.on("warning", onWarning);
    const caller = fakeCaller(CASE_TOOLS);
    for (const options of [
      {
        maxProcesses: 1,
        maxWaiting: Infinity,
        waitMs: Infinity,
        idleMs: Infinity,
        maxScripts: Infinity,
        graceMs: Infinity,
      },
      { maxProcesses: 1, maxWaiting: 0, idleMs: 0, maxScripts: 1, stock: 0, graceMs: 0 },
    ]) {
      const runner = createRunner(options);
      for (let i = 0; i < 3; i++)
        expect(await runner.run({ code: CODE, caller })).toMatchObject({ ok: true });
      await runner.close();
    }
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", onWarning);
    expect(overflows).toEqual([]);
  });
});
