import { beforeAll, describe, expect, test } from "vitest";
import { createScriptChecker, type ScriptChecker } from "../../src/check/node/script-checker.ts";
import { RIGHT, tools, WRONG } from "./scripts.ts";

let checker: ScriptChecker;

beforeAll(() => {
  checker = createScriptChecker({ timeoutMs: 60_000 });
});

describe.concurrent("a script that is right is never refused", () => {
  test.each(RIGHT)("%s", async (code) => {
    expect(await checker.check({ code, tools })).toEqual({ kind: "clean" });
  });
});

describe.concurrent("a script with a mistake is told where and what it is", () => {
  test.each(WRONG)("%s", async (code, place, message) => {
    const outcome = await checker.check({ code, tools });
    const diagnostics = outcome.kind === "faulty" ? outcome.diagnostics : [];
    const told = diagnostics.map(({ line, column, message: text }) => ({ at: `${line}:${column}`, text }));
    expect(told).toEqual([{ at: place, text: expect.stringMatching(message) }]);
  });
});
