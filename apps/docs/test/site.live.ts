/** The site in a browser, as `pnpm run docs` has built it; it is built here where it is not there. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { launch, violations } from "./support/browser.ts";
import { type Served, serveFolder } from "./support/serve-folder.ts";

const here = fileURLToPath(new URL("..", import.meta.url));

/** A page of each kind: the first one, prose, tables, code, what is generated. */
const pages = ["", "how-to/durable-runs/", "differences/", "packages/codemode/", "reference/api/dbos/"];

let browser: Browser;
let site: Served;
beforeAll(async () => {
  if (!existsSync(`${here}dist/index.html`))
    execFileSync(process.execPath, ["--conditions=@nestbox/source", "scripts/build.ts"], {
      cwd: here,
      stdio: "inherit",
      // With what a test runner sets besides, the pages would be those of a developer.
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
    });
  [browser, site] = await Promise.all([launch(), serveFolder(`${here}dist`)]);
}, 300_000);
afterAll(async () => {
  await browser.close();
  site.close();
});

describe("the site in a browser", { timeout: 120_000 }, () => {
  for (const path of pages) {
    for (const colorScheme of ["light", "dark"] as const) {
      it(`/${path} in ${colorScheme}: nothing to complain of, whole, and readable for everybody`, async () => {
        const context = await browser.newContext({ colorScheme, viewport: { width: 1400, height: 900 } });
        const page = await context.newPage();
        const complaints: string[] = [];
        page.on("console", (message) => {
          if (message.type() !== "info") complaints.push(`${message.type()}: ${message.text()}`);
        });
        page.on("pageerror", (error) => complaints.push(error.message));
        page.on("request", (request) => {
          if (!request.url().startsWith(site.url) && !request.url().startsWith("data:"))
            complaints.push(`request: ${request.url()}`);
        });
        page.on("response", (response) => {
          if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
        });
        await page.goto(`${site.url}${path}`, { waitUntil: "networkidle" });
        expect(await page.locator("h1").count()).toBe(1);
        const dead = await page.evaluate<readonly string[]>(
          `[...document.querySelectorAll("a[href^='#']")]
            .map((link) => decodeURIComponent(link.hash.slice(1)))
            .filter((id) => id !== "" && document.getElementById(id) === null)`,
        );
        expect(dead).toEqual([]);
        expect(complaints).toEqual([]);
        expect(await violations(page)).toEqual([]);
        await context.close();
      });
    }
  }

  it("on a narrow screen nothing is wider than the page", async () => {
    const context = await browser.newContext({ viewport: { width: 400, height: 800 } });
    const page = await context.newPage();
    const wide: string[] = [];
    for (const path of pages) {
      await page.goto(`${site.url}${path}`);
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      if (width > 400) wide.push(`/${path}: ${width}`);
    }
    expect(wide).toEqual([]);
    await context.close();
  });

  it("the search finds a page without asking another machine", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(site.url) && !request.url().startsWith("data:"))
        asked.push(request.url());
    });
    await page.goto(site.url);
    await page.locator("site-search button").first().click();
    await page.locator("site-search input").fill("isolate");
    await page.locator("site-search .pagefind-ui__result-link").first().waitFor();
    expect(asked).toEqual([]);
    await context.close();
  });
});
