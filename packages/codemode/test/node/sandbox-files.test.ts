import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { firstReason } from "../../src/node/process-driver.ts";
import { sandboxFiles, whyUnusable } from "../../src/node/sandbox-files.ts";

const folder = mkdtempSync(join(tmpdir(), "sandbox-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("files that no sandbox can be started from", () => {
  const files = sandboxFiles();

  test("are told with the way out before anything is started", () => {
    expect(whyUnusable(files)).toBe(undefined);
    expect(whyUnusable({ ...files, main: join(folder, "dist/sandbox/main.js") })).toMatch(
      /^There is no .*main\.js: .* bundled into .*external package.*install it again\.$/,
    );
    expect(whyUnusable(files, "3")).toMatch(/Plug'n'Play .*nodeLinker: node-modules/);
    expect(whyUnusable({ ...files, prebuilds: folder })).toMatch(
      /^There is no isolated-vm for \w+-\w+ in .*Linux \(x64, arm64\).*install @nestbox\/codemode again/,
    );
    mkdirSync(join(folder, `${process.platform}-${process.arch}`));
    expect(whyUnusable({ ...files, prebuilds: folder })).toBe(undefined);
  });
});

describe("what a sandbox says as it dies", () => {
  test("is told with the error, not with the source line that Node shows above it", () => {
    const uncaught = [
      "file:///p/dist/sandbox/main.js:87",
      "\tthrow new Error(`No usable isolated-vm for ${process.platform}`);",
      "\t      ^",
      "",
      "Error: No usable isolated-vm for linux-x64, Node v26.1.0: nothing there",
      "    at loadIsolatedVm (file:///p/dist/sandbox/main.js:87:8)",
    ];
    expect(firstReason(uncaught.join("\n"))).toBe(uncaught[4]);
    const missing = "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'acorn' imported from /p/main.js";
    expect(firstReason(`node:internal/modules/x:1\n  throw new ERR_MODULE_NOT_FOUND(a);\n\n${missing}`)).toBe(
      missing,
    );
    expect(firstReason("#\n# Fatal JavaScript out of memory: Reached heap limit\n#")).toBe(
      "Fatal JavaScript out of memory: Reached heap limit",
    );
    expect(firstReason("<--- Last few GCs --->\n\nFATAL ERROR: invalid size\n----")).toBe(
      "FATAL ERROR: invalid size",
    );
    expect(firstReason("/bin/sh: 1: exec: /opt/node: not found")).toBe(
      "/bin/sh: 1: exec: /opt/node: not found",
    );
    expect(firstReason("")).toBe("");
    expect(firstReason("terminate called after throwing an instance of 'std::bad_alloc'")).toBe("");
  });
});
