import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

// They run in live/readme.live.ts, over a real database.
it("has examples that are files, type-checked here", () => {
  const blocks = [...readme.matchAll(/```ts\n([^]*?)```/g)].map((match) => match[1]);
  const folder = new URL("readme/", import.meta.url);
  const marked = readdirSync(folder)
    .map((name) => readFileSync(new URL(name, folder), "utf8"))
    .map((text) => /^\/\/ README\n([^]*?)^\/\/ README\n/m.exec(text)?.[1])
    .filter((text) => text !== undefined);
  expect(new Set(marked)).toEqual(new Set(blocks));
});
