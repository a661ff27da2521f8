import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { DIFFERENCES } from "./differences.ts";

const root = fileURLToPath(new URL("../../../../../", import.meta.url));

async function rows() {
  const page = await readFile(`${root}docs/differences.md`, "utf8");
  return page.split("\n").flatMap((line) => {
    const [, id, what, why, file] = /^\| (D\d+) *\| (.+?) *\| (.+?) *\| `(.+?)` *\|$/.exec(line) ?? [];
    return id === undefined || what === undefined || why === undefined || file === undefined
      ? []
      : [{ id, what, why, file }];
  });
}

test("the list is complete: every difference that is tested is on it, once", async () => {
  const ids = (await rows()).map(({ id }) => id);
  expect(ids).toEqual(ids.map((_, index) => `D${index + 1}`));
  for (const { id } of DIFFERENCES) expect(ids).toContain(id);
});

test("every line of the list names a test that says so", async () => {
  const list = await rows();
  expect(list.length).toBeGreaterThan(20);
  for (const { id, file } of list) {
    const text = await readFile(root + file, "utf8");
    expect({ id, file, named: new RegExp(`\\b${id}\\b`).test(text) }).toEqual({ id, file, named: true });
  }
});
