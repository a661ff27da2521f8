/**
 * Takes out of the documentation what is true only as long as nothing is published: what stands between
 * `<!-- until the first release -->` and `<!-- end -->`. Run after the versions were set; does nothing before the first.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

const root = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, "packages/tool/package.json"), "utf8")) as {
  version: string;
};

if (version !== "0.0.0") {
  for (const file of globSync(
    ["*.md", "docs/**/*.md", "{packages,apps}/*/README.md", "apps/cli/template/*.md.tpl"],
    { cwd: root },
  )) {
    const text = readFileSync(join(root, file), "utf8");
    const cut = text.replaceAll(/<!-- until the first release -->\n[^]*?<!-- end -->\n+/g, "");
    if (cut !== text) writeFileSync(join(root, file), cut);
  }
}
