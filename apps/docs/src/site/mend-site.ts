/** Mends in the built pages what the site's generator makes, so that they are readable for everybody. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export function mendSite(folder: string): void {
  for (const file of globSync("**/*.html", { cwd: folder })) {
    const path = join(folder, file);
    writeFileSync(path, mendPage(readFileSync(path, "utf8")));
  }
}

/** A wide table scrolls in itself: with the keyboard, too. A corner with no word heads no column. */
export function mendPage(html: string): string {
  return html
    .replaceAll(/<table(?=[\s>])(?![^>]*\btabindex=)/g, '<table tabindex="0"')
    .replaceAll(/<th([^>]*)><\/th>/g, "<td$1></td>");
}
