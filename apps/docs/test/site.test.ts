import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { policySchema } from "@nestbox/policy";
import { afterAll, describe, expect, it } from "vitest";

import { commandsBelow, commandTree } from "../src/blocks/command-tree.ts";
import { apiEntries } from "../src/reference/api.ts";
import { cell } from "../src/reference/cell.ts";
import { makeCliReference } from "../src/reference/cli.ts";
import { makeSchemaReference } from "../src/reference/schema.ts";
import { root } from "../src/root.ts";
import { sitePage } from "../src/site/assemble.ts";
import { checkSite } from "../src/site/check-site.ts";
import { mendPage } from "../src/site/mend-site.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-site-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function site(files: Readonly<Record<string, string>>, base = "/"): readonly string[] {
  const place = mkdtempSync(join(folder, "site-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), text);
  }
  return checkSite(place, base);
}

describe("the reference is made of what the program and the packages say", () => {
  it("every command with every option", () => {
    const text = makeCliReference("/guide/");
    const commands = commandsBelow(commandTree()).filter(({ command }) => command.commands.length === 0);
    expect(commands.length).toBeGreaterThan(10);
    for (const { name, command } of commands.filter((one) => one.command.name() !== "help")) {
      const section = text.slice(text.indexOf(`\n## ${name}\n`));
      expect(section.length).toBeGreaterThan(1);
      for (const { flags } of command.options) expect(section).toContain(`\`${flags}\``);
    }
    expect(text).toContain("bash, zsh, fish");
    expect(text).toContain("(default: 4747)");
  });

  it("every key of a policy file", () => {
    const text = makeSchemaReference(policySchema, "The file");
    for (const key of ["fallback", "preset.*.except", "tools.*.paths[].action", "loop.identical", "notMatch"])
      expect(text).toContain(`\`${key}\``);
    expect(text).toMatch(/\| `version` \| `1` \| Needed\. \|/);
    expect(text).toMatch(/\| `limit\.calls` \| integer from 0 to 1000000 \|/);
    // Each definition that is linked has its section.
    for (const [, name = ""] of text.matchAll(/\]\(#(\w+)\)/g))
      expect(text).toMatch(new RegExp(`^## ${name}$`, "m"));
  });

  it("an address in a description as one to be typed, that leads nowhere", () => {
    expect(cell("The ingress, http://host:8080. Or `http://a`, [b](https://b.example/c) | x\n y")).toBe(
      "The ingress, `http://host:8080`. Or `http://a`, [b](https://b.example/c) \\| x y",
    );
  });

  it("every entry of every public package", () => {
    const names = apiEntries().map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        "@nestbox/tool",
        "@nestbox/policy/node",
        "@nestbox/pi",
        "@nestbox/codemode/durable",
        "@nestbox/codemode/durable/conformance/node",
        "@nestbox/restate",
        "@nestbox/restate/node",
        "@nestbox/dbos",
        "@nestbox/dbos/node",
      ]),
    );
    expect(names.every((name) => name.startsWith("@nestbox/"))).toBe(true);
    for (const { source } of apiEntries()) expect(readFileSync(root + source, "utf8")).toContain("export");
  });
});

describe("a page on the site", () => {
  it("has its heading as the title, its links turned, and no word that is for the checks only", () => {
    const text =
      "# A `page`\n\nWhat it is. More.\n\n[Tool](../packages/tool/README.md)\n\n```js script\nreturn 1;\n```\n\n```sh run\nls\n```\n";
    const page = sitePage("docs/pi.md", text, "/base/");
    expect(page).toMatch(/^---\ntitle: "A page"\ndescription: "What it is\."\n---\n/);
    expect(page).toContain("[Tool](/base/packages/tool/)");
    expect(page).toContain("```js\nreturn 1;");
    expect(page).toContain("```sh\nls");
    expect(() => sitePage("docs/pi.md", "No heading\n", "/")).toThrow("heading");
  });
});

describe("what the generator makes is mended", () => {
  it("a table that scrolls can be reached with the keyboard, and its empty corner heads nothing", () => {
    expect(mendPage('<table><tr></tr></table><table class="a"><table tabindex="0" class="b"><tablet>')).toBe(
      '<table tabindex="0"><tr></tr></table><table tabindex="0" class="a"><table tabindex="0" class="b"><tablet>',
    );
    expect(mendPage('<th></th><th align="left"></th><th>a</th>')).toBe(
      '<td></td><td align="left"></td><th>a</th>',
    );
    expect(mendPage(mendPage("<table>"))).toBe('<table tabindex="0">');
  });
});

describe("the check of the built site", () => {
  const good = `<link rel="stylesheet" href="/a.css"><a href="/b/#there">b</a><a href="b/">b</a><a href="https://example.com/">c</a>`;

  it("passes a site whose links lead somewhere", () => {
    expect(
      site({ "index.html": good, "b/index.html": `<h2 id="there">`, "a.css": "a { color: red }" }),
    ).toEqual([]);
    expect(site({ "index.html": `<a href="/base/b/">b</a>`, "b/index.html": "" }, "/base/")).toEqual([]);
  });

  it("tells of dead links, dead places, and of what comes from elsewhere", () => {
    expect(site({})).toEqual(["there is no page"]);
    const found = site({
      "index.html": `${good}<a href="/c/">c</a><script src="https://example.com/a.js"></script><img src="//example.com/a.png">`,
      "b/index.html": `<a href="http://example.com/">d</a><link rel="preload" href="https://example.com/font.woff2">`,
      "a.css": "@import 'https://example.com/b.css'; b { background: url(https://example.com/c.png) }",
    });
    expect(found).toEqual(
      expect.arrayContaining([
        "index.html: /b/#there has no such place",
        "index.html: /c/ is dead",
        "index.html: takes https://example.com/a.js from elsewhere",
        "index.html: takes //example.com/a.png from elsewhere",
        "b/index.html: http://example.com/ leads to another machine without a lock",
        "b/index.html: takes https://example.com/font.woff2 from elsewhere",
        "a.css: takes https://example.com/b.css from elsewhere",
        "a.css: takes https://example.com/c.png from elsewhere",
      ]),
    );
    expect(found).toHaveLength(8);
    expect(site({ "index.html": `<a href="/outside/">a</a>` }, "/base/")).toEqual([
      "index.html: /outside/ is outside of the site",
    ]);
  });
});
