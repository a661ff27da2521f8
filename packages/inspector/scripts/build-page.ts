/**
 * Builds the page into `page.json`: its script and its style as text, with their hashes for the content security
 * policy. `node scripts/build-page.ts <folder>`
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = resolve(process.argv[2] ?? join(root, "dist/page"));

const built = await build({
  root,
  configFile: false,
  logLevel: "error",
  mode: "production",
  resolve: { conditions: ["module", "browser", "import", "default"] },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    write: false,
    target: "es2024",
    // `light-dark()` and nesting stay as they are written.
    cssTarget: "esnext",
    cssCodeSplit: false,
    lib: { entry: join(root, "src/page/main.tsx"), formats: ["iife"], name: "nestbox", fileName: "page" },
  },
});

const outputs = (Array.isArray(built) ? built : [built]).flatMap((part) =>
  "output" in part ? part.output : [],
);
const code = outputs.flatMap((file) => (file.type === "chunk" ? [file.code] : [])).join("\n");
// Every exported page is a copy of them, and their licences go with it. The core of the signals has theirs.
const licences = ["preact", "@preact/signals"].map(
  (name) => `${name}\n${readFileSync(join(root, "node_modules", name, "LICENSE"), "utf8").trim()}`,
);
if (code === "" || licences.some((text) => text.includes("*/")))
  throw new Error("The page has no script, or a licence would end its comment");
const script = `/*!\n${licences.join("\n\n")}\n*/\n${code}`;
const style = outputs
  .flatMap((file) => (file.type === "asset" && file.fileName.endsWith(".css") ? [String(file.source)] : []))
  .join("\n");
if (style === "") throw new Error("The page has no style");
// What stands inside of an element must not end it.
for (const text of [script, style])
  if (/<\/(?:script|style)|<!--/i.test(text)) throw new Error("The page's own text would end its element");

const hash = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;
mkdirSync(folder, { recursive: true });
const file = join(folder, "page.json");
const part = `${file}.${process.pid}`;
writeFileSync(part, JSON.stringify({ script, style, scriptHash: hash(script), styleHash: hash(style) }));
renameSync(part, file);
