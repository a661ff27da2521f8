import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { readScript, scriptTarget } from "../../src/node/project/script.ts";

const names = new Set(["test:unit", "build", "test"]);
function targetOf(script: string) {
  return scriptTarget(readScript(script).commands.at(-1) ?? [], names);
}

describe("a package script is recognised by its words, and never run by us", () => {
  test.each([
    ["vitest", "vitest"],
    ["vitest run --coverage", "vitest"],
    ["cross-env NODE_ENV=test jest --ci", "jest"],
    ["NODE_ENV=test npx jest", "jest"],
    ["node --experimental-vm-modules node_modules/jest/bin/jest.js", "jest"],
    ["react-scripts test", "jest"],
    ["c8 mocha 'test/**/*.js'", "mocha"],
    ["nyc _mocha", "mocha"],
    ["playwright test --project=chromium", "playwright"],
    ["bun test src", "bun"],
    ["node --test", "node:test"],
    ["node --import tsx --test src/*.test.ts", "node:test"],
    ["tsx --test", "node:test"],
    ["npm run build && vitest run", "vitest"],
    ["tape test/*.js", "tap"],
    ["ava", "tap"],
  ])("%s is %s", (script, runner) => {
    expect(targetOf(script)).toMatchObject({ kind: "runner", runner });
  });

  test.each([
    ["npm run test:unit", { kind: "script", name: "test:unit" }],
    ["pnpm test:unit", { kind: "script", name: "test:unit" }],
    ["yarn run build", { kind: "script", name: "build" }],
    ["npm t", { kind: "script", name: "test" }],
    ["turbo run test", { kind: "workspaces" }],
    ["pnpm -r test", { kind: "workspaces" }],
    ["npm test --workspaces", { kind: "workspaces" }],
    ["pnpm --filter a test", { kind: "workspaces" }],
    ["node scripts/test.ts", { kind: "unknown" }],
    ["make test", { kind: "unknown" }],
    ["", { kind: "unknown" }],
    ["toString", { kind: "unknown" }],
    ["__proto__ constructor", { kind: "unknown" }],
  ])("%s is told as what it is", (script, expected) => {
    expect(targetOf(script)).toEqual(expected);
  });

  test("arguments can be added only where they reach the runner as words", () => {
    expect(readScript("build && vitest run").sequence).toBe(true);
    for (const script of [
      "vitest run | tee log",
      "vitest run; true",
      "(vitest)",
      "vitest > log",
      "vitest # why",
      "echo $(x) && vitest",
      "vitest &",
    ]) {
      expect([script, readScript(script).sequence]).toEqual([script, false]);
    }
  });

  test("quotes are taken off, and words stay whole", () => {
    expect(readScript(`jest "a b" 'c && d' e\\ f`).commands).toEqual([["jest", "a b", "c && d", "e f"]]);
    expect(readScript('jest "unclosed').commands).toEqual([]);
  });

  test("any text gives an answer", () => {
    fc.assert(
      fc.property(fc.string(), (script) => {
        for (const words of readScript(script).commands)
          expect(scriptTarget(words, names).kind).toMatch(/^\w+$/);
      }),
    );
  });
});
