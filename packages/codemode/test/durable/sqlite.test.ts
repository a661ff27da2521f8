import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, test } from "vitest";
import { openSqliteJournal } from "../../src/durable/sqlite/index.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newPath = (): string => join(folder, `${++files}.db`);
const forever = new AbortController().signal;

describe("the file of a journal", () => {
  test.runIf(process.platform !== "win32")("can be read by its owner only", () => {
    const path = newPath();
    openSqliteJournal({ path }).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("of another version, or that is none, is refused with a reason", () => {
    const path = newPath();
    const db = new DatabaseSync(path);
    db.exec("PRAGMA user_version = 7");
    db.close();
    expect(() => openSqliteJournal({ path })).toThrow(
      expect.objectContaining({ code: "journal", message: expect.stringContaining("version 7") }),
    );
    const other = newPath();
    writeFileSync(other, "this is a letter and no database, whatever its name says".repeat(100));
    expect(() => openSqliteJournal({ path: other })).toThrow(expect.objectContaining({ code: "journal" }));
    expect(readFileSync(other, "utf8")).toContain("this is a letter");
  });

  test.runIf(process.platform !== "win32")(
    "is private before anything is in it, with what stands beside it, whatever the process's mask is",
    async () => {
      const mask = process.umask(0);
      try {
        const path = newPath();
        const journal = openSqliteJournal({ path });
        await journal.run("a").step("1", () => Promise.resolve("secret"));
        for (const end of ["", "-wal", "-shm"])
          expect([end, statSync(`${path}${end}`).mode & 0o777]).toEqual([end, 0o600]);
        journal.close();
        // An empty file is as good as none, one that others could read is taken from them.
        const empty = newPath();
        writeFileSync(empty, "", { mode: 0o666 });
        openSqliteJournal({ path: empty }).close();
        expect(statSync(empty).mode & 0o777).toBe(0o600);
      } finally {
        process.umask(mask);
      }
    },
  );

  test.each([0, 1])(
    "that is the database of something else is refused and stays as it was (version %d)",
    (version) => {
      const path = newPath();
      const db = new DatabaseSync(path);
      db.exec(
        `CREATE TABLE letters (text TEXT); INSERT INTO letters VALUES ('dear'); PRAGMA user_version = ${version}`,
      );
      db.close();
      chmodSync(path, 0o644);
      const before = readFileSync(path);
      expect(() => openSqliteJournal({ path })).toThrow(
        expect.objectContaining({ code: "journal", message: expect.stringContaining("no journal") }),
      );
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(statSync(path).mode & 0o044).toBe(0o044);
    },
  );

  test("keeps a large value once, beside the steps, and tells when it was damaged", async () => {
    const path = newPath();
    const text = "x".repeat(200_000);
    const journal = openSqliteJournal({ path });
    await journal.run("a").step("1", () => Promise.resolve(text));
    await journal.run("b").step("1", () => Promise.resolve(text));
    journal.close();
    const db = new DatabaseSync(path);
    expect(db.prepare("SELECT count(*) AS n FROM large").get()).toEqual({ n: 1 });
    expect(db.prepare("SELECT value FROM steps").all()).toEqual([{ value: null }, { value: null }]);
    const again = openSqliteJournal({ path });
    expect(await again.run("a").step("1", () => Promise.resolve(""))).toMatchObject({ value: text });
    again.close();
    db.exec("UPDATE large SET body = x'2278227d'");
    db.close();
    const damaged = openSqliteJournal({ path });
    await expect(damaged.run("a").step("1", () => Promise.resolve(""))).rejects.toMatchObject({
      code: "journal",
      message: expect.stringContaining("damaged"),
    });
    damaged.close();
  });

  test("is removed run by run, and only what has ended", async () => {
    const path = newPath();
    const journal = openSqliteJournal({ path });
    const run = journal.run("a");
    await run.step("1", () => Promise.resolve("y".repeat(100_000)));
    await run.wake("w", 1);
    expect(journal.remove("a")).toBe(false);
    await run.step("end", () => Promise.resolve({}));
    expect(journal.remove("a")).toBe(true);
    expect(journal.runs()).toEqual([]);
    journal.close();
    const db = new DatabaseSync(path);
    for (const table of ["steps", "waits", "runs", "large"])
      expect(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()).toEqual({ n: 0 });
    db.close();
  });
});

describe("limits", () => {
  test("a run has so many steps and a value so many characters, and nothing of more is kept", async () => {
    const journal = openSqliteJournal({ path: newPath(), maxSteps: 2, maxValueChars: 100 });
    const run = journal.run("a");
    await run.step("1", () => Promise.resolve(1));
    await run.step("2", () => Promise.resolve(2));
    let ran = false;
    const third = run.step("3", () => {
      ran = true;
      return Promise.resolve(3);
    });
    await expect(third).rejects.toMatchObject({
      code: "journal",
      message: expect.stringContaining("2 steps"),
    });
    expect(ran).toBe(false);
    await expect(run.wake("w", "x".repeat(101))).rejects.toMatchObject({ code: "journal" });
    expect((await run.wait("w", null, { signal: forever })).kind).toBe("waiting");
    journal.close();
  });
});

describe("what is told of runs", () => {
  test("which have not ended, and what people are asked, the oldest first", async () => {
    let now = 100;
    const journal = openSqliteJournal({ path: newPath(), now: () => now++ });
    for (const id of ["c", "a", "b"]) await journal.run(id).step("start", () => Promise.resolve({}));
    await journal.run("a").step("end", () => Promise.resolve({}));
    await journal.run("b").wait("2", { what: "b?" }, { signal: forever });
    await journal.run("c").wait("1", { what: "c?" }, { signal: forever });
    await journal.run("c").wait("cancel", null, { signal: forever });
    expect(journal.runs({ unended: true }).map(({ runId, open }) => [runId, open])).toEqual([
      ["c", 1],
      ["b", 1],
    ]);
    expect(journal.questions().map(({ runId, key, question }) => [runId, key, question])).toEqual([
      ["b", "2", { what: "b?" }],
      ["c", "1", { what: "c?" }],
    ]);
    await journal.run("b").wake("2", true);
    expect(journal.questions().map(({ runId }) => runId)).toEqual(["c"]);
    journal.close();
  });
});

test("a write waits for another process's write, and gives up with a reason", async () => {
  const path = newPath();
  const patient = openSqliteJournal({ path, busyMs: 30_000 });
  const hasty = openSqliteJournal({ path, busyMs: 10 });
  // Holds the file for writing on a thread of its own, as another process would.
  const worker = new Worker(
    `const { DatabaseSync } = require("node:sqlite");
     const { parentPort, workerData } = require("node:worker_threads");
     const db = new DatabaseSync(workerData);
     db.exec("BEGIN IMMEDIATE");
     parentPort.on("message", (ms) => setTimeout(() => { db.exec("COMMIT"); db.close(); parentPort.close() }, ms));
     parentPort.postMessage("held");`,
    { eval: true, workerData: path },
  );
  await new Promise((resolve) => worker.once("message", resolve));
  await expect(hasty.run("a").step("1", () => Promise.resolve(1))).rejects.toThrow(/locked|busy/);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  worker.postMessage(200);
  expect(await patient.run("a").step("1", () => Promise.resolve(2))).toMatchObject({
    kind: "done",
    value: 2,
  });
  await new Promise((resolve) => worker.once("exit", resolve));
  patient.close();
  hasty.close();
});

test("a journal that was closed says so and keeps nothing", async () => {
  const path = newPath();
  const journal = openSqliteJournal({ path });
  const run = journal.run("a");
  await run.step("1", () => Promise.resolve(1));
  journal.close();
  journal.close();
  await expect(run.step("2", () => Promise.resolve(2))).rejects.toMatchObject({ code: "journal" });
  await expect(run.wake("w", 1)).rejects.toMatchObject({ code: "journal" });
});
