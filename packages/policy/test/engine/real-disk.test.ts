import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { nodePolicyFs } from "../../src/node/file-system.ts";
import { call, engineOf, layer } from "./support.ts";

// The layouts of the cases on a real disk: links that a decision has to see through (contract B8).
describe("on a real disk", () => {
  let top = "";
  const at = (path: string): string => join(top, path);

  beforeAll(() => {
    // Not the real path on purpose where the system's own temporary folder is behind a link.
    top = mkdtempSync(join(tmpdir(), "nestbox-policy-"));
    const files = [
      "w/src/a.ts",
      "w/notes.txt",
      "w/.env",
      "w/.pi/policy.jsonc",
      "home/.ssh/id_rsa",
      "w-secret/key",
      "home/.pi/agent/extensions/own.ts",
      "home/kept/grants.json",
      "outside/x",
    ];
    for (const file of files) {
      mkdirSync(dirname(at(file)), { recursive: true });
      writeFileSync(at(file), "");
    }
    mkdirSync(at("tmp"));
    symlinkSync(at("home/.ssh"), at("tmp/sshlink"));
    symlinkSync(at("outside"), at("w/outbox"));
    symlinkSync(".pi", at("w/p"));
    symlinkSync(at("home/.ssh/new"), at("w/dangling"));
    symlinkSync("loop", at("w/loop"));
    symlinkSync(at("w"), at("other-name"));
    linkSync(at("w/.pi/policy.jsonc"), at("w/second-name"));
    linkSync(at("home/.pi/agent/extensions/own.ts"), at("w/extension.ts"));
    linkSync(at("home/kept/grants.json"), at("w/grants"));
    linkSync(at("w/notes.txt"), at("w/notes-too.txt"));
  });
  afterAll(() => rmSync(top, { recursive: true, force: true }));

  const engine = (cwd = "w") =>
    engineOf(
      [
        layer("user", {
          fallback: { bash: "allow" },
          rules: [
            { id: "ssh", effect: "deny", path: "~/.ssh/**" },
            { id: "env", effect: "deny", path: { glob: ".env", action: "read" } },
            { id: "outside", effect: "deny", path: { outside: true, action: ["write", "delete"] } },
            { id: "inside", effect: "allow", path: { outside: false } },
            { id: "tmp", effect: "allow", path: { glob: `${top}/tmp/**` } },
          ],
        }),
      ],
      { fs: nodePolicyFs(), home: at("home"), cwd: at(cwd), protectedPaths: [at("home/kept")] },
    );
  const decide = (tool: string, input: string, cwd = "w") =>
    engine(cwd).evaluate(
      call(tool, tool === "bash" ? { command: input } : { path: input }, { cwd: at(cwd) }),
    );

  it.each([
    ["write", "../tmp/sshlink/config", "deny", "ssh"],
    ["write", "outbox/new.txt", "deny", "outside"],
    ["write", "dangling", "deny", "ssh"],
    ["write", "p/policy.jsonc", "deny", "leash.files"],
    ["write", "src/new/file.ts", "allow", "inside"],
    ["read", "src/a.ts", "allow", "inside"],
    ["read", ".env", "deny", "env"],
    ["read", "../w-secret/key", "ask", "path.external"],
    ["read", "loop", "ask", "path.unknown"],
    ["bash", "cat .env", "deny", "env"],
    ["bash", "cat .e*", "deny", "env"],
    ["bash", "cat *.txt", "allow", "default.fallback"],
    ["bash", "grep -r x src", "allow", "default.fallback"],
    ["bash", "grep -r x .", "ask", "env"],
    ["bash", "rm -rf p/", "deny", "leash.files"],
    ["bash", "cd outbox && touch x", "deny", "outside"],
    // A hard link shows no target: the file behind it is the leash's own.
    ["write", "second-name", "deny", "leash.files"],
    ["edit", "extension.ts", "deny", "leash.files"],
    ["bash", "echo x > grants", "deny", "leash.files"],
    ["bash", "tee s?cond-name", "deny", "leash.files"],
    ["write", "notes-too.txt", "allow", "inside"],
    ["read", "second-name", "allow", "inside"],
    ["bash", "cp src/a.ts outbox/", "deny", "outside"],
  ])("%s %s: %s by %s", (tool, input, effect, rule) => {
    expect(decide(tool, input)).toMatchObject({ effect, rule });
  });

  it("a project that is opened through a link is the same project", () => {
    expect(decide("write", "src/b.ts", "other-name").effect).toBe("allow");
    expect(decide("write", `${realpathSync(at("w"))}/src/b.ts`, "other-name").effect).toBe("allow");
    expect(decide("write", at("w/src/b.ts"), "other-name").effect).toBe("allow");
    expect(decide("write", "outbox/b.ts", "other-name").effect).toBe("deny");
  });

  it("a link that is re-pointed between two decisions is seen (K06)", () => {
    const one = engine();
    const judged = () => one.evaluate(call("write", { path: "moving/x" }, { cwd: at("w") })).effect;
    symlinkSync(at("w/src"), at("w/moving"));
    expect(judged()).toBe("allow");
    rmSync(at("w/moving"));
    symlinkSync(at("outside"), at("w/moving"));
    expect(judged()).toBe("deny");
  });
});
