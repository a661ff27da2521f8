/** Which files are documentation: what is checked, and what the site is made of. */
import { globSync, readFileSync } from "node:fs";

import { readPage, type Page } from "./markdown.ts";
import { root } from "./root.ts";

/** Every page that somebody reads, relative to the repository. */
export function pageFiles(): readonly string[] {
  return globSync(
    [
      "*.md",
      "docs/**/*.md",
      "packages/*/*.md",
      "apps/{cli,pi,bench}/README.md",
      "examples/README.md",
      "examples/*/README.md",
    ],
    { cwd: root },
  )
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !file.endsWith("CHANGELOG.md"))
    .sort();
}

export function loadPage(file: string): Page {
  return readPage(file, readFileSync(root + file, "utf8"));
}
