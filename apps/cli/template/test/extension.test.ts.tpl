import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { call, runTool, scriptedPiSession } from "@nestbox/tool/testing";

import { countTodos } from "../src/count-todos.ts";
import extension from "../src/extension.ts";

const project = mkdtempSync(join(tmpdir(), "extension-test-"));
after(() => rmSync(project, { recursive: true, force: true }));
writeFileSync(join(project, "notes.txt"), "TODO one\ndone\nFIXME two\n");
writeFileSync(join(project, ".env"), "TODO=secret\n");

test("the tool counts what is left to do", async () => {
  const run = await runTool(countTodos, { path: "notes.txt" }, { cwd: project });
  assert.deepEqual(run.kind === "result" && run.structured, { count: 2, lines: [1, 3] });
});

test("the tool does not leave the project", async () => {
  const run = await runTool(countTodos, { path: "../outside.txt" }, { cwd: project });
  assert.equal(run.kind, "error");
});

test("in Pi, the model's call is allowed and one for a secret is denied by the rule", async () => {
  await using pi = await scriptedPiSession({ cwd: project, extensions: [extension] });
  await pi.prompt("How much is left?", [call("count_todos", { path: "notes.txt" }), "Two."]);
  assert.match(pi.resultText(), /"count":\s*2/);
  await pi.prompt("And here?", [call("count_todos", { path: ".env" }), "I may not look."]);
  assert.match(pi.resultText(), /no-secrets/);
  assert.deepEqual(pi.errors, []);
});
