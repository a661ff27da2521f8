import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { JsonObject } from "@nestbox/tool";
import { describe, expect, it } from "vitest";

import { createGate } from "../../src/gate/gate.ts";
import { openPolicy } from "../../src/node/open-policy.ts";
import { layer } from "../engine/support.ts";
import { tempFolders } from "../node/temp-folder.ts";
import { call } from "./fake-engine.ts";

const folder = tempFolders();

/** A project in which everything inside is allowed, and nobody can be asked. */
function project() {
  const top = folder();
  const cwd = join(top, "w");
  mkdirSync(join(cwd, "notes"), { recursive: true });
  mkdirSync(join(cwd, "other"));
  writeFileSync(join(cwd, "other", "key"), "x");
  writeFileSync(join(cwd, "notes", "a.txt"), "x");
  symlinkSync("other", join(cwd, "out"));
  const policy = openPolicy({
    files: [],
    home: join(top, "home"),
    cwd,
    layers: [
      layer("user", {
        fallback: { bash: "allow", read: "allow", write: "allow" },
        rules: [
          { id: "inside", effect: "allow", path: { outside: false } },
          { id: "all", effect: "allow", command: { program: "*" } },
        ],
      }),
    ],
  });
  const gate = createGate({ engine: policy.engine, facts: policy.facts });
  let calls = 0;
  const decide = (name: string, input: JsonObject) =>
    gate.decide(call(`c${(calls += 1)}`, input, { cwd, tool: { name, source: { kind: "builtin" } } }));
  return { decide, gate, top };
}

// policy J11: both calls of a batch are decided before either runs.
describe("what a call of the same batch may turn into a link is not believed", () => {
  it.each([
    ["ln -s other notes2", "notes2/key"],
    ["ln -sfn other notes", "notes/key"],
    ["ln -sf other/key notes/a.txt", "notes/a.txt"],
    ["mv out notes2", "notes2/key"],
    ["cp -a out notes2", "notes2/key"],
    ["rm -r notes && ln -s other notes", "notes/a.txt"],
    ["cd notes && ln -sf ../other/key b.txt", "notes/b.txt"],
    ["rm notes/*.txt", "notes/a.txt"],
    ["tar -xf links.tar", "any/key"],
    ["tar -xf links.tar -C notes", "notes/key"],
    ["unzip links.zip -d notes", "notes/key"],
  ])("%s, then read %s", async (command, path) => {
    const { decide, gate } = project();
    expect((await decide("bash", { command })).effect).toBe("allow");
    for (const [tool, input] of [
      ["read", { path }],
      ["write", { path, content: "" }],
      ["bash", { command: `cat ${path}` }],
    ] as const) {
      expect(await decide(tool, input)).toMatchObject({
        effect: "deny",
        decision: { rule: "batch.sibling" },
      });
    }
    // Beside it nothing is held up.
    expect((await decide("read", { path: "elsewhere/file" })).effect).toBe(
      path === "any/key" ? "deny" : "allow",
    );
    gate.settled({ callId: "c1" }, { isError: false });
    expect((await decide("read", { path })).decision.rule).not.toBe("batch.sibling");
  });
});
