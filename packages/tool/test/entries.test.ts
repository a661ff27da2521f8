import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as core from "@nestbox/tool";
import { describe, expect, it } from "vitest";

const src = join(import.meta.dirname, "../src");
const importPattern = /^\s*(?:import|export)\s(?!type\s)(?:[^"';]*?\sfrom\s)?"([^"]+)"/gm;

/** Every module that an entry loads when it runs, type-only imports left out. */
function reach(entry: string): {
  readonly files: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
} {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(importPattern)) {
      if (specifier.startsWith(".")) visit(join(dirname(file), specifier));
      else packages.add(specifier);
    }
  };
  visit(entry);
  return { files, packages };
}

describe("the entries", () => {
  it("keep Node and Pi out of the core", () => {
    const { files, packages } = reach(join(src, "index.ts"));
    expect([...packages].sort()).toEqual(["@earendil-works/pi-schema", "@earendil-works/pi-schema/formats"]);
    expect([...files].filter((file) => /\/(node|pi|testing)\//.test(file))).toEqual([]);
    // And so does what the core stands on.
    for (const name of packages) {
      const entry = fileURLToPath(import.meta.resolve(name));
      expect([...reach(entry).packages]).toEqual([]);
    }
    // No global of Node alone.
    const text = [...files]
      .map((file) => readFileSync(file, "utf8").replace(/\/\*[^]*?\*\/|\/\/.*/g, ""))
      .join("\n");
    expect(text).not.toMatch(/\b(?:process|Buffer|require|__dirname|setImmediate|global)\b\s*[.(]/);
  });

  it("keep Pi out of the Node part, and Node's part out of Pi's", () => {
    expect(
      [...reach(join(src, "node/index.ts")).packages].filter((name) => !name.startsWith("node:")).sort(),
    ).toEqual(["signal-exit"]);
    expect([...reach(join(src, "pi/index.ts")).packages].sort()).toEqual([
      "@earendil-works/pi-coding-agent",
      "@earendil-works/pi-schema",
      "@earendil-works/pi-schema/formats",
    ]);
  });

  it("name every export of the core on purpose", () => {
    expect(Object.keys(core).sort()).toMatchInlineSnapshot(`
      [
        "ToolError",
        "abortError",
        "addUsage",
        "checkToolName",
        "checkToolNames",
        "compileSchema",
        "createMutationQueue",
        "createProgress",
        "createRedactor",
        "dataResult",
        "defineTool",
        "failureResult",
        "findJsonFault",
        "findNameCollisions",
        "formatPointer",
        "formatSchemaErrors",
        "isAbortError",
        "isSecretKey",
        "isToolError",
        "messageOf",
        "modelTextLimits",
        "nearestName",
        "pageResult",
        "redactForRecord",
        "redactJson",
        "refusal",
        "shorten",
        "systemClock",
        "takePage",
        "textResult",
        "throwIfAborted",
        "toIdentifier",
        "toPlainJson",
        "truncateText",
      ]
    `);
  });
});
