import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, expect, test } from "vitest";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "nestbox-start-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Tells the addresses of all modules that a program loads, at its end, on its standard error. */
const HOOK = `import { registerHooks } from "node:module";
  const seen = [];
  registerHooks({ load(url, context, next) { seen.push(url); return next(url, context) } });
  process.on("exit", () => process.stderr.write("LOADED " + JSON.stringify(seen) + "\\n"));`;

test("a script that connects no server and reads no report waits for no package that these need", () => {
  const script = join(folder, "one.js");
  writeFileSync(script, "return 41 + 1");
  const hook = `data:text/javascript,${encodeURIComponent(HOOK)}`;
  const args = ["--conditions=@nestbox/source", "--no-warnings", "--import", hook, main, "run", script];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    cwd: folder,
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder },
  });
  expect(stdout.trim()).toBe("42");
  const loaded = JSON.parse(/^LOADED (.*)$/m.exec(stderr)?.[1] ?? "") as string[];
  const packages = new Set(
    loaded.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? ""),
  );
  // It does see what is loaded.
  expect(packages).toContain("commander");
  expect(packages).toContain("acorn");
  const heavy =
    /^(?:execa|zod|hono|yaml|tap-parser|fast-xml-parser|typebox|@(?:modelcontextprotocol|opentelemetry|dbos-inc|restatedev|earendil-works\/pi-coding-agent)\b)/;
  expect([...packages].filter((name) => heavy.test(name))).toEqual([]);
});
