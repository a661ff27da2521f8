import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeEach, describe, expect, it } from "vitest";

import { fleetConfig } from "../../src/fleet/fleet-config.ts";
import { openFleet } from "../../src/fleet/open-fleet.ts";
import { withoutPasswords } from "../../src/fleet/redact.ts";
import { nestbox } from "../support/nestbox.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-fleet-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const write = (fleet: object): void =>
  writeFileSync(join(folder, "nestbox.config.jsonc"), JSON.stringify({ fleet }));
const read = (config: string | undefined, env: Record<string, string> = {}) =>
  fleetConfig(config === undefined ? {} : { config }, folder, env);
const named = (env: Record<string, string> = {}) => read("nestbox.config.jsonc", env);

const URL = "postgresql://me:s3cret@db:5432/runs";

describe("where the fleet is", () => {
  beforeEach(() => rmSync(join(folder, "nestbox.config.jsonc"), { force: true }));

  it("stands in the environment, or in a config file that is named", () => {
    expect(read(undefined, { NESTBOX_DATABASE_URL: URL })).toEqual({ engine: "dbos", databaseUrl: URL });
    write({ engine: "dbos", databaseUrl: "postgresql://db/runs", concurrency: 3 });
    expect(named()).toEqual({ engine: "dbos", databaseUrl: "postgresql://db/runs", concurrency: 3 });
    // The environment knows the password, and goes before.
    expect(named({ NESTBOX_DATABASE_URL: URL })).toEqual({
      engine: "dbos",
      databaseUrl: URL,
      concurrency: 3,
    });
    write({ engine: "restate", ingressUrl: "http://r:8080", adminUrl: "http://r:9070", blobs: "blobs" });
    expect(named({ NESTBOX_DATABASE_URL: URL })).toEqual({
      engine: "restate",
      ingressUrl: "http://r:8080",
      adminUrl: "http://r:9070",
      blobs: join(folder, "blobs"),
    });
  });

  it("is not said by a config file that merely lies in the folder", () => {
    write({ engine: "dbos", databaseUrl: "postgresql://stranger/decisions" });
    expect(() => read(undefined)).toThrow(
      /who gets your scripts and decisions.*--config nestbox\.config\.jsonc/,
    );
    expect(read(undefined, { NESTBOX_DATABASE_URL: URL })).toEqual({ engine: "dbos", databaseUrl: URL });
  });

  it.each([
    [{ engine: "dbos" }, /databaseUrl is missing.*NESTBOX_DATABASE_URL/],
    [
      { engine: "dbos", databaseUrl: "mysql://me:s3cret@db/x" },
      /fleet\.databaseUrl of .* is no address of a database/,
    ],
    [{ engine: "dbos", databaseUrl: URL, blobs: "b" }, /fleet\.blobs is of the engine restate/],
    [{ engine: "restate", databaseUrl: URL }, /databaseUrl is of the engine dbos/],
    [
      { engine: "restate", ingressUrl: "http://r" },
      /needs fleet\.ingressUrl, fleet\.adminUrl and fleet\.blobs/,
    ],
    [
      { engine: "restate", ingressUrl: "file:///etc", adminUrl: "http://r", blobs: "b" },
      /fleet\.ingressUrl is no address/,
    ],
    [
      { engine: "restate", ingressUrl: "http://me:s3cret@r", adminUrl: "http://r", blobs: "b" },
      /fleet\.ingressUrl is no address, without a user/,
    ],
    [{ engine: "temporal" }, /fleet\.engine expected one of/],
    [{ databaseUrl: URL }, /fleet/],
    [{ engine: "dbos", databaseUrl: URL, tools: ["evil.mjs"] }, /tools/],
  ])("is refused with what is wrong, and without a password: %j", (fleet, message) => {
    write(fleet);
    let thrown = "";
    try {
      named();
    } catch (error) {
      thrown = String(error);
    }
    expect(thrown).toMatch(message);
    expect(thrown).not.toContain("s3cret");
  });

  it("is asked for where nothing says it", async () => {
    expect(() => read(undefined)).toThrow(/No fleet is named.*NESTBOX_DATABASE_URL/);
    writeFileSync(join(folder, "nestbox.config.jsonc"), "{}");
    expect(() => named()).toThrow(/has no section "fleet"/);
    const told = await nestbox(["status", "--config", join(folder, "nestbox.config.jsonc"), "--json"]);
    expect(told.exitCode).toBe(2);
    expect(told.json).toMatchObject({ ok: false, error: { kind: "usage" } });
  });
});

describe("an engine", () => {
  const missing = (name: string) => (): Promise<never> =>
    Promise.reject(
      Object.assign(new Error(`Cannot find package '${name}' imported from x`), {
        code: "ERR_MODULE_NOT_FOUND",
      }),
    );

  it("whose package is not installed is named, with what to do", async () => {
    const load = { dbos: missing("@nestbox/dbos"), restate: missing("@nestbox/restate") };
    await expect(openFleet({ engine: "dbos", databaseUrl: URL }, { load })).rejects.toThrow(
      /needs the package @nestbox\/dbos, .* npm install --global @nestbox\/dbos/,
    );
    const restate = { engine: "restate", ingressUrl: "http://r", adminUrl: "http://r", blobs: "b" } as const;
    await expect(openFleet(restate, { load })).rejects.toThrow(/npm install --global @nestbox\/restate/);
  });

  it("that lacks something of its own says that, and not that it is missing", async () => {
    const load = { dbos: missing("pg"), restate: missing("pg") };
    await expect(openFleet({ engine: "dbos", databaseUrl: URL }, { load })).rejects.toThrow(
      /Cannot find package 'pg'/,
    );
  });

  it("that does not answer is a failure of its own kind, and an id that is none is wrong words", async () => {
    const url = "http://127.0.0.1:1";
    const config = { engine: "restate", ingressUrl: url, adminUrl: url, blobs: folder } as const;
    const fleet = await openFleet(config, { unavailableMs: 100 });
    await expect(fleet.runs()).rejects.toMatchObject({ code: "fleet", kind: "unreachable" });
    await expect(fleet.status("no id")).rejects.toMatchObject({ kind: "misuse" });
    await expect(fleet.journal("no id").wake("1", null)).rejects.toMatchObject({ kind: "misuse" });
  });
});

describe("a password", () => {
  it.each([
    ["connect to postgresql://me:s3cret@db:5432/x failed", "connect to postgresql://me:***@db:5432/x failed"],
    ["password s3cret was wrong", "password *** was wrong"],
    ["https://other:p@ss@host", "https://other:***@ss@host"],
    ["nothing here", "nothing here"],
  ])("is taken out of %j", (text, expected) => {
    expect(withoutPasswords(text, [URL])).toBe(expected);
  });

  it("is taken out as it is written and as it is meant", () => {
    const url = "postgresql://me:p%40ss%2Fword@db/x?password=other%21";
    expect(withoutPasswords("p%40ss%2Fword p@ss/word other%21 other!", [url])).toBe("*** *** *** ***");
    expect(withoutPasswords("%zz stays a text", ["postgresql://me:%zz@db/x"])).toBe("*** stays a text");
  });
});
