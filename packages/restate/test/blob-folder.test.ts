import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openBlobFolder } from "../src/node/index.ts";

const HASH = "a".repeat(64);
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nestbox-blobs-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const files = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

test("a text is a whole file that its owner alone can read, and nothing else is left", async () => {
  const blobs = openBlobFolder(join(folder, "made"));
  await blobs.put("run", HASH, "é 😀");
  const [file = "", ...others] = files();
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777, others]).toEqual(["é 😀", 0o600, []]);
  expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
  expect(await blobs.get("run", HASH)).toBe("é 😀");
});

test("what is put again takes the place of what was damaged", async () => {
  const blobs = openBlobFolder(folder);
  await blobs.put("run", HASH, "text");
  writeFileSync(files()[0] ?? "", "damaged");
  await Promise.all([blobs.put("run", HASH, "text"), blobs.put("run", HASH, "text")]);
  expect([await blobs.get("run", HASH), files().length]).toEqual(["text", 1]);
});

test("runs have their own, also where the file system takes upper for lower case, and only theirs is removed", async () => {
  const blobs = openBlobFolder(folder);
  for (const run of ["Run", "run", "x".repeat(200)]) await blobs.put(run, HASH, run);
  expect(new Set(readdirSync(folder).map((name) => name.toLowerCase())).size).toBe(3);
  await blobs.remove("run");
  expect([await blobs.get("run", HASH), await blobs.get("Run", HASH)]).toEqual([undefined, "Run"]);
  await blobs.remove("run");
});

test("a folder that cannot be written is an error and leaves nothing", async () => {
  writeFileSync(join(folder, "file"), "");
  await expect(openBlobFolder(join(folder, "file")).put("run", HASH, "text")).rejects.toMatchObject({
    code: "ENOTDIR",
  });
  await expect(openBlobFolder(join(folder, "file")).get("run", HASH)).rejects.toMatchObject({
    code: "ENOTDIR",
  });
});
