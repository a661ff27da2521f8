import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { renderTracePage, serveInspector, watchTraceFiles } from "@nestbox/inspector/node";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { launch, openPage } from "./support/browser.ts";
import { entries, fakeFleet } from "./support/fleet.ts";
import { runOf } from "./support/read.ts";
import { largeTrace } from "./support/traces.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-large-"));
let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Milliseconds between frames while something is done in each of them. */
async function frames(page: Page, count: number, each: "scroll" | "arrow"): Promise<readonly number[]> {
  return page.evaluate(
    async ([wanted, what]) => {
      const grid = document.querySelector(".grid");
      const times: number[] = [];
      let last = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      for (let n = 0; n < wanted; n++) {
        if (what === "scroll") grid?.scrollBy(0, 300);
        else
          grid?.dispatchEvent(
            new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }),
          );
        const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
        times.push(now - last);
        last = now;
      }
      return times.sort((a, b) => a - b);
    },
    [count, each] as const,
  );
}

/** Milliseconds of processor time that the page's main thread has used; a busy machine makes them no longer. */
async function workMs(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1_000;
  };
}

const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
const told = (sorted: readonly number[]): string =>
  `median ${at(sorted, 0.5).toFixed(1)} ms, 95 % ${at(sorted, 0.95).toFixed(1)} ms, longest ${at(sorted, 1).toFixed(1)} ms`;

describe("a fleet of 10,000 runs", () => {
  it("is listed, scrolled and walked through while it changes, without a stutter", async () => {
    const fleet = fakeFleet(entries(10_000, Date.now()));
    const inspector = await serveInspector({ fleet });
    const { page, check, close } = await openPage(browser, inspector.url);
    await page.getByText("10,000 runs").waitFor();
    const used = await workMs(page);
    const before = await used();
    let at = 0;
    const changes = setInterval(() => {
      const { runs } = fleet.list();
      at = (at + 1) % 100;
      fleet.set({
        runs: runs.map((run, index) => (index === at ? { ...run, worker: `worker-${at}` } : run)),
      });
    }, 200);
    const scrolled = await frames(page, 200, "scroll");
    const scrollWork = ((await used()) - before) / 200;
    expect(await page.locator(".grid .body [role=row]").count()).toBeLessThan(80);
    await page.locator(".grid").focus();
    const between = await used();
    const walked = await frames(page, 200, "arrow");
    const walkWork = ((await used()) - between) / 200;
    clearInterval(changes);
    await page.getByRole("searchbox").fill("review-00042");
    await page.getByText("1 of 10,000").waitFor();
    console.info(
      `runs: scroll ${told(scrolled)}, ${scrollWork.toFixed(1)} ms of work a frame; walk ${told(walked)}, ${walkWork.toFixed(1)} ms`,
    );
    // As below: it tells a list that draws every row from one that does not.
    expect(scrollWork).toBeLessThan(60);
    expect(walkWork).toBeLessThan(60);
    check();
    await close();
    await inspector.close();
  });
});

describe("a trace of 10,000 calls and 10 MB", () => {
  it("is loaded, scrolled through, walked through and filtered without a stutter", async () => {
    const html = await renderTracePage([runOf(largeTrace(10_000))]);
    expect(html.length).toBeGreaterThan(10_000_000);
    const file = join(folder, "large.html");
    writeFileSync(file, html);
    const began = performance.now();
    const { page, check, close } = await openPage(browser, pathToFileURL(file).href);
    await page.getByText("10,000 calls").waitFor();
    const loadMs = performance.now() - began;

    const used = await workMs(page);
    const before = await used();
    const scrolled = await frames(page, 200, "scroll");
    const scrollWork = ((await used()) - before) / 200;
    expect(await page.locator("[role=treegrid]").evaluate((grid) => grid.scrollTop)).toBe(60_000);
    const rows = await page.locator("[role=treegrid] .body [role=row]").count();
    expect(rows).toBeLessThan(80);
    await page.locator("[role=treegrid]").focus();
    const between = await used();
    const walked = await frames(page, 200, "arrow");
    const walkWork = ((await used()) - between) / 200;
    const beforeFilter = await used();
    const filterMs = await page.evaluate(async () => {
      const field = document.querySelector<HTMLInputElement>("input[type=search]");
      if (field === null) return Number.NaN;
      const start = performance.now();
      field.value = "tool_3";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      await new Promise<number>((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return performance.now() - start;
    });
    await page.getByText("589 of 10,000").waitFor();
    const filterWork = (await used()) - beforeFilter;
    console.info(
      [
        `load ${loadMs.toFixed(0)} ms`,
        `scroll ${told(scrolled)}, ${scrollWork.toFixed(1)} ms of work a frame`,
        `walk ${told(walked)}, ${walkWork.toFixed(1)} ms of work a frame`,
        `filter ${filterMs.toFixed(0)} ms`,
        `rows ${rows}`,
      ].join("; "),
    );
    // Far above what a quiet machine needs: it tells a list that draws every row from one that does not.
    expect(scrollWork).toBeLessThan(60);
    expect(walkWork).toBeLessThan(60);
    expect(filterWork).toBeLessThan(1_000);
    check();
    await close();
  });

  it("grows while it is looked at without a stutter", async () => {
    const whole = largeTrace(10_000, 100);
    const file = join(folder, "growing.json");
    const write = (roots: number): void => {
      const script = { ...whole.script, state: "running" };
      const calls = whole.calls.slice(0, roots);
      writeFileSync(`${file}.part`, JSON.stringify({ ...whole, script, calls }));
      renameSync(`${file}.part`, file);
    };
    write(380);
    const inspector = await serveInspector({ source: watchTraceFiles([file], { pollMs: 50 }) });
    const { page, check, close } = await openPage(browser, inspector.url);
    await page.getByText("9,500 calls").waitFor();
    const used = await workMs(page);
    const before = await used();
    const measured = frames(page, 150, "scroll");
    for (let roots = 384; roots <= 400; roots += 4) {
      write(roots);
      await page.getByText(`${(roots * 25).toLocaleString("en-US")} calls`).waitFor();
    }
    const grown = await measured;
    const work = ((await used()) - before) / 150;
    console.info(`growing: ${told(grown)}, ${work.toFixed(1)} ms of work a frame`);
    expect(work).toBeLessThan(80);
    check();
    await close();
    await inspector.close();
  });
});
