import { expect, test } from "vitest";
import type { Row } from "../src/node/database.ts";
import { createValues } from "../src/node/values.ts";

function largeTable() {
  const kept = new Map<string, string>();
  return {
    kept,
    query(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
      const [runId, hash, body] = values.map(String);
      const key = `${runId} ${hash}`;
      if (text.startsWith("INSERT")) {
        if (!kept.has(key)) kept.set(key, body ?? "");
        return Promise.resolve([]);
      }
      const found = kept.get(key);
      return Promise.resolve(found === undefined ? [] : [{ body: found }]);
    },
  };
}

test("a small value stands in its row, a large one once under its hash", async () => {
  const table = largeTable();
  const values = createValues(table, { inlineChars: 20, maxValueChars: 1_000 });
  expect(await values.store("run", values.text("small"))).toEqual({ value: '"small"', hash: null });
  const large = { text: "é\ud800\0".repeat(20) };
  const stored = await values.store("run", values.text(large));
  expect(stored).toEqual({ value: null, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(await values.store("run", values.text(large))).toEqual(stored);
  expect(table.kept.size).toBe(1);
  expect(await values.load("run", stored)).toEqual(large);
});

test("a large value that is gone, another run's or changed is refused", async () => {
  const table = largeTable();
  const values = createValues(table, { inlineChars: 5, maxValueChars: 1_000 });
  const stored = await values.store("run", values.text("a long text"));
  await expect(values.load("other", stored)).rejects.toMatchObject({ code: "blob" });
  for (const key of table.kept.keys()) table.kept.set(key, '"another text"');
  await expect(values.load("run", stored)).rejects.toMatchObject({ code: "blob" });
  table.kept.clear();
  await expect(values.load("run", stored)).rejects.toMatchObject({ code: "blob" });
});

test("a value above the limit is refused before it is sent", () => {
  const values = createValues(largeTable(), { inlineChars: 5, maxValueChars: 10 });
  expect(values.text("12345678")).toBe('"12345678"');
  expect(() => values.text("123456789")).toThrow(expect.objectContaining({ code: "journal" }));
});
