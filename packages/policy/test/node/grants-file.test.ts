import { existsSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { Grant } from "../../src/gate/grant.ts";
import { openGrants } from "../../src/node/grants-file.ts";
import { tempFolders } from "./temp-folder.ts";

const folder = tempFolders();

function grant(id: string, extra: Partial<Grant> = {}): Grant {
  return {
    id,
    scope: "always",
    kind: "exact",
    tool: "bash",
    source: "builtin",
    match: "0",
    shown: "ls",
    folder: "/w",
    repository: false,
    files: [{ path: "/w/x.sh", sha256: "1" }],
    rules: ["r"],
    createdAt: 1,
    ...extra,
  };
}

const ids = (grants: readonly Grant[]) => grants.map((item) => item.id);

describe("grants on disk", () => {
  it("outlive the session, except those of the session", async () => {
    // reports R14
    const path = join(folder(), "deep", "grants.json");
    const store = openGrants({ path });
    await store.add(grant("lasting"));
    await store.add(grant("session", { scope: "session" }));
    await store.add(grant("timed", { scope: "time", expiresAt: Date.now() + 60_000 }));
    expect(ids(store.list())).toEqual(["session", "lasting", "timed"]);
    expect(ids(openGrants({ path }).list())).toEqual(["lasting", "timed"]);
    expect(openGrants({ path }).list()[0]).toEqual(grant("lasting"));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("are shared by sessions: what one revokes or adds counts for the other from its next call on", async () => {
    const path = join(folder(), "grants.json");
    const [one, two] = [openGrants({ path }), openGrants({ path })];
    await Promise.all([one.add(grant("a")), two.add(grant("b"))]);
    expect(ids(one.list()).sort()).toEqual(["a", "b"]);
    expect(await two.revoke("a")).toBe(true);
    expect(await two.revoke("a")).toBe(false);
    expect(ids(one.list())).toEqual(["b"]);
  });

  it("drop what has expired when the file is written", async () => {
    const path = join(folder(), "grants.json");
    let now = 1_000;
    const store = openGrants({ path, clock: () => now });
    await store.add(grant("timed", { scope: "time", expiresAt: 2_000 }));
    now = 3_000;
    await store.add(grant("other"));
    expect(readFileSync(path, "utf8")).not.toContain("timed");
  });

  it("give nothing when the file cannot be understood, say so, and do not overwrite it", async () => {
    const broken = [
      "nonsense",
      "[]",
      '{"version":2,"grants":[]}',
      '{"version":1,"grants":[{}]}',
      JSON.stringify({ version: 1, grants: [{ ...grant("a"), scope: "session" }] }),
      JSON.stringify({ version: 1, grants: [{ ...grant("a"), scope: "time" }] }),
      JSON.stringify({ version: 1, grants: [{ ...grant("a"), files: ["x"] }] }),
    ];
    for (const text of broken) {
      const path = join(folder(), "grants.json");
      writeFileSync(path, text);
      const problems: string[] = [];
      const store = openGrants({ path, onProblem: (message) => problems.push(message) });
      expect(store.list()).toEqual([]);
      expect(problems).toHaveLength(1);
      await expect(store.add(grant("b"))).rejects.toThrow(/JSON|grants|grant/);
      expect(readFileSync(path, "utf8")).toBe(text);
      expect(existsSync(`${path}.lock`)).toBe(false);
    }
  });

  it("wait for a lock, and take over one that a dead process left", async () => {
    const path = join(folder(), "grants.json");
    writeFileSync(`${path}.lock`, "");
    const store = openGrants({ path });
    await expect(store.add(grant("a"))).rejects.toThrow("locked");
    utimesSync(`${path}.lock`, new Date(0), new Date(0));
    await store.add(grant("a"));
    expect(ids(store.list())).toEqual(["a"]);
  });

  it("can always be read again: of more than the file may hold, the oldest go", async () => {
    const path = join(folder(), "grants.json");
    const store = openGrants({ path });
    const long = "x".repeat(900_000);
    for (const id of ["a", "b", "c", "d", "e", "f"]) await store.add(grant(id, { match: long }));
    expect(ids(openGrants({ path }).list())).toEqual(["c", "d", "e", "f"]);
    expect(statSync(path).size).toBeLessThanOrEqual(4 * 1024 * 1024);
    await expect(store.add(grant("g", { match: "x".repeat(5_000_000) }))).rejects.toThrow("larger than");
    expect(ids(openGrants({ path }).list())).toEqual(["c", "d", "e", "f"]);
  });

  it.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["another version", '{"version":2,"grants":[]}'],
    [
      "a grant without an end for its time",
      JSON.stringify({ version: 1, grants: [grant("a", { scope: "time" })] }),
    ],
    ["a session's grant", JSON.stringify({ version: 1, grants: [grant("a", { scope: "session" })] })],
    [
      "a grant of no known scope",
      JSON.stringify({ version: 1, grants: [{ ...grant("a"), scope: "forever" }] }),
    ],
    ["an inherited grant", '{"version":1,"grants":[{"__proto__":{"id":"a"}}]}'],
    ["too much", `{"version":1,"grants":[]}${" ".repeat(5 * 1024 * 1024)}`],
  ])("give no grant when the file holds %s, say so once, and are not written over", async (_title, text) => {
    const path = join(folder(), "grants.json");
    writeFileSync(path, text);
    const told: string[] = [];
    const store = openGrants({ path, onProblem: (message) => void told.push(message) });
    expect(store.list()).toEqual([]);
    expect(store.list()).toEqual([]);
    expect(told).toHaveLength(1);
    await expect(store.add(grant("b"))).rejects.toThrow(/./);
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it("behind a link are read, and written beside it without touching what it leads to", async () => {
    const path = join(folder(), "grants.json");
    const other = join(folder(), "other.json");
    writeFileSync(other, JSON.stringify({ version: 1, grants: [grant("a")] }));
    symlinkSync(other, path);
    const store = openGrants({ path });
    expect(ids(store.list())).toEqual(["a"]);
    await store.add(grant("b"));
    expect(ids(store.list())).toEqual(["a", "b"]);
    expect(readFileSync(other, "utf8")).not.toContain('"b"');
  });
});
