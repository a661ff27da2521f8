import { readFileSync } from "node:fs";
import { defineConfig } from "tsdown";

// One build for every package: the entries are the source conditions of its exports (or its bin).
const cwd = process.cwd();
const manifest = JSON.parse(readFileSync(`${cwd}/package.json`, "utf8")) as {
  exports?: Record<string, string | Record<string, string>>;
  nestbox?: { entries?: string[] };
};
const entries = [
  ...Object.values(manifest.exports ?? {}).flatMap((target) =>
    typeof target === "object" && target["@nestbox/source"] !== undefined ? [target["@nestbox/source"]] : [],
  ),
  ...(manifest.nestbox?.entries ?? []),
];

export default defineConfig({
  cwd,
  entry: Object.fromEntries(entries.map((file) => [file.replace(/^\.\/src\//, "").replace(/\.ts$/, ""), file])),
  format: "esm",
  platform: "node",
  target: "node22.19",
  fixedExtension: false,
  dts: true,
  sourcemap: true,
  clean: true,
  publint: true,
  attw: { profile: "esm-only", level: "error" },
});
