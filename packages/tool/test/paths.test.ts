import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withFileMutationQueue } from "@earendil-works/pi-coding-agent";
import { createMutationQueue } from "@nestbox/tool";
import {
  changeInside,
  openInside,
  openResolved,
  readInside,
  requireInside,
  resolveInside,
} from "@nestbox/tool/node";
import { piMutationQueue } from "@nestbox/tool/pi";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

describe("a path from a model", () => {
  let base: string;
  let root: string;
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "nestbox-paths-")));
    root = join(base, "project");
    mkdirSync(join(root, "src/deep"), { recursive: true });
    mkdirSync(join(base, "outside"));
    mkdirSync(join(base, "project-twin"));
    writeFileSync(join(base, "outside/secret.txt"), "secret");
    writeFileSync(join(base, "project-twin/secret.txt"), "secret");
    writeFileSync(join(root, "src/a.txt"), "inside");
    symlinkSync("../outside", join(root, "out"));
    symlinkSync("../outside/secret.txt", join(root, "out-file"));
    symlinkSync(join(base, "project-twin"), join(root, "twin"));
    symlinkSync("src", join(root, "in"));
    symlinkSync("../nowhere/new.txt", join(root, "dangling"));
    symlinkSync("../nowhere", join(root, "dangling-folder"));
    symlinkSync("loop-b", join(root, "loop-a"));
    symlinkSync("loop-a", join(root, "loop-b"));
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  // contract B8
  it.each([
    ["src/a.txt", "src/a.txt", true],
    ["./src//a.txt", "src/a.txt", true],
    [".", ".", true],
    ["in/a.txt", "src/a.txt", true],
    ["new.txt", "new.txt", false],
    ["in/new/deeper/file.txt", "src/new/deeper/file.txt", false],
    ["..hidden/x", "..hidden/x", false],
    ["src/a..txt", "src/a..txt", false],
  ])("%s is inside, as %s", async (input, relative, exists) => {
    const found = await resolveInside(root, input);
    expect(found).toMatchObject({ kind: "inside", relative, exists });
    expect(found.kind === "inside" && found.path).toBe(join(root, relative));
  });

  it.each([
    ["", "empty"],
    ["  ", "empty"],
    ["a\0b", "malformed"],
    ["a\nb", "malformed"],
    ["x/".repeat(3000), "malformed"],
    ["/etc/passwd", "absolute"],
    ["\\\\server\\share", "absolute"],
    ["C:\\Windows", "absolute"],
    ["c:x", "absolute"],
    ["~/.ssh/id_rsa", "absolute"],
    ["~", "absolute"],
    ["../project-twin/secret.txt", "parent"],
    ["src/../../outside/secret.txt", "parent"],
    ["src/..", "parent"],
    ["src\\..\\..\\outside", "parent"],
    ["out/secret.txt", "outside"],
    ["out", "outside"],
    ["out-file", "outside"],
    ["twin/secret.txt", "outside"],
    ["out/new.txt", "outside"],
    ["in/../../outside", "parent"],
    ["dangling", "dangling-link"],
    ["dangling-folder/new.txt", "dangling-link"],
    ["loop-a", "unreachable"],
    ["loop-a/x", "unreachable"],
    ["src/a.txt/x", "unreachable"],
  ])("%j is refused: %s", async (input, reason) => {
    const found = await resolveInside(root, input);
    expect(found).toMatchObject({ kind: "refused", reason });
    // contract B10: the message says nothing about where the project is.
    expect(JSON.stringify(found)).not.toContain(base);
    await expect(requireInside(root, input)).rejects.toMatchObject({ code: "bad-path" });
    expect(existsSync(join(base, "nowhere"))).toBe(false);
  });

  it("is resolved from a root that is itself reached through a link", async () => {
    symlinkSync(root, join(base, "link-to-project"));
    expect(await resolveInside(join(base, "link-to-project"), "src/a.txt")).toMatchObject({
      relative: "src/a.txt",
    });
  });

  describe("that is held open", () => {
    it("reads and writes existing and new files, and makes folders when asked", async () => {
      expect(await readInside(root, "in/a.txt")).toBe("inside");
      await using file = await openInside(root, "new/b.txt", { access: "write", createFolders: true });
      await file.handle.writeFile("made");
      expect(readFileSync(join(root, "new/b.txt"), "utf8")).toBe("made");
      await expect(openInside(root, "gone/b.txt", { access: "write" })).rejects.toThrow("does not exist");
      await expect(openInside(root, "gone.txt")).rejects.toThrow("does not exist");
    });

    it.each(["out/secret.txt", "out-file", "dangling", "../outside/secret.txt"])(
      "refuses %s",
      async (path) => {
        await expect(openInside(root, path, { access: "write" })).rejects.toMatchObject({ code: "bad-path" });
        await expect(readInside(root, path)).rejects.toMatchObject({ code: "bad-path" });
      },
    );

    it("loses nothing to a file that is swapped for a link between check and use", async () => {
      const checked = await requireInside(root, "src/a.txt");
      unlinkSync(join(root, "src/a.txt"));
      symlinkSync("../../outside/secret.txt", join(root, "src/a.txt"));
      await expect(openResolved(checked)).rejects.toMatchObject({ code: "bad-path" });
      await expect(openResolved(checked, { access: "write" })).rejects.toMatchObject({ code: "bad-path" });
      expect(readFileSync(join(base, "outside/secret.txt"), "utf8")).toBe("secret");
    });

    it("loses nothing to a folder that is swapped for a link between check and use", async () => {
      const existing = await requireInside(root, "src/a.txt");
      const fresh = await requireInside(root, "src/new.txt");
      const deep = await requireInside(root, "src/more/new.txt");
      renameSync(join(root, "src"), join(root, "src-was"));
      symlinkSync("../outside", join(root, "src"));
      writeFileSync(join(base, "outside/a.txt"), "outside");
      await expect(openResolved(existing)).rejects.toMatchObject({ code: "bad-path" });
      await expect(openResolved(fresh, { access: "write" })).rejects.toMatchObject({ code: "bad-path" });
      await expect(openResolved(deep, { access: "write", createFolders: true })).rejects.toMatchObject({
        code: "bad-path",
      });
      expect(existsSync(join(base, "outside/new.txt")) || existsSync(join(base, "outside/more"))).toBe(false);
    });

    it("stays with the file that was checked when the swap comes after the open", async () => {
      await using file = await openInside(root, "src/a.txt");
      renameSync(join(root, "src"), join(root, "src-was"));
      symlinkSync("../outside", join(root, "src"));
      expect(await file.handle.readFile("utf8")).toBe("inside");
    });

    it.skipIf(process.platform === "win32")(
      "is never a pipe, a device or a folder, and does not wait for one",
      async () => {
        const maker = "mkfifo";
        execFileSync(maker, [join(root, "pipe")]);
        for (const path of ["pipe", "src"]) {
          await expect(openInside(root, path)).rejects.toMatchObject({ code: "bad-path" });
          await expect(openInside(root, path, { access: "write" })).rejects.toMatchObject({
            code: "bad-path",
          });
        }
      },
    );

    it("reads no more than it may", async () => {
      writeFileSync(join(root, "big.txt"), "x".repeat(101));
      await expect(readInside(root, "big.txt", { maxBytes: 100 })).rejects.toThrow("more than 100 bytes");
      expect(await readInside(root, "big.txt", { maxBytes: 101 })).toHaveLength(101);
      writeFileSync(join(root, "empty.txt"), "");
      expect(await readInside(root, "empty.txt", { maxBytes: 0 })).toBe("");
    });

    it("is read to its end, whatever size it is said to have", async () => {
      const long = "é\n".repeat(100_000);
      writeFileSync(join(root, "long.txt"), long);
      expect(await readInside(root, "long.txt")).toBe(long);
      // Linux says 0 of these; elsewhere there are none.
      if (!existsSync("/proc/self/status")) return;
      expect(await readInside("/proc/self", "status")).toContain("VmSize:");
      await expect(readInside("/proc/self", "status", { maxBytes: 100 })).rejects.toThrow(
        "more than 100 bytes",
      );
    });
  });

  describe("of a file that is changed", () => {
    it.each([
      ["a queue of one's own", createMutationQueue()],
      ["Pi's own queue", piMutationQueue],
    ])("loses no change to another that runs at the same time, in %s", async (_name, queue) => {
      // contract A14
      writeFileSync(join(root, "count.txt"), "0");
      const add = (path: string) =>
        changeInside({ root, path, queue }, async (text) => {
          await new Promise((resolve) => setTimeout(resolve, 1));
          return String(Number(text) + 1);
        });
      symlinkSync("count.txt", join(root, "alias.txt"));
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => add(index % 2 === 0 ? "count.txt" : "alias.txt")),
      );
      expect(readFileSync(join(root, "count.txt"), "utf8")).toBe("20");
    });

    it("that another change makes first, or leads elsewhere by then, is read as it is when its turn comes", async () => {
      // contract A14
      const queue = createMutationQueue();
      const append = (path: string, line: string) =>
        changeInside({ root, path, queue }, (text = "") => `${text}${line}\n`);
      await Promise.all([
        append("fresh.txt", "one"),
        append("fresh.txt", "two"),
        append("fresh.txt", "three"),
      ]);
      expect(readFileSync(join(root, "fresh.txt"), "utf8")).toBe("one\ntwo\nthree\n");
      // While it waits, a link that leads out takes the place of the file.
      const begun = Promise.withResolvers<void>();
      const go = Promise.withResolvers<void>();
      const first = changeInside({ root, path: "fresh.txt", queue }, async () => {
        begun.resolve();
        await go.promise;
        rmSync(join(root, "fresh.txt"));
        symlinkSync("/etc/hostname", join(root, "fresh.txt"));
        return undefined;
      });
      await begun.promise;
      const second = append("fresh.txt", "four");
      go.resolve();
      await first;
      await expect(second).rejects.toMatchObject({ code: "bad-path" });
    });

    it.each([
      ["a queue of one's own", createMutationQueue()],
      ["Pi's own queue", piMutationQueue],
    ])(
      "comes in the order in which it was asked for, however its path is written, in %s",
      async (_name, queue) => {
        // contract A14
        writeFileSync(join(root, "order.txt"), "");
        // A path that takes long to resolve: ten times down two hundred folders and back by a link.
        const deep = "d/".repeat(200);
        mkdirSync(join(root, deep), { recursive: true });
        symlinkSync(root, join(root, deep, "up"));
        for (let n = 0; n < 10; n++)
          symlinkSync(`${deep}up/${n === 0 ? "" : `link-${n - 1}`}`, join(root, `link-${n}`));
        const paths = ["link-9/order.txt", "order.txt"];
        await Promise.all(
          Array.from({ length: 10 }, (_, n) =>
            changeInside({ root, path: paths[n % 2] ?? "", queue }, (text = "") => `${text}${n} `),
          ),
        );
        expect(readFileSync(join(root, "order.txt"), "utf8")).toBe("0 1 2 3 4 5 6 7 8 9 ");
        // One that waits holds up no change of another file, nor one that fails.
        const held = Promise.withResolvers<void>();
        const waiting = changeInside({ root, path: "order.txt", queue }, () =>
          held.promise.then(() => "done"),
        );
        await changeInside({ root, path: "other.txt", queue }, () => "there");
        await expect(changeInside({ root, path: "../out.txt", queue }, () => "no")).rejects.toMatchObject({
          code: "bad-path",
        });
        held.resolve();
        expect(await waiting).toMatchObject({ changed: true });
      },
    );

    it("waits for whoever holds the file in Pi's queue, and Pi waits for it", async () => {
      // contract A14
      const file = join(root, "src/a.txt");
      const order: string[] = [];
      const held = Promise.withResolvers<void>();
      const holding = withFileMutationQueue(file, async () => {
        order.push("pi holds");
        await held.promise;
        writeFileSync(file, "by pi");
        order.push("pi lets go");
      });
      const changing = changeInside({ root, path: "in/a.txt", queue: piMutationQueue }, (text) => {
        order.push(`ours reads ${text}`);
        return `${text} and us`;
      });
      // A queue of one's own does not know Pi's: that it gets through shows that ours had the time to.
      const other = { root, path: "src/a.txt", queue: createMutationQueue() };
      await changeInside(other, (text) => (order.push("another queue"), text));
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(order).toEqual(["pi holds", "another queue"]);
      const after = withFileMutationQueue(file, async () => {
        order.push(`pi reads ${readFileSync(file, "utf8")}`);
      });
      held.resolve();
      await Promise.all([holding, changing, after]);
      expect(order.slice(2)).toEqual(["pi lets go", "ours reads by pi", "pi reads by pi and us"]);
    });

    it("is made when missing, left alone when nothing changes, and kept whole when a change fails", async () => {
      const queue = createMutationQueue();
      const at = (path: string) => ({ root, path, queue, createFolders: true });
      expect(await changeInside(at("made/x.txt"), (text) => text ?? "fresh")).toMatchObject({
        changed: true,
      });
      expect(await changeInside(at("made/x.txt"), (text) => text)).toMatchObject({
        changed: false,
        relative: "made/x.txt",
      });
      const failing = changeInside(at("made/x.txt"), () => Promise.reject(new Error("no")));
      await expect(failing).rejects.toThrow("no");
      expect(await changeInside(at("made/x.txt"), (text) => `${text} é😀`)).toMatchObject({ changed: true });
      expect(readFileSync(join(root, "made/x.txt"), "utf8")).toBe("fresh é😀");
      const huge = changeInside({ ...at("made/x.txt"), maxBytes: 20 }, () => "x".repeat(21));
      await expect(huge).rejects.toMatchObject({ code: "bad-path" });
      expect(readFileSync(join(root, "made/x.txt"), "utf8")).toBe("fresh é😀");
    });

    it("keeps a byte order mark, and is not touched when it is no UTF-8 text", async () => {
      const queue = createMutationQueue();
      writeFileSync(join(root, "bom.txt"), "\ufeffa\r\n");
      await changeInside({ root, path: "bom.txt", queue }, (text) => `${text}b\r\n`);
      expect(readFileSync(join(root, "bom.txt"), "utf8")).toBe("\ufeffa\r\nb\r\n");
      const latin1 = Buffer.from([0x63, 0x61, 0x66, 0xe9]);
      writeFileSync(join(root, "latin1.txt"), latin1);
      await expect(changeInside({ root, path: "latin1.txt", queue }, (text) => `${text}!`)).rejects.toThrow(
        "not UTF-8",
      );
      expect(readFileSync(join(root, "latin1.txt"))).toEqual(latin1);
    });

    it("shortens a file that becomes shorter", async () => {
      const queue = createMutationQueue();
      await changeInside({ root, path: "src/a.txt", queue }, () => "x");
      expect(readFileSync(join(root, "src/a.txt"), "utf8")).toBe("x");
    });

    it("is the same file by another hard link, which no path check can tell", async () => {
      // Said in the docs: a hard link to a file outside is not a link that can be followed back.
      linkSync(join(base, "outside/secret.txt"), join(root, "hard.txt"));
      expect(await resolveInside(root, "hard.txt")).toMatchObject({ kind: "inside" });
    });
  });
});
