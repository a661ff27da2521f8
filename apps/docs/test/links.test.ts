import { describe, expect, it } from "vitest";

import { faultLine } from "../src/blocks/fault.ts";
import { readPage, replaceLinks } from "../src/markdown.ts";
import { loadPage, pageFiles } from "../src/pages.ts";
import { checkLinks, siteTarget } from "../src/site/links.ts";
import { groups, routeOf } from "../src/site/map.ts";

describe("the links of the documentation", () => {
  it("lead to files and headings that are there", () => {
    const pages = pageFiles().map(loadPage);
    expect(pages.flatMap(({ links }) => links).length).toBeGreaterThan(50);
    expect(pages.flatMap(checkLinks).map(faultLine)).toEqual([]);
  });

  it("are told with their line when they are dead", () => {
    const page = readPage(
      "docs/thought.md",
      [
        "# Thought",
        "[a](tutorial.md), [b](nothing.md), [c](tutorial.md#a-tool), [d](tutorial.md#no-such-heading)",
        "",
        "[e](#thought) [f](#though) [g](http://example.com) [h](../../outside.md) `[i](code.md)`",
        "```text",
        "[j](fenced.md)",
        "```",
      ].join("\n"),
    );
    expect(checkLinks(page).map(faultLine)).toEqual([
      "docs/thought.md:2: there is no nothing.md",
      "docs/thought.md:2: docs/tutorial.md has no heading #no-such-heading",
      "docs/thought.md:4: docs/thought.md has no heading #though",
      "docs/thought.md:4: http://example.com is no address of the web",
      "docs/thought.md:4: there is no ../../outside.md",
    ]);
  });

  it("lead on the site to pages, and to the repository for what is no page", () => {
    expect(siteTarget("docs/pi.md", "tutorial.md#a-tool", "/nestbox/")).toBe("/nestbox/tutorial/#a-tool");
    expect(siteTarget("docs/index.md", "../packages/tool/README.md", "/")).toBe("/packages/tool/");
    expect(siteTarget("README.md", "examples/guard", "/")).toBe("/examples/guard/");
    expect(siteTarget("README.md", "SECURITY.md", "/")).toMatch(/^https:.*\/blob\/main\/SECURITY\.md$/);
    expect(siteTarget("docs/index.md", "#begin", "/")).toBe("#begin");
  });

  it("are turned wherever they stand, and left alone in code", () => {
    const text = [
      "A [link](a.md), [one over",
      "two lines](b.md), `[code](c.md)`, [`code`](d.md)",
      "```md",
      "[fenced](e.md)",
      "```",
      "[after](f.md)",
    ].join("\n");
    expect(replaceLinks(text, (target) => target.toUpperCase())).toBe(
      text.replace(/([abdf])\.md/g, (target) => target.toUpperCase()),
    );
  });

  it("every page of docs/ is on the site, once", () => {
    const files = groups.flatMap((group) => group.files);
    expect(new Set(files).size).toBe(files.length);
    expect(pageFiles().filter((file) => file.startsWith("docs/") && routeOf(file) === undefined)).toEqual([]);
  });
});
