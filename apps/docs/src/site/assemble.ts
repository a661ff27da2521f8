/** Makes the content of the site: the pages of the repository with their links turned, and the generated reference. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

import { readPage, replaceLinks } from "../markdown.ts";
import { apiEntries, makeApiReference } from "../reference/api.ts";
import { makeCliReference } from "../reference/cli.ts";
import { makeSchemaReference } from "../reference/schema.ts";
import { root } from "../root.ts";
import { siteTarget } from "./links.ts";
import { groups, routeOf } from "./map.ts";

/** Writes the content into `folder`, which is emptied first. `base` is the path of the site's root. */
export async function assemble(folder: string, base: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const write = (route: string, text: string): void => {
    const file = join(folder, route === "/" ? "index.md" : `${route.replace(/\/$/, "")}.md`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  for (const file of groups.flatMap(({ files }) => files)) {
    if (!existsSync(root + file)) throw new Error(`The site needs ${file}`);
    const text = readFileSync(root + file, "utf8");
    write(routeOf(file) ?? "/", sitePage(file, text, base));
  }
  for (const [route, title, text] of await reference(base)) {
    write(route, withTitle(title, "Generated from the sources of the packages.", text));
  }
}

/** One page of the repository as one of the site: its first heading is the title. */
export function sitePage(file: string, text: string, base: string): string {
  const { headings } = readPage(file, text);
  const [title] = headings;
  if (title?.depth !== 1) throw new Error(`${file} does not begin with a heading of the first level`);
  const lines = text.split("\n");
  const body = lines.slice(title.line).join("\n");
  const turned = replaceLinks(body, (target) => siteTarget(file, target, base));
  // What a block is to the checks is nothing to a reader.
  const plain = turned.replaceAll(/^(```(?:js|ts|sh|text)) (?:script|run|output)$/gm, "$1");
  return withTitle(title.text, firstSentence(body), plain);
}

function withTitle(title: string, description: string, body: string): string {
  const front = [`title: ${JSON.stringify(title)}`, `description: ${JSON.stringify(description)}`];
  return `---\n${front.join("\n")}\n---\n\n${body.trim()}\n`;
}

function firstSentence(body: string): string {
  const paragraph = body.trim().split(/\n\s*\n/)[0] ?? "";
  const plain = paragraph
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\s+/g, " ");
  return /^.*?[.:](?= |$)/.exec(plain)?.[0] ?? plain;
}

async function reference(base: string): Promise<readonly (readonly [string, string, string])[]> {
  const schema = (file: string): Readonly<Record<string, unknown>> =>
    JSON.parse(readFileSync(root + file, "utf8")) as Readonly<Record<string, unknown>>;
  const api = await makeApiReference();
  const pages = apiEntries().map(({ name, page }) => {
    const text = api.get(name);
    if (text === undefined) throw new Error(`The reference has no page for ${name}`);
    return [`/reference/api/${page}/`, name, turnApiLinks(name, text)] as const;
  });
  return [
    [
      "/reference/cli/",
      "Command line",
      makeCliReference(siteTarget("docs/index.md", "../apps/cli/README.md", base)),
    ],
    [
      "/reference/policy-schema/",
      "Policy file: every key",
      makeSchemaReference(schema("packages/policy/policy.schema.json"), "The file"),
    ],
    [
      "/reference/config-file/",
      "Config file of the command line",
      makeSchemaReference(schema("apps/cli/nestbox.config.schema.json"), "The file"),
    ],
    ...pages,
  ];
}

/** The generator links its own files; on the site each entry has one page. */
function turnApiLinks(name: string, text: string): string {
  const pages = new Map(apiEntries().map((entry) => [entry.name, entry.page]));
  return replaceLinks(text, (target) => {
    const [file = "", anchor] = target.split("#");
    const page = pages.get(posix.join(posix.dirname(name), file).replace(/\.md$/, ""));
    if (file === "" || page === undefined) return target;
    return `../${page}/${anchor === undefined ? "" : `#${anchor}`}`;
  });
}
