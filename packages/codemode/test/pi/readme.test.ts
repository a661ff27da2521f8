import { readFileSync } from "node:fs";
import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { expect, test } from "vitest";
import { createScriptChecker } from "../../src/node/index.ts";
import { createCodemodeExtension } from "../../src/pi/index.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** A block of the README without its import. */
function block(start: string): string {
  const found = [...readme.matchAll(/```ts\n([^]*?)```/g)]
    .map(([, text]) => text ?? "")
    .find((text) => text.startsWith(start));
  if (found === undefined) throw new Error(`no block starts with ${start}`);
  return found.replace(/^import [^\n]*\n/, "");
}

test("the extension of the README runs scripts in a session", async () => {
  const text = block("import { createCodemodeExtension }").replace("export default ", "return ");
  // oxlint-disable-next-line typescript/no-implied-eval -- the text is this repository's own README
  const extension = new Function("createCodemodeExtension", text)(createCodemodeExtension);
  await using pi = await scriptedPiSession({ extensions: [extension], noTools: "builtin" });
  await pi.prompt("go", [call("codemode", { code: "1 + 1" }), "done"]);
  expect(pi.resultText()).toMatch(/\n2$/);
});

test("the check of the README finds the mistake", async () => {
  const size = {
    name: "size",
    description: "Size.",
    parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  };
  const lines: unknown[] = [];
  const text = `return (async () => {${block("import { createScriptChecker }").replace("5_000", "60_000")}})()`;
  // oxlint-disable-next-line typescript/no-implied-eval -- the text is this repository's own README
  await new Function("createScriptChecker", "caller", "console", text)(
    createScriptChecker,
    { tools: [size] },
    { log: (line: unknown) => lines.push(line) },
  );
  expect(lines).toEqual([expect.stringContaining("'nam' does not exist in type")]);
});
