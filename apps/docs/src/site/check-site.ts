/** Looks at the built site as a browser gets it: no link is dead, and nothing comes from another machine. */
import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";

/** Every dead link and every foreign resource, with the file that has it. `base` is the path of the site's root. */
export function checkSite(folder: string, base: string): readonly string[] {
  const files = globSync("**/*", { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(folder, posix.join(entry.parentPath, entry.name)));
  const pages = new Map(
    files
      .filter((file) => file.endsWith(".html"))
      .map((file) => [file, readFileSync(posix.join(folder, file), "utf8")]),
  );
  if (pages.size === 0) return ["there is no page"];
  const known = new Set(files);
  const faults: string[] = [];
  for (const [file, html] of pages) {
    for (const target of foreignResources(html)) faults.push(`${file}: takes ${target} from elsewhere`);
    for (const target of linksOf(html)) {
      const fault = deadLink(file, target, { base, known, pages });
      if (fault !== undefined) faults.push(`${file}: ${fault}`);
    }
  }
  for (const file of files.filter((name) => name.endsWith(".css"))) {
    const text = readFileSync(posix.join(folder, file), "utf8");
    for (const [, target = ""] of text.matchAll(/(?:url\(|@import\s+)["']?((?:https?:)?\/\/[^"')]+)/g))
      faults.push(`${file}: takes ${target} from elsewhere`);
  }
  return [...new Set(faults)];
}

/** What a page loads by itself: scripts, styles, images, fonts, frames. */
function foreignResources(html: string): readonly string[] {
  const tags = [...html.matchAll(/<(?:script|img|iframe|source|video|audio|link)\b[^>]*>/g)].map(
    ([tag]) => tag,
  );
  return tags
    .filter(
      (tag) =>
        !/^<link\b/.test(tag) || /\brel="?(?:stylesheet|preload|modulepreload|icon|shortcut)/.test(tag),
    )
    .flatMap((tag) =>
      [...tag.matchAll(/\b(?:src|href)="?((?:https?:)?\/\/[^"\s>]+)/g)].map(([, target = ""]) => target),
    );
}

function linksOf(html: string): readonly string[] {
  return [...html.matchAll(/<(?:a|link)\b[^>]*?\bhref="([^"]*)"/g)].map(([, target = ""]) =>
    target.replaceAll("&amp;", "&").replaceAll("&#x26;", "&").replaceAll("&#38;", "&"),
  );
}

interface Site {
  readonly base: string;
  readonly known: ReadonlySet<string>;
  readonly pages: ReadonlyMap<string, string>;
}

function deadLink(file: string, target: string, { base, known, pages }: Site): string | undefined {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) {
    return /^(?:https:|mailto:)/.test(target)
      ? undefined
      : `${target} leads to another machine without a lock`;
  }
  const url = new URL(target, `https://site.invalid${base}${file.replace(/index\.html$/, "")}`);
  const path = decodeURIComponent(url.pathname);
  if (!path.startsWith(base)) return `${target} is outside of the site`;
  const inside = path.slice(base.length);
  const there = [inside, posix.join(inside, "index.html")].find((name) => known.has(name));
  if (there === undefined) return `${target} is dead`;
  const anchor = decodeURIComponent(url.hash.slice(1));
  const html = pages.get(there);
  if (anchor === "" || html === undefined) return undefined;
  const found = html.includes(`id="${anchor}"`) || html.includes(`id=${anchor}>`);
  return found ? undefined : `${target} has no such place`;
}
