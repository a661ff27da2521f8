import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { renderTracePage, serveInspector, watchTraceFiles } from "@nestbox/inspector/node";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { launch, openPage, violations } from "./support/browser.ts";
import { runOf } from "./support/read.ts";
import {
  call,
  exampleTrace,
  hostileText,
  hostileTrace,
  largeTrace,
  otherTrace,
  type TraceFile,
} from "./support/traces.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-page-"));
let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function exported(name: string, ...traces: readonly TraceFile[]): Promise<string> {
  const file = join(folder, `${name}.html`);
  writeFileSync(
    file,
    await renderTracePage(traces.map((trace, index) => runOf(trace, `run ${index + 1}.json`))),
  );
  return pathToFileURL(file).href;
}

const row = (page: Page, name: string) => page.getByRole("row", { name });
const chosen = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const grid = document.querySelector("[role=treegrid]");
    const active = document.getElementById(grid?.getAttribute("aria-activedescendant") ?? "");
    return active?.querySelector("bdi")?.textContent ?? "";
  });
const rowCount = (page: Page): Promise<number> =>
  page.locator("[role=treegrid]").evaluate((grid) => Number(grid.getAttribute("aria-rowcount")) - 1);
const shownRows = (page: Page) => page.locator("[role=treegrid] .body [role=row]");

describe("a trace of several scripts", () => {
  const scriptOf = (text: string, value: string) => ({
    text,
    state: "ended",
    output: [],
    outputOmitted: 0,
    limits: [],
    outcome: { ok: true, value },
  });
  const several = (): TraceFile => ({
    ...exampleTrace(),
    script: scriptOf("const last = 1;\nawait tools.beta({});", '"of the last"'),
    calls: [
      call("A", "first_run", {
        script: scriptOf("await tools.alpha({});", '"of the first"'),
        children: [call("A/1", "alpha", { line: 1 })],
      }),
      call("B", "second_run", { children: [call("B/1", "beta", { line: 2 })] }),
    ],
  });

  it("shows the script, the lines and the output of the one that the chosen call is of", async () => {
    const { page, check, close } = await openPage(browser, await exported("several", several()), {});
    const lines = page.getByRole("list", { name: "Lines of the script" });
    await row(page, "alpha").click();
    await page.getByRole("tab", { name: "Script" }).click();
    expect(await lines.innerText()).toContain("tools.alpha");
    expect(await lines.locator("[aria-current=true]").innerText()).toContain("1");
    await page.getByText("Script 1 of 2").waitFor();
    await page.getByRole("tab", { name: "Output" }).click();
    await page.getByText("of the first").waitFor();
    await row(page, "beta").click();
    await page.getByText("of the last").waitFor();
    await page.getByRole("tab", { name: "Script" }).click();
    expect(await lines.innerText()).not.toContain("tools.alpha");
    await page.getByRole("button", { name: "Line 2, 1 call: show the next" }).waitFor();
    expect(await violations(page)).toEqual([]);
    // On paper, where nothing is chosen, all of them.
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    await expect.poll(() => lines.count(), { timeout: 30_000 }).toBe(2);
    check();
    await close();
  });
});

describe("the page is fit for a screen reader", () => {
  const looks: readonly (BrowserContextOptions & { readonly name: string })[] = [
    { name: "light and wide", colorScheme: "light" },
    { name: "dark and wide", colorScheme: "dark" },
    { name: "light and 400 pixels wide", colorScheme: "light", viewport: { width: 400, height: 800 } },
    { name: "dark and 400 pixels wide", colorScheme: "dark", viewport: { width: 400, height: 800 } },
  ];
  it.each(looks)("in every view: $name", async ({ name: _name, ...look }) => {
    const { page, check, close } = await openPage(browser, await exported("axe", exampleTrace()), look);
    expect(await violations(page)).toEqual([]);
    await page.locator("[role=treegrid]").focus();
    await page.keyboard.press("ArrowDown");
    expect(await violations(page)).toEqual([]);
    for (const tab of ["Script", "Output", "Limits", "Rules"]) {
      await page.getByRole("tab", { name: tab }).click();
      expect([tab, await violations(page)]).toEqual([tab, []]);
    }
    await page.getByRole("button", { name: /^denied/ }).click();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("searchbox").fill("nothing is called so");
    await page.getByText("No call fits the filter.").waitFor();
    expect(await violations(page)).toEqual([]);
    check();
    await close();

    const failed = { ...exampleTrace() };
    failed.script = {
      ...failed.script,
      state: "running",
      outcome: { ok: false, error: { kind: "script", name: "TypeError", message: "no", line: 14 } },
    };
    const two = await openPage(browser, `${await exported("axe-two", failed, otherTrace())}#compare`, look);
    expect(await violations(two.page)).toEqual([]);
    await two.page.getByRole("checkbox").check();
    expect(await violations(two.page)).toEqual([]);
    await two.page.getByRole("button", { name: "Side by side" }).click();
    await two.page.getByRole("tab", { name: "Output" }).click();
    expect(await violations(two.page)).toEqual([]);
    await two.page.getByRole("tab", { name: "Script" }).click();
    expect(await violations(two.page)).toEqual([]);
    two.check();
    await two.close();
  });

  it("whatever stands in the trace, and however long it is", async () => {
    for (const trace of [
      hostileTrace(),
      largeTrace(2_000),
      { ...exampleTrace(), script: undefined, calls: [] },
    ]) {
      const { page, close } = await openPage(browser, await exported("axe-odd", trace));
      expect(await violations(page)).toEqual([]);
      await close();
    }
  });

  it("in the theme that its switch says, which it remembers", async () => {
    const url = await exported("theme", exampleTrace());
    const { page, close } = await openPage(browser, url, { colorScheme: "light" });
    const back = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await back();
    await page.getByLabel("Colours").selectOption("dark");
    const dark = await back();
    expect(dark).not.toBe(light);
    expect(await violations(page)).toEqual([]);
    await page.reload();
    expect(await back()).toBe(dark);
    await page.getByLabel("Colours").selectOption("auto");
    expect(await back()).toBe(light);
    await close();
  });
});

describe("the keyboard alone", () => {
  it("moves through the tree, folds, and keeps the focus on the grid", async () => {
    const { page, check, close } = await openPage(browser, await exported("keys", exampleTrace()));
    const press = async (...keys: readonly string[]): Promise<string> => {
      for (const key of keys) await page.keyboard.press(key);
      return chosen(page);
    };
    await page.locator("[role=treegrid]").focus();
    expect(await chosen(page)).toBe("run_checks");
    expect(await press("ArrowDown", "ArrowDown", "ArrowDown")).toBe("review_file");
    expect(await press("ArrowRight")).toBe("read");
    expect(await press("ArrowDown")).toBe("search_history");
    expect(await press("ArrowLeft")).toBe("review_file");
    expect(await rowCount(page)).toBe(14);
    await press("Enter");
    expect(await rowCount(page)).toBe(12);
    expect(await row(page, "review_file").first().getAttribute("aria-expanded")).toBe("false");
    expect(await page.getByRole("status").textContent()).toContain("review_file folded");
    await press("ArrowRight");
    expect(await rowCount(page)).toBe(14);
    await press("ArrowLeft", "*");
    expect(await rowCount(page)).toBe(14);
    expect(await press("End")).toBe("notify_a_very_long_tool_name_that_does_not_fit_anywhere");
    expect(await press("PageUp", "Home")).toBe("run_checks");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("treegrid");
    // The active row can be seen as such.
    const ring = await page
      .locator(".row.selected")
      .evaluate((element) => getComputedStyle(element).boxShadow);
    expect(ring).toContain("inset");
    check();
    await close();
  });

  it("filters, and lets go of the filter again", async () => {
    const { page, check, close } = await openPage(browser, await exported("filter", exampleTrace()));
    await page.keyboard.press("/");
    await page.keyboard.type("publish");
    expect(await rowCount(page)).toBe(1);
    expect(await page.getByRole("status").textContent()).toBe("1 of 14 calls shown");
    await page.keyboard.press("Enter");
    expect(await chosen(page)).toBe("publish");
    await page.keyboard.press("Escape");
    expect(await rowCount(page)).toBe(14);
    expect(await chosen(page)).toBe("publish");
    await page.keyboard.press("/");
    await page.keyboard.type("read");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
    await page.getByLabel("Decision").selectOption("deny");
    expect(await rowCount(page)).toBe(1);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("button", { name: /^error/ }).click();
    expect(await shownRows(page).locator("bdi").first().textContent()).toBe("review_file");
    expect(await rowCount(page)).toBe(2);
    check();
    await close();
  });

  it("makes a call as wide as the time line, and shows all of it again", async () => {
    const { page, check, close } = await openPage(browser, await exported("zoom", exampleTrace()));
    const widthOf = (name: string): Promise<number> =>
      row(page, name)
        .first()
        .locator(".bar")
        .first()
        .evaluate((bar) => bar.getBoundingClientRect().width / (bar.parentElement?.clientWidth ?? 1));
    await page.locator("[role=treegrid]").focus();
    for (let times = 0; times < 3; times++) await page.keyboard.press("ArrowDown");
    expect(await widthOf("review_file")).toBeLessThan(0.12);
    await page.keyboard.press("z");
    expect(await widthOf("review_file")).toBeGreaterThan(0.85);
    expect(await row(page, "run_checks").locator(".bar").count()).toBe(0);
    expect(await page.getByRole("status").textContent()).toBe("The time line shows review_file.");
    await page.keyboard.press("Escape");
    expect(await widthOf("review_file")).toBeLessThan(0.12);
    expect(await row(page, "run_checks").locator(".bar").count()).toBe(2);
    check();
    await close();
  });

  it("goes through the parts of the panel", async () => {
    const { page, check, close } = await openPage(browser, await exported("tabs", exampleTrace()));
    await page.getByRole("tab", { name: "Call" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.getByRole("tab", { name: "Script" }).getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("tab-rules");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("tab-content");
    check();
    await close();
  });
});

describe("what is shown", () => {
  it("is a call with its decision, its time, what went in and what came out", async () => {
    const { page, check, close } = await openPage(browser, await exported("call", exampleTrace()));
    await row(page, "failing_tests").click();
    const panel = page.getByRole("tabpanel");
    await row(page, "failing_tests").and(page.locator(".selected")).waitFor();
    expect(await panel.textContent()).toContain("allow by run-the-projects-checks (user)");
    await panel.getByText("140 ms of it before it ran").waitFor();
    await row(page, "publish").click();
    expect(await panel.getByRole("group", { name: "Error" }).textContent()).toContain(
      "no-publishing, managed layer",
    );
    expect(await panel.getByRole("group", { name: "Arguments" }).textContent()).toBe(
      '{\n  "channel": "stable"\n}',
    );
    await panel.getByText("it did not run").waitFor();
    await panel.getByText("Arguments").click();
    expect(await panel.getByRole("group", { name: "Arguments" }).isVisible()).toBe(false);
    // What somebody folded stays folded for the next call.
    await row(page, "run_checks").click();
    await panel.getByRole("group", { name: "Result" }).waitFor();
    expect(await panel.getByRole("group", { name: "Arguments" }).isVisible()).toBe(false);
    check();
    await close();
  });

  it("leads from a call to its line and from a line to its calls, one after the other", async () => {
    const { page, check, close } = await openPage(browser, await exported("lines", exampleTrace()));
    await row(page, "collect_diff").click();
    await page.getByRole("button", { name: "line 5" }).click();
    expect(await page.locator(".source.active").textContent()).toContain("collect_diff");
    const line = page.getByRole("button", { name: "Line 10, 3 calls" });
    const ids: string[] = [];
    for (let times = 0; times < 4; times++) {
      await line.click();
      ids.push(await page.evaluate(() => document.querySelector(".row.selected")?.id ?? ""));
    }
    expect(new Set(ids).size).toBe(3);
    expect(ids[3]).toBe(ids[0]);
    // A call that is folded away or filtered out is shown all the same.
    await page.getByRole("button", { name: /^denied/ }).click();
    await line.click();
    expect(await chosen(page)).toBe("review_file");
    expect(await rowCount(page)).toBe(14);
    check();
    await close();
  });

  it("is the output, the limits as bars, and the rules, which narrow the tree", async () => {
    const { page, check, close } = await openPage(browser, await exported("parts", exampleTrace()));
    await page.getByRole("tab", { name: "Output" }).click();
    expect(await page.getByRole("group", { name: "Output 3" }).textContent()).toBe("reviewed 3");
    await page.getByRole("tab", { name: "Limits" }).click();
    const wall = page.getByRole("meter", { name: "Wall time" });
    expect(await wall.getAttribute("aria-valuenow")).toBe("97");
    expect(await wall.getAttribute("aria-valuetext")).toBe("1.46 s of 1.50 s");
    await page.getByRole("tab", { name: "Rules" }).click();
    await page.getByRole("button", { name: "run-the-projects-checks" }).click();
    expect(await rowCount(page)).toBe(2);
    check();
    await close();
  });

  it("is two runs side by side, with what differs", async () => {
    const url = await exported("compare", exampleTrace(), otherTrace());
    const { page, check, close } = await openPage(browser, url);
    await page.getByRole("button", { name: "Side by side" }).click();
    await page.getByText("4 only in this run · 1 only in the other · 1 changed").waitFor();
    expect(await rowCount(page)).toBe(15);
    await page.getByRole("checkbox").check();
    expect(await rowCount(page)).toBe(6);
    await row(page, "status, decision").click();
    await page.getByRole("region", { name: "Other run" }).getByText("publish-from-main").waitFor();
    await page.getByRole("region", { name: "This run" }).getByText("no-publishing").first().waitFor();
    await page.locator("[role=treegrid]").focus();
    await page.keyboard.press("Escape");
    await page.getByRole("treegrid", { name: "Calls" }).waitFor();
    check();
    await close();
  });

  it("fits into 400 pixels, in every view", async () => {
    const url = await exported("narrow", exampleTrace(), otherTrace());
    const { page, check, close } = await openPage(browser, url, { viewport: { width: 400, height: 800 } });
    const width = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
    for (const tab of ["Call", "Script", "Output", "Limits", "Rules"]) {
      await page.getByRole("tab", { name: tab }).click();
      expect([tab, await width()]).toEqual([tab, 400]);
    }
    await page.getByRole("button", { name: "Side by side" }).click();
    expect(await width()).toBe(400);
    check();
    await close();
  });

  it("is whole on paper, and holds still where less motion is asked for", async () => {
    const running = exampleTrace();
    const [first] = running.calls;
    if (first) Object.assign(first, { status: "running", durationMs: undefined });
    const url = await exported("paper", running);
    const { page, check, close } = await openPage(browser, url, { viewport: { width: 1400, height: 300 } });
    const motion = (): Promise<string> =>
      page.locator(".bar.running.ran").evaluate((bar) => getComputedStyle(bar).animationName);
    expect(await motion()).toBe("breathe");
    await page.emulateMedia({ reducedMotion: "reduce" });
    expect(await motion()).toBe("none");
    await page.emulateMedia({ media: "print" });
    await page.getByRole("heading", { name: "Limits" }).waitFor();
    expect(await shownRows(page).count()).toBe(14);
    for (const heading of ["Call", "Script", "Output", "Rules"])
      expect(await page.getByRole("heading", { name: heading, exact: true }).isVisible()).toBe(true);
    expect(await page.getByRole("searchbox").count()).toBe(0);
    expect((await page.pdf()).subarray(0, 5).toString()).toBe("%PDF-");
    check();
    await close();
  });
});

describe("a hostile trace", () => {
  it("is text and nothing else: no script runs, no element appears, nobody is asked", async () => {
    const url = await exported("hostile", hostileTrace(), hostileTrace());
    const { page, check, close } = await openPage(browser, url);
    for (const tab of ["Call", "Script", "Output", "Limits", "Rules"]) {
      await page.getByRole("tab", { name: tab }).click();
      expect(await page.locator("#app img, #app script, #app iframe").count()).toBe(0);
    }
    await page.getByRole("button", { name: "Side by side" }).click();
    expect(await page.evaluate(() => (globalThis as { hurt?: unknown }).hurt)).toBeUndefined();
    const text = (await page.locator("#app").textContent()) ?? "";
    expect(text).toContain("</script><script>window.hurt = 1</script>");
    expect(text).toContain("\\u{202e}gnp.exe\\u{202c}");
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000\u001b\u200b\u2028\u202a-\u202e\u2066-\u2069]/);
    expect(await page.locator("b").count()).toBe(0);
    check();
    await close();
  });

  it("cannot be made markup by a mistake either: the page's policy forbids it", async () => {
    const { page, close } = await openPage(browser, await exported("policy", exampleTrace()));
    const refused = await page.evaluate(() => {
      try {
        document.body.insertAdjacentHTML("beforeend", "<b>bold</b>");
        return "done";
      } catch (error) {
        return (error as Error).name;
      }
    });
    expect(refused).toBe("TypeError");
    const asked = await page.evaluate(() =>
      fetch("https://example.invalid/").then(
        () => "answered",
        () => "refused",
      ),
    );
    expect(asked).toBe("refused");
    expect(hostileText).toContain("</script>");
    await close();
  });
});

describe("a live page", () => {
  it("grows with its run, keeps what was chosen, says when the run ends and when the server is gone", async () => {
    const file = join(folder, "live.trace.json");
    const write = (trace: unknown): void => {
      writeFileSync(`${file}.part`, JSON.stringify(trace));
      renameSync(`${file}.part`, file);
    };
    const whole = exampleTrace();
    const running = { ...whole, script: { ...whole.script, state: "running", outcome: undefined } };
    write({ ...running, calls: whole.calls.slice(0, 2) });
    const inspector = await serveInspector({ source: watchTraceFiles([file], { pollMs: 30 }) });
    const { page, close } = await openPage(browser, inspector.url);
    await page.getByText("live", { exact: true }).waitFor();
    expect(await rowCount(page)).toBe(2);
    await row(page, "failing_tests").click();
    write({ ...running, calls: whole.calls.slice(0, 4) });
    await expect.poll(() => rowCount(page), { timeout: 30_000 }).toBe(6);
    expect(await chosen(page)).toBe("failing_tests");
    write(whole);
    await page.getByText("succeeded").waitFor();
    expect(await page.getByRole("status").textContent()).toBe("The run has ended.");
    write(running);
    await page.getByText("live", { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await inspector.close();
    await page.getByText("connection lost").waitFor();
    expect(await violations(page)).toEqual([]);
    await close();
  });
});
