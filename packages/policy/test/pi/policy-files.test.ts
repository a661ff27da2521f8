import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { describe, expect, it } from "vitest";

import { createMemoryGrants } from "../../src/gate/grants.ts";
import { createPolicyExtension, type PolicyExtensionOptions } from "../../src/pi/index.ts";
import { policyFilesOf } from "../../src/pi/policy-files.ts";
import { tempFolders } from "../node/temp-folder.ts";

const folder = tempFolders();

const rule = (id: string, effect: "allow" | "deny", path: string) => ({ id, effect, path, match: path });

function write(path: string, ...rules: readonly object[]): string {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, JSON.stringify({ version: 1, rules }));
  return path;
}

async function start(options: PolicyExtensionOptions, ui = true) {
  const policy = createPolicyExtension({ grants: createMemoryGrants(), audit: false, ...options });
  const cwd = folder();
  writeFileSync(join(cwd, "a.txt"), "text");
  const session = await scriptedPiSession({ cwd, extensions: [policy], ...(ui ? { ui: {} } : {}) });
  return { session, policy };
}

describe("the policy files of a Pi session", () => {
  it("that a host lists must be there: a mistyped path is told, and every call asks", async () => {
    for (const key of ["files", "moreFiles"] as const) {
      const path = join(folder(), "polcy.jsonc");
      const options = { [key]: [{ path, layer: "user" }] };
      const { session, policy } = await start(options);
      await using _ = session;
      expect(session.ui?.notifications).toEqual([
        {
          message: `Policy: ${path} cannot be used. Why: there is no such file. The strict built-in rules count in its place.`,
          type: "error",
        },
      ]);
      expect(policy.state()?.files.find((file) => file.path === path)).toMatchObject({ state: "broken" });
      await session.prompt("go", [call("read", { path: "a.txt" }), "done"]);
      expect(session.resultText()).toContain("strict.broken-policy");
      // It counts as soon as it is there.
      write(path, rule("txt", "deny", "*.txt"));
      await session.prompt("go", [call("read", { path: "a.txt" }), "done"]);
      expect(session.resultText()).toContain("rule txt");
    }
  });

  it("that need not be there are those in the usual places, and those that say so", async () => {
    const path = join(folder(), "policy.jsonc");
    const { session } = await start({ files: [{ path, layer: "user", required: false }] });
    await using _ = session;
    const usual = await start({});
    await using __ = usual.session;
    for (const each of [session, usual.session]) {
      expect(each.ui?.notifications).toEqual([]);
      await each.prompt("go", [call("read", { path: "a.txt" }), "done"]);
      expect(each.resultText()).toBe("text");
    }
  });

  it("says through the verdict, where there is no UI, that the policy is broken", async () => {
    const path = join(folder(), "none.jsonc");
    const { session } = await start({ files: [{ path, layer: "user" }] }, false);
    await using _ = session;
    await session.prompt("go", [call("read", { path: "a.txt" }), "done"]);
    expect(session.resultText()).toContain("strict.broken-policy");
  });

  it("of an extension stand beside the user's and the project's", async () => {
    const shipped = write(join(folder(), "shipped.jsonc"), rule("shipped", "deny", "*.one"));
    const { session } = await start({ moreFiles: [{ path: shipped, layer: "user" }] });
    await using _ = session;
    write(join(session.agentDir, "policy.jsonc"), rule("mine", "deny", "*.two"));
    write(join(session.cwd, ".pi", "policy.jsonc"), rule("project", "deny", "*.three"));
    const reads = ["one", "two", "three"].map((name) => call("read", { path: `a.${name}` }));
    await session.prompt("go", [reads, "done"]);
    expect(session.toolResults().map(({ toolCallId }) => session.resultText(toolCallId))).toEqual([
      expect.stringContaining("rule shipped, user layer"),
      expect.stringContaining("rule mine, user layer"),
      expect.stringContaining("rule project, project layer"),
    ]);
  });

  it("can be made from the usual ones by a function, which says itself what is required", () => {
    const usual = [{ path: "/a", layer: "user" }] as const;
    const more = [{ path: "/c", layer: "managed" }] as const;
    const files = (_: object, given: readonly { path: string; layer: "user" }[]) => [
      ...given,
      { path: "/b", layer: "project" } as const,
    ];
    expect(policyFilesOf({ files: files as never, moreFiles: more }, {}, usual)).toEqual([
      { path: "/a", layer: "user" },
      { path: "/b", layer: "project" },
      { path: "/c", layer: "managed", required: true },
    ]);
  });
});
