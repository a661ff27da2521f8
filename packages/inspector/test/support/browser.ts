import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";

import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

const names = ["chromium", "chromium-browser", "google-chrome"];

/** The system's Chromium; packages/review/scripts/install-runners.sh installs it where there is none. */
export async function launch(): Promise<Browser> {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    for (const name of names) {
      const executablePath = join(folder, name);
      const there = await access(executablePath).then(
        () => true,
        () => false,
      );
      // A container has no user namespaces to build Chromium's own sandbox of; what it shows is ours.
      if (there) return chromium.launch({ executablePath, args: ["--no-sandbox"], timeout: 120_000 });
    }
  }
  throw new Error(
    `None of ${names.join(", ")} is on the path: run packages/review/scripts/install-runners.sh`,
  );
}

export interface OpenPage {
  readonly page: Page;
  /** What the page complained of, and whom it asked. Fails the test when there is anything. */
  readonly check: () => void;
  readonly close: () => Promise<void>;
}

/** Opens a page at an address; everything it asks for elsewhere and everything it complains of is kept. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 860 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() !== "info") complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith(new URL("./", url).href) && !asked.startsWith("data:"))
      complaints.push(`request: ${asked}`);
  });
  await page.goto(url);
  await page.locator(".grid").waitFor();
  return {
    page,
    check: () => expect(complaints).toEqual([]),
    close: () => context.close(),
  };
}

/** What axe finds wrong with the page as it stands, each rule with the elements. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    interface Found {
      readonly violations: readonly {
        readonly id: string;
        readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
      }[];
    }
    const run = (globalThis as unknown as { axe: { run: () => Promise<Found> } }).axe.run;
    const found = await run();
    return found.violations.flatMap(({ id, nodes }) =>
      nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
    );
  });
}
