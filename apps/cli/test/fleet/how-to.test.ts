import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, it } from "vitest";

import { nestbox } from "../support/nestbox.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-how-to-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const page = readFileSync(new URL("../../../../docs/how-to/fleet.md", import.meta.url), "utf8");

/** The files that the page shows, each named by its first line. */
function written(name: string): string {
  const block = [...page.matchAll(/^```[\w ]+\n(\/\/ [^]*?)^```$/gm)].find(
    ([, text]) => text?.startsWith(`// ${name}`) === true,
  );
  const file = join(folder, name);
  writeFileSync(file, block?.[1] ?? "");
  return file;
}

it("the files of the first fleet are a script, a tool and a policy that asks about it", async () => {
  const [tools, policy, script] = ["tools.mjs", "fleet.policy.jsonc", "release.ts"].map(written);
  if (tools === undefined || policy === undefined || script === undefined) throw new Error("three files");
  const without = await nestbox(["run", script, "--tools", tools, "--policy", policy, "--cwd", folder]);
  expect(without.stderr).toContain("ask-first");
  // Here nobody can be asked.
  expect(without.exitCode).toBe(3);
  const allowed = join(folder, "allowed.jsonc");
  writeFileSync(allowed, readFileSync(policy, "utf8").replace('"effect": "ask"', '"effect": "allow"'));
  const { stdout, exitCode } = await nestbox(["run", script, "--tools", tools, "--policy", allowed]);
  expect([exitCode, stdout]).toEqual([0, "It is in staging\n"]);
}, 60_000);
