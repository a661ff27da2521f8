import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { runCommand } from "@nestbox/tool/node";
import { afterAll, describe, expect, it } from "vitest";

import { root } from "../src/root.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-release-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const manifest = {
  name: "@nestbox/thought",
  version: "1.0.0",
  license: "MIT",
  type: "module",
  repository: {
    type: "git",
    url: "git+https://github.com/nestbox-dev/nestbox.git",
    directory: "packages/thought",
  },
  files: ["dist", "README.md", "LICENSE"],
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
  publishConfig: { access: "public" },
  dependencies: { "@nestbox/tool": "^1.0.0" },
};
const files = {
  "README.md": "# Thought\n",
  LICENSE: "MIT\n",
  "dist/index.js": "export const one = 1;\n",
  "dist/index.d.ts": "export declare const one: number;\n",
};

/** Makes a tarball and has the release script look at it. */
async function check(
  change: Readonly<Record<string, unknown>> = {},
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const place = mkdtempSync(join(folder, "tarball-"));
  const contents = { ...files, ...more, "package.json": JSON.stringify({ ...manifest, ...change }) };
  for (const [name, text] of Object.entries(contents)) {
    if (text === undefined) continue;
    mkdirSync(dirname(join(place, "package", name)), { recursive: true });
    writeFileSync(join(place, "package", name), text);
  }
  const tarball = join(place, "thought.tgz");
  execFileSync("tar", ["-czf", tarball, "-C", place, "package"]);
  const args = [join(root, "scripts/release.ts"), "--check", tarball, "packages/thought"];
  const ran = await runCommand(process.execPath, args, { cwd: root, timeoutMs: 100_000 });
  return { exitCode: ran.kind === "exited" ? ran.exitCode : -1, output: ran.output };
}

describe("the release script looks at a tarball", () => {
  it("and finds nothing at a good one", async () => {
    expect(await check()).toEqual({ exitCode: 0, output: "Nothing was published; all is well.\n" });
  });

  const bad: Readonly<Record<string, readonly [RegExp, Parameters<typeof check>]>> = {
    "a range that only the workspace understands": [
      /dependencies\.@nestbox\/tool is workspace:\^/,
      [{ dependencies: { "@nestbox/tool": "workspace:^" } }],
    ],
    "a file beside the list": [/notes\.txt is not among its files/, [{}, { "notes.txt": "mine" }]],
    "a secret in the list": [/dist\/\.env is nothing to publish/, [{}, { "dist/.env": "A=1" }]],
    "no licence file": [/LICENSE is missing/, [{}, { LICENSE: undefined }]],
    "no README": [/README\.md is missing/, [{}, { "README.md": undefined }]],
    "another licence": [/no licence/, [{ license: "UNLICENSED" }]],
    "another repository": [
      /repository\.url/,
      [{ repository: { ...manifest.repository, url: "git+https://example.com/a.git" } }],
    ],
    "another folder": [
      /repository\.directory/,
      [{ repository: { ...manifest.repository, directory: "packages/b" } }],
    ],
    "access that is not public": [/publishConfig\.access/, [{ publishConfig: {} }]],
    "an entry without its file": [/publint: /, [{}, { "dist/index.js": undefined }]],
    "types that are not there": [/attw: /, [{}, { "dist/index.d.ts": undefined }]],
  };
  for (const [what, [message, words]] of Object.entries(bad)) {
    it(`and tells of ${what}`, async () => {
      const { exitCode, output } = await check(...words);
      expect(output).toMatch(message);
      expect(exitCode).toBe(1);
    });
  }

  it("and refuses words that it does not know, before anything is done", async () => {
    const args = [join(root, "scripts/release.ts"), "--dryrun"];
    const ran = await runCommand(process.execPath, args, { cwd: root, timeoutMs: 60_000 });
    expect(ran).toMatchObject({ kind: "exited", exitCode: 2 });
  });
});

describe("the workflow that publishes", () => {
  const text = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
  const look = async (workflow: string): Promise<string> => {
    const file = join(folder, "release.yml");
    writeFileSync(file, workflow);
    const args = [join(root, "scripts/release.ts"), "--check-workflow", file];
    return (await runCommand(process.execPath, args, { cwd: root, timeoutMs: 60_000 })).output;
  };

  it("asks for provenance, with an identity in place of a token, from actions that cannot change", async () => {
    expect(await look(text)).toBe("Nothing was published; all is well.\n");
  });

  it("is told when it does not", async () => {
    const broken: readonly (readonly [string | RegExp, string, RegExp])[] = [
      ["id-token: write", "id-token: none", /identity/],
      ["NPM_CONFIG_PROVENANCE: true", "NPM_CONFIG_PROVENANCE: false", /provenance/],
      [
        "NPM_CONFIG_PROVENANCE: true",
        "NPM_CONFIG_PROVENANCE: true\n          NPM_TOKEN: a",
        /token that stays/,
      ],
      [/checkout@[0-9a-f]{40}/, "checkout@v5", /checkout@v5 is not pinned/],
      ["permissions: {}", "permissions: write-all", /every permission/],
    ];
    for (const [from, to, message] of broken) {
      expect(text.replace(from, to)).not.toBe(text);
      expect(await look(text.replace(from, to))).toMatch(message);
    }
  });
});

describe("before and after the first release", () => {
  const installing = ["README.md", "docs/install.md", "docs/migrate/built-in-codemode.md"];
  const pages = [...installing, "docs/tutorial.md", "apps/cli/README.md", "apps/cli/template/README.md.tpl"];

  it("a page that says how to install from a checkout says so in a part that goes away", async () => {
    const copy = join(folder, "workspace");
    for (const page of pages) cpSync(join(root, page), join(copy, page));
    const version = (text: string): void => {
      mkdirSync(join(copy, "packages/tool"), { recursive: true });
      writeFileSync(join(copy, "packages/tool/package.json"), JSON.stringify({ version: text }));
    };
    const strip = async (): Promise<void> => {
      const args = [join(root, "scripts/first-release.ts"), copy];
      expect(await runCommand(process.execPath, args, { cwd: root })).toMatchObject({ exitCode: 0 });
    };
    version("0.0.0");
    await strip();
    for (const page of pages)
      expect(readFileSync(join(copy, page), "utf8")).toBe(readFileSync(join(root, page), "utf8"));
    version("0.1.0");
    await strip();
    for (const page of pages) {
      const text = readFileSync(join(copy, page), "utf8");
      expect(text).not.toMatch(/until the first release|not on npm|on npm yet|tarballs/i);
      expect(text).not.toMatch(/\n\n\n/);
    }
    for (const page of installing)
      expect(readFileSync(join(copy, page), "utf8")).toContain("install npm:@nestbox/pi");
  });
});
