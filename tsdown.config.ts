import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { defineConfig, type UserConfig } from "tsdown";

// One build for every package. Its entries are the source conditions of its exports, with declarations, and the
// programs that its manifest lists under `nestbox.entries`, which nobody imports.
const cwd = process.cwd();
const manifest = JSON.parse(readFileSync(`${cwd}/package.json`, "utf8")) as {
  exports?: Record<string, string | Record<string, string>>;
  nestbox?: { entries?: string[] };
};
const exported = Object.values(manifest.exports ?? {}).flatMap((target) =>
  typeof target === "object" && target["@nestbox/source"] !== undefined ? [target["@nestbox/source"]] : [],
);
const programs = manifest.nestbox?.entries ?? [];
const named = (files: readonly string[]): Record<string, string> =>
  Object.fromEntries(files.map((file) => [file.replace(/^\.\/src\//, "").replace(/\.ts$/, ""), file]));

const common: UserConfig = {
  cwd,
  format: "esm",
  platform: "node",
  target: "node22.19",
  fixedExtension: false,
  sourcemap: true,
};

const configs: UserConfig[] = [];
if (exported.length > 0) {
  configs.push({
    ...common,
    entry: named(exported),
    // Declarations of what can be imported, and of nothing else.
    tsconfig: declarationConfig(exported),
    dts: true,
    clean: true,
    publint: true,
    attw: { profile: "esm-only", level: "error" },
  });
}
if (programs.length > 0) {
  configs.push({
    ...common,
    entry: named(programs),
    dts: false,
    clean: exported.length === 0,
    publint: exported.length === 0,
  });
}

export default defineConfig(configs);

function declarationConfig(entries: readonly string[]): string {
  const folder = join(cwd, "node_modules/.cache");
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  const file = join(folder, "tsconfig.declarations.json");
  writeFileSync(
    file,
    JSON.stringify({
      extends: "../../tsconfig.json",
      compilerOptions: { rootDir: "../../src" },
      include: [],
      files: entries.map((entry) => `../../${entry}`),
    }),
  );
  return file;
}
