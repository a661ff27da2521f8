import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterAll, expect, it } from "vitest";

import { MAX_CALLS } from "../src/model/read-run.ts";
import { MAX_TRACE_BYTES, MAX_TRACES } from "../src/node/trace-files.ts";
import { exampleTrace } from "./support/traces.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const blocks = [...readme.matchAll(/```ts\n([^]*?)```/g)].map((match) => match[1] ?? "");
const folder = mkdtempSync(join(tmpdir(), "nestbox-inspector-readme-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("has examples that are files, type-checked here, and each of them runs", async () => {
  const files = readdirSync(new URL("readme/", import.meta.url)).map((name) =>
    fileURLToPath(new URL(`readme/${name}`, import.meta.url)),
  );
  const marked = files.map(
    (file) => /^\/\/ README\n([^]*?)^\/\/ README\n/m.exec(readFileSync(file, "utf8"))?.[1],
  );
  expect(new Set(marked)).toEqual(new Set(blocks));
  writeFileSync(join(folder, "review.trace.json"), JSON.stringify(exampleTrace()));
  for (const file of files) {
    const words = ["--conditions=@nestbox/source", file];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder });
    expect(stdout).toMatch(file.endsWith("live.ts") ? /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/\n$/ : /^$/);
  }
});

it("names the limits that hold", () => {
  expect(readme).toContain(`${MAX_TRACE_BYTES / 1_048_576} MiB, ${MAX_TRACES}`);
  expect(readme).toContain(MAX_CALLS.toLocaleString("en-US"));
});
