import { execFileSync } from "node:child_process";
import { dirname } from "node:path";

import { makeRepository } from "./repository.ts";

const source = (factor: string): string => `export function total(cents: number, count: number): number {
  const factor: number = ${factor};
  return cents * count * factor;
}
`;

/** A small TypeScript project in a repository, with a change that breaks its type check and a test. */
export function makeCart() {
  const repository = makeRepository({
    "package.json": JSON.stringify({
      name: "cart",
      private: true,
      type: "module",
      scripts: { typecheck: "tsc --noEmit -p .", test: "node --test" },
    }),
    "tsconfig.json": JSON.stringify({
      compilerOptions: { strict: true, noEmit: true, module: "nodenext", target: "es2022", types: [] },
      include: ["src"],
    }),
    "src/cart.ts": source("1"),
    "src/other.ts": "export const other = 1;\n",
    "test/cart.test.ts": `import assert from "node:assert/strict";
import { test } from "node:test";

import { total } from "../src/cart.ts";

test("three apples", () => {
  assert.equal(total(50, 3), 150);
});
`,
  });
  repository.write("src/cart.ts", source('count >= 3 ? "0.9" : 1'));
  return repository;
}

/** Puts the workspace's own programs (tsc) and this Node on `PATH`, as an installed project would have them. */
export function withProgramsOnPath(): void {
  const bin = new URL("../../../../node_modules/.bin", import.meta.url).pathname;
  process.env["PATH"] = [bin, dirname(process.execPath), process.env["PATH"] ?? ""].join(":");
  execFileSync("git", ["--version"]);
}
