import { expect, test } from "vitest";
import { prepareArguments } from "../../src/script-tool/prepare-arguments.ts";
import { scriptReach } from "../../src/script-tool/script-reach.ts";

// D21
test.each<[unknown, unknown]>([
  [{ code: "return 1" }, { code: "return 1" }],
  ["return 1", { code: "return 1" }],
  [{ script: "return 1" }, { code: "return 1" }],
  [{ source: "return 1" }, { code: "return 1" }],
  [{ code: '{"code": "return 1"}' }, { code: "return 1" }],
  [{ code: '{"code": "return 1", "x": 1}' }, { code: '{"code": "return 1", "x": 1}' }],
  [{ code: '{"code": 1}' }, { code: '{"code": 1}' }],
  [{ code: '{"code": }' }, { code: '{"code": }' }],
  [{ code: '"const a = 1;\\nreturn a"' }, { code: "const a = 1;\nreturn a" }],
  [{ code: '  "return \\"x\\""\n' }, { code: 'return "x"' }],
  ['"return 1"', { code: "return 1" }],
  [{ code: '"use strict"' }, { code: '"use strict"' }],
  [{ code: '"a" + tools' }, { code: '"a" + tools' }],
  [{ code: 1 }, { code: 1 }],
  [
    { script: "a", source: "b" },
    { script: "a", source: "b" },
  ],
  [null, null],
])("the script is found in %j", (given, expected) => {
  expect(prepareArguments(given)).toEqual(expected);
});

test.each<[unknown, unknown]>([
  ["return await tools.mcp__docs__search({})", expect.arrayContaining(["mcp__docs__search"])],
  ['tools["mcp__docs__" + name]({})', expect.arrayContaining(["mcp__docs__"])],
  ['ctx.executeTool("mcp__a__b")', expect.arrayContaining(["mcp__a__b"])],
  ["const found = await searchTools('x')", "all"],
  ["ALL_TOOLS.filter(Boolean)", "all"],
  ["await describeTool(n)", "all"],
  ["const mySearchTools = 1", ["const", "mySearchTools", "1"]],
  [undefined, []],
])("a script names the tools that it may reach: %j", (code, expected) => {
  expect(scriptReach({ code })).toEqual(expected);
});
