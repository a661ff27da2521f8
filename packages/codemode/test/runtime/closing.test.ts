import { describe, expect, test } from "vitest";
import { createRunner } from "../../src/node/index.ts";
import { CASE_TOOLS, fakeCaller } from "./fake-caller.ts";
import { harness } from "./harness.ts";

const CLOSED = { ok: false, error: { kind: "aborted", name: "AbortError", message: "Runner closed" } };

describe("closing a runner", () => {
  test("ends a script that has just been given a sandbox, at once and as what it is", async () => {
    // Far longer than the test may take: nothing but the end of the runner ends this script.
    const runner = createRunner({ maxProcesses: 1, limits: { cpuMs: 600_000 } });
    expect(await runner.run({ code: "return 1", caller: fakeCaller([]) })).toMatchObject({ ok: true });
    const outcome = runner.run({ code: "return 1", caller: fakeCaller([]) });
    void runner.close();
    expect(await outcome).toMatchObject(CLOSED);
    expect((await outcome) as object).not.toHaveProperty("error.retryable");
  });

  test("ends one that waits for a sandbox in the same way, and nobody is told to try again", async () => {
    const runner = createRunner({ maxProcesses: 1 });
    const outcome = runner.run({ code: "return 1", caller: fakeCaller([]) });
    void runner.close();
    expect(await outcome).toMatchObject(CLOSED);
    expect((await outcome) as object).not.toHaveProperty("error.retryable");
  });

  test("ends what waits in `warm()` for a sandbox that is starting", async () => {
    const runner = createRunner({ maxProcesses: 1 });
    const warm = runner.warm();
    await runner.close();
    await expect(warm).rejects.toMatchObject({ code: "no-sandbox", message: "The runner is closed" });
  });

  test("in the middle of a call, from inside of it, and twice gives one outcome", async () => {
    const runner = createRunner({ maxProcesses: 1 });
    const caller = fakeCaller([
      {
        name: "last",
        run: async () => {
          await runner.close();
          await runner.close();
          return {};
        },
      },
    ]);
    expect(await runner.run({ code: "await tools.last({}); return 1", caller })).toMatchObject(CLOSED);
    await expect(runner.run({ code: "return 1", caller })).rejects.toMatchObject({ code: "closed" });
  });
});

describe("a signal whose reason does not let itself be read", () => {
  const { run } = harness({ maxProcesses: 1 });
  const unreadable: readonly (readonly [string, () => unknown])[] = [
    [
      "an error with a message that throws",
      () =>
        Object.defineProperty(new Error("x"), "message", {
          get() {
            throw new Error("trap");
          },
        }),
    ],
    [
      "a Proxy that throws at everything",
      () =>
        new Proxy(new Error("x"), {
          get() {
            throw new Error("trap");
          },
          getPrototypeOf() {
            throw new Error("trap");
          },
        }),
    ],
    ["an error with a message of another type", () => Object.assign(new Error("x"), { message: { a: 1 } })],
  ];

  test.each(unreadable)("ends the script all the same: %s", async (_, reason) => {
    const aborted = {
      ok: false,
      error: { kind: "aborted", name: "AbortError", message: expect.any(String) },
    };
    expect(await run("return 1", { signal: AbortSignal.abort(reason()) })).toMatchObject(aborted);
    const controller = new AbortController();
    const outcome = await run("await tools.stop({}); return 1", {
      tools: [...CASE_TOOLS, { name: "stop", run: () => controller.abort(reason()) }],
      signal: controller.signal,
    });
    expect(outcome).toMatchObject(aborted);
  });
});
