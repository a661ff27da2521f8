import { call, runTool, scriptedPiSession } from "@nestbox/tool/testing";
import { expect, test } from "vitest";
import { countLines } from "./count-lines.ts";
import extension from "./extension.ts";

test("counts lines for a model", async () => {
  await using pi = await scriptedPiSession({ extensions: [extension], cwd: import.meta.dirname });
  await pi.prompt("How long is it?", [call("count_lines", { path: "extension.ts" }), "7 lines."]);
  expect(pi.resultText()).toContain('"lines": 7');
});

test("stays inside the project", async () => {
  const run = await runTool(countLines, { path: "../../package.json" }, { cwd: import.meta.dirname });
  expect(run).toMatchObject({ kind: "error", error: { code: "bad-path" } });
});
