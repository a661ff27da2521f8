/**
 * Links between the pages, as they stand in the repository: relative, to a file that is there, at a heading that is
 * there. On the site the same links lead to pages, and to the repository for everything that is no page.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { posix } from "node:path";

import type { Fault } from "../blocks/fault.ts";
import { readPage, type Page } from "../markdown.ts";
import { root } from "../root.ts";
import { routeOf } from "./map.ts";

export const REPOSITORY = "https://github.com/nestbox-dev/nestbox";

/** Every link of a page that leads nowhere. */
export function checkLinks(page: Page): readonly Fault[] {
  return page.links.flatMap(({ target, line }) => {
    const message = linkFault(page, target);
    return message === undefined ? [] : [{ page: page.page, line, message }];
  });
}

function linkFault(page: Page, target: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) {
    return target.startsWith("https://") && URL.canParse(target)
      ? undefined
      : `${target} is no address of the web`;
  }
  const { file, anchor } = resolve(page.page, target);
  const here = file === page.page;
  if (!here && (file.startsWith("..") || !existsSync(root + file))) return `there is no ${target}`;
  if (anchor === "") return undefined;
  if (!file.endsWith(".md")) return `${target}: only pages have headings`;
  const there = here ? page : readPage(file, readFileSync(root + file, "utf8"));
  return there.headings.some(({ slug }) => slug === anchor) ? undefined : `${file} has no heading #${anchor}`;
}

/** Where a link of a page leads on the site; `base` is the path of its root, with a slash at the end. */
export function siteTarget(page: string, target: string, base: string): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return target;
  if (target.startsWith("#")) return target;
  const { file, anchor } = resolve(page, target);
  const hash = anchor === "" ? "" : `#${anchor}`;
  const route = routeOf(statSync(root + file).isDirectory() ? `${file}/README.md` : file);
  if (route !== undefined) return `${base}${route.slice(1)}${hash}`;
  const kind = statSync(root + file).isDirectory() ? "tree" : "blob";
  return `${REPOSITORY}/${kind}/main/${file}${hash}`;
}

function resolve(page: string, target: string): { readonly file: string; readonly anchor: string } {
  const [path = "", anchor = ""] = target.split("#");
  const file = path === "" ? page : posix.normalize(posix.join(posix.dirname(page), decodeURI(path)));
  return { file: file.replace(/\/$/, ""), anchor };
}
