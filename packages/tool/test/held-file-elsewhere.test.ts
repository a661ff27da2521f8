// What stands in for the walk by descriptors where the system has no /proc: checked here, whatever this system is.
import {
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
import { requireInside } from "@nestbox/tool/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAndCompare } from "../src/node/held-file.ts";

describe("a held file without /proc", () => {
  let base: string;
  let root: string;
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "nestbox-held-")));
    root = join(base, "project");
    mkdirSync(join(root, "src"), { recursive: true });
    mkdirSync(join(base, "outside"));
    writeFileSync(join(base, "outside/a.txt"), "outside");
    writeFileSync(join(root, "src/a.txt"), "inside");
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it("is opened and made", async () => {
    const handle = await openAndCompare(await requireInside(root, "src/a.txt"), {});
    expect(await handle.readFile("utf8")).toBe("inside");
    await handle.close();
    const inside = await requireInside(root, "new/b.txt");
    const made = await openAndCompare(inside, { access: "write", createFolders: true });
    await made.writeFile("made");
    await made.close();
    expect(readFileSync(join(root, "new/b.txt"), "utf8")).toBe("made");
  });

  it("is refused when its file or its folder was swapped for a link", async () => {
    const checked = await requireInside(root, "src/a.txt");
    unlinkSync(join(root, "src/a.txt"));
    symlinkSync("../../outside/a.txt", join(root, "src/a.txt"));
    await expect(openAndCompare(checked, {})).rejects.toMatchObject({ code: "bad-path" });
    await expect(openAndCompare(checked, { access: "write" })).rejects.toMatchObject({ code: "bad-path" });
    renameSync(join(root, "src"), join(root, "src-was"));
    symlinkSync("../outside", join(root, "src"));
    await expect(openAndCompare(checked, {})).rejects.toMatchObject({ code: "bad-path" });
    expect(readFileSync(join(base, "outside/a.txt"), "utf8")).toBe("outside");
  });
});
