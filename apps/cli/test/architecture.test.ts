import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly pi?: unknown;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const read = (file: string): unknown => JSON.parse(readFileSync(`${root}/${file}`, "utf8"));
const manifests = (pattern: string): readonly Manifest[] =>
  globSync(pattern, { cwd: root }).map((file) => read(file) as Manifest);
const ours = (names: Readonly<Record<string, string>> = {}): readonly string[] =>
  Object.keys(names).filter((name) => name.startsWith("@nestbox/"));

/** Carry the durable runs of codemode on an engine of somebody else's. */
const ENGINES: readonly string[] = ["@nestbox/restate", "@nestbox/dbos"];
/** Starts the servers of tests; is not published, and depends on nothing of ours. */
const SERVERS = "@nestbox/servers";

describe("the house", () => {
  // contract C2
  it("has arrows one way: packages depend on the tool package alone, that on none, engines of durable runs on codemode", () => {
    const arrows = manifests("packages/*/package.json").map((manifest) => [
      manifest.name,
      [
        ...new Set([
          ...ours(manifest.dependencies),
          ...ours(manifest.peerDependencies),
          ...ours(manifest.devDependencies).filter((name) => name !== SERVERS),
        ]),
      ],
    ]);
    expect(Object.fromEntries(arrows)).toEqual({
      "@nestbox/tool": [],
      "@nestbox/policy": ["@nestbox/tool"],
      "@nestbox/calls": ["@nestbox/tool"],
      "@nestbox/codemode": ["@nestbox/tool"],
      "@nestbox/review": ["@nestbox/tool"],
      "@nestbox/mcp": ["@nestbox/tool"],
      "@nestbox/inspector": [],
      ...Object.fromEntries(ENGINES.map((name) => [name, ["@nestbox/codemode", "@nestbox/tool"]])),
    });
  });

  // contract C2
  it("has the servers of live tests for those of the engines alone, and they depend on nothing of ours", () => {
    const tested = manifests("packages/*/package.json").filter(({ devDependencies }) =>
      ours(devDependencies).includes(SERVERS),
    );
    expect(new Set(tested.map(({ name }) => name))).toEqual(new Set(ENGINES));
    const servers = manifests("apps/servers/package.json");
    expect(servers).toMatchObject([{ name: SERVERS, private: true }]);
    for (const { dependencies, devDependencies, peerDependencies } of servers)
      expect(ours({ ...dependencies, ...devDependencies, ...peerDependencies })).toEqual([]);
  });

  // contract C2
  it("has no source that imports what its manifest does not name", () => {
    for (const file of globSync("packages/*/src/**/*.ts", { cwd: root })) {
      const own = `@nestbox/${file.split("/")[1]}`;
      const imported = [...readFileSync(`${root}/${file}`, "utf8").matchAll(/from "(@nestbox\/[a-z]+)/g)].map(
        ([, name]) => name,
      );
      const named = new Set(["@nestbox/tool", own, ...(ENGINES.includes(own) ? ["@nestbox/codemode"] : [])]);
      expect([file, imported.filter((name) => !named.has(name ?? ""))]).toEqual([file, []]);
    }
  });

  // contract C1
  it("publishes every package by itself: no fixed and no linked versions, MIT, and a changeset for each", () => {
    expect(read(".changeset/config.json")).toMatchObject({ fixed: [], linked: [] });
    const changed = globSync(".changeset/*.md", { cwd: root }).map((file) =>
      readFileSync(`${root}/${file}`, "utf8"),
    );
    for (const manifest of manifests("{packages,apps}/*/package.json").filter(
      (one) => one.private !== true,
    )) {
      expect(manifest.license).toBe("MIT");
      expect([manifest.name, changed.some((text) => text.includes(`"${manifest.name}":`))]).toEqual([
        manifest.name,
        true,
      ]);
    }
  });

  it("runs no script when it is installed, and has one Pi manifest", () => {
    const all = manifests("{packages,apps}/*/package.json");
    for (const { scripts = {} } of all) {
      expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
    }
    expect(all.filter(({ pi }) => pi !== undefined).map(({ name }) => name)).toEqual(["@nestbox/pi"]);
  });
});
