import { accessSync } from "node:fs";
import { delimiter, join } from "node:path";

import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";

/** The system's Chromium; packages/review/scripts/install-runners.sh installs it where there is none. */
export function launch(): Promise<Browser> {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const places = (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)));
  const executablePath = places.find(isThere);
  if (executablePath === undefined)
    throw new Error(
      `None of ${names.join(", ")} is on the path: run packages/review/scripts/install-runners.sh`,
    );
  // A container has no user namespaces to build Chromium's own sandbox of; what it shows is ours.
  return chromium.launch({ executablePath, args: ["--no-sandbox"], timeout: 120_000 });
}

function isThere(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
}

/** What axe finds wrong with the page as it stands: each rule with its first elements. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return found.violations.flatMap(({ id, nodes }) =>
    nodes
      .slice(0, 3)
      .map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
  );
}
