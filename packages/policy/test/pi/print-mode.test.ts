import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";

import { createMemoryGrants } from "../../src/gate/grants.ts";
import { createPolicyExtension } from "../../src/pi/index.ts";
import { notingTools } from "./tools.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-print-mode-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => void vi.restoreAllMocks());

const file = join(folder, "policy.jsonc");
writeFileSync(file, '{ "version": 1, "rules": [ }');

async function start(ui?: { readonly select: string }) {
  const told: string[] = [];
  vi.spyOn(console, "error").mockImplementation((message: string) => void told.push(message));
  const session = await scriptedPiSession({
    extensions: [
      notingTools([]),
      createPolicyExtension({
        files: [{ path: file, layer: "user" }],
        grants: createMemoryGrants(),
        audit: false,
        typeAheadMs: 0,
      }),
    ],
    noTools: "builtin",
    ...(ui === undefined ? {} : { ui }),
  });
  return { session, told };
}

describe("where Pi has no UI", () => {
  it("a policy that cannot be used is told on standard error, in the words of the terminal", async () => {
    const { session, told } = await start();
    await using _ = session;
    await session.prompt("go", [call("shell", { command: "ls" }), "done"]);
    expect(told).toEqual([expect.stringContaining(`Policy: ${file} cannot be used.`)]);
    const other = await start({ select: "no" });
    await using __ = other.session;
    await other.session.prompt("go", [call("shell", { command: "ls" }), "done"]);
    expect(other.session.ui?.notifications.map(({ message }) => message)).toEqual(told);
    expect(other.told).toEqual([]);
  });

  it("/policy shows its state on standard error", async () => {
    const { session, told } = await start();
    await using _ = session;
    await session.prompt("/policy", []);
    expect(told.at(-1)).toMatch(/^Policy files\n[^]*policy\.jsonc[^]*Remembered answers/);
    await session.prompt("/policy revoke", []);
    expect(told.at(-1)).toBe("Nothing is remembered.");
  });
});
