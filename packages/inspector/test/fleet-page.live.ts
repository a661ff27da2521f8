import { serveInspector, type Inspector } from "@nestbox/inspector/node";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { launch, openPage, type OpenPage, violations } from "./support/browser.ts";
import { entries, type FakeFleet, fakeFleet, hostileEntry, parkedTrace } from "./support/fleet.ts";
import { runOf } from "./support/read.ts";
import { hostileText, hostileTrace } from "./support/traces.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser?.close());

let open: Inspector[] = [];
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()));
  open = [];
});

async function show(
  fleet: FakeFleet,
  place = "",
  look: BrowserContextOptions = {},
): Promise<OpenPage & { readonly url: string }> {
  const inspector = await serveInspector({ fleet });
  open.push(inspector);
  const opened = await openPage(browser, `${inspector.url}${place}`, look);
  return { ...opened, url: inspector.url };
}

const many = (count = 2_000): FakeFleet => fakeFleet(entries(count, Date.now()));
const list = (page: Page) => page.getByRole("grid", { name: "Runs" });
const calls = (page: Page) => page.getByRole("treegrid", { name: "Calls" });
const rowCount = (page: Page): Promise<number> =>
  page.locator(".grid").evaluate((grid) => Number(grid.getAttribute("aria-rowcount")) - 1);
const chosen = (page: Page): Promise<string> =>
  page.locator(".grid").evaluate((grid) => {
    const active = document.getElementById(grid.getAttribute("aria-activedescendant") ?? "");
    return active?.querySelector(".run-id")?.textContent ?? "";
  });
const told = (page: Page) => page.getByRole("status").textContent();

describe("the list of a fleet is fit for a screen reader", () => {
  const looks: readonly (BrowserContextOptions & { readonly name: string })[] = [
    { name: "light and wide", colorScheme: "light" },
    { name: "dark and wide", colorScheme: "dark" },
    { name: "light and 400 pixels wide", colorScheme: "light", viewport: { width: 400, height: 800 } },
    { name: "dark and 400 pixels wide", colorScheme: "dark", viewport: { width: 400, height: 800 } },
  ];
  it.each(looks)("and so is the page of a run: $name", async ({ name: _name, ...look }) => {
    const fleet = many();
    const { page, check, close } = await show(fleet, "", look);
    const width = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
    const asked = look.viewport?.width ?? 1_400;
    await page.getByText("2,000 runs").waitFor();
    expect(await violations(page)).toEqual([]);
    await list(page).focus();
    await page.keyboard.press("ArrowDown");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: /^parked/ }).click();
    expect(await violations(page)).toEqual([]);
    fleet.set({ trouble: "The server of the fleet does not answer: it is asked again." });
    await page.getByRole("alert").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await width()).toBe(asked);
    await page.getByRole("searchbox").fill("nothing is called so");
    await page.getByText("No run fits the filter.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("searchbox").fill("");
    await page.getByRole("link", { name: "release-42" }).click();
    await calls(page).waitFor();
    for (const tab of ["Call", "Script", "Output", "Limits", "Rules", "Run"]) {
      await page.getByRole("tab", { name: tab, exact: true }).click();
      expect([tab, await violations(page), await width()]).toEqual([tab, [], asked]);
    }
    check();
    await close();
  });
});

describe("the list of a fleet", () => {
  it("has every run with its state, the counts of states, and what it waits for", async () => {
    const { page, check, close } = await show(many());
    await page.getByText("2,000 runs · 600 open questions").waitFor();
    expect(await rowCount(page)).toBe(2_000);
    expect(await page.getByRole("button", { name: /^parked/ }).textContent()).toBe("parked 400");
    // Only those that are seen exist.
    expect(await page.locator(".grid .body [role=row]").count()).toBeLessThan(80);
    const row = page.getByRole("row", { name: /release-42/ });
    expect(await row.textContent()).toContain('deploy({"to":"production"})');
    await expect(page.getByRole("row", { name: /review-01993/ }).textContent()).resolves.toContain(
      "a timer, in 1 h",
    );
    await expect(page.getByRole("row", { name: /review-01991/ }).textContent()).resolves.toContain(
      "cannot go on here",
    );
    check();
    await close();
  });

  it("is gone through, narrowed and opened by the keyboard alone, and comes back as it was left", async () => {
    const { page, check, close } = await show(many());
    await list(page).focus();
    const press = async (...keys: readonly string[]): Promise<string> => {
      for (const key of keys) await page.keyboard.press(key);
      return chosen(page);
    };
    expect(await press("ArrowDown", "ArrowDown", "ArrowDown")).toBe("release-42");
    expect(await press("End")).toBe("review-00001");
    expect(await press("Home", "PageDown", "ArrowUp")).not.toBe("review-02000");
    await page.keyboard.press("/");
    await page.keyboard.type("release");
    expect(await rowCount(page)).toBe(1);
    expect(await told(page)).toBe("1 of 2000 runs shown");
    await page.keyboard.press("Enter");
    expect(await chosen(page)).toBe("release-42");
    await page.keyboard.press("Enter");
    await calls(page).waitFor();
    expect(new URL(page.url()).hash).toBe("#run=release-42");
    // What a person is asked about is chosen.
    await page.getByRole("region", { name: "Question 6" }).waitFor();
    await page.goBack();
    await list(page).waitFor();
    expect(await rowCount(page)).toBe(1);
    expect(await page.getByRole("searchbox").inputValue()).toBe("release");
    await list(page).focus();
    await page.keyboard.press("Escape");
    expect(await rowCount(page)).toBe(2_000);
    await page.getByRole("button", { name: /^failed/ }).click();
    await page.getByRole("button", { name: /^halted/ }).click();
    expect(await rowCount(page)).toBe(400);
    await list(page).focus();
    await press("ArrowDown", "ArrowDown", "Enter");
    await calls(page).waitFor();
    await page.getByRole("link", { name: "Fleet" }).click();
    await list(page).waitFor();
    expect(await rowCount(page)).toBe(400);
    // A filter is a place: it can be sent and loaded again.
    await page.reload();
    await page.getByText("400 of 2,000").waitFor();
    check();
    await close();
  });

  it("lives: runs come, change and end, and what was chosen stays chosen", async () => {
    const fleet = many(50);
    const { page, check, close } = await show(fleet);
    await page.getByText("50 runs").waitFor();
    await list(page).focus();
    for (let times = 0; times < 3; times++) await page.keyboard.press("ArrowDown");
    expect(await chosen(page)).toBe("release-42");
    const runs = fleet.list().runs;
    const added = {
      id: "brand-new",
      state: "queued" as const,
      createdAt: Date.now() + 5_000,
      waitingFor: 0,
      questions: [],
    };
    fleet.set({ runs: [added, ...runs] });
    await page.getByText("51 runs").waitFor();
    expect(await page.locator(".grid .body [role=row]").first().textContent()).toContain("brand-new");
    expect(await chosen(page)).toBe("release-42");
    fleet.set({
      runs: [
        added,
        ...runs.map((run) =>
          run.id === "release-42"
            ? { ...run, state: "succeeded" as const, questions: [], waitingFor: 0, endedAt: Date.now() }
            : run,
        ),
      ],
    });
    await page.getByRole("row", { name: /succeeded release-42/ }).waitFor();
    expect(await page.getByRole("region", { name: "Question 6" }).count()).toBe(0);
    check();
    await close();
  });

  it("says when the fleet is away and when it is back, and when its own server is gone", async () => {
    const fleet = many(5);
    const { page, close } = await show(fleet);
    await page.getByText("live", { exact: true }).waitFor();
    fleet.set({ trouble: "PostgreSQL at 127.0.0.1:5432 does not answer" });
    await page.getByRole("alert").getByText("does not answer").waitFor();
    expect(await told(page)).toBe("The fleet is away.");
    expect(await rowCount(page)).toBe(5);
    const { trouble: _gone, ...well } = fleet.list();
    fleet.replace(well);
    await page.getByRole("alert").waitFor({ state: "detached" });
    expect(await told(page)).toBe("The fleet is back.");
    await open[0]?.close();
    await page.getByText("connection lost").waitFor();
    await close();
  });

  it("is whole on paper", async () => {
    const { page, check, close } = await show(many(300), "", { viewport: { width: 1400, height: 300 } });
    await page.getByText("300 runs").waitFor();
    await page.emulateMedia({ media: "print" });
    await expect.poll(() => page.locator(".grid .body [role=row]").count(), { timeout: 60_000 }).toBe(300);
    expect((await page.pdf()).subarray(0, 5).toString()).toBe("%PDF-");
    check();
    await close();
  });
});

describe("the page of a run", () => {
  it("is reached by its address, shows waits as cuts and who decided, and the command for what is open", async () => {
    const { page, check, close } = await show(many(50), "#run=release-42");
    await calls(page).waitFor();
    const question = page.getByRole("region", { name: "Question 6" });
    expect(await question.textContent()).toContain("It deploys to production");
    expect(await question.locator("code").last().textContent()).toBe(
      "nestbox approve --config fleet.jsonc release-42 6",
    );
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await question.getByRole("button", { name: "Copy the command" }).click();
    await question.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      "nestbox approve --config fleet.jsonc release-42 6",
    );
    const widthOf = (name: string): Promise<number> =>
      page
        .getByRole("row", { name })
        .locator(".bar")
        .first()
        .evaluate((bar) => bar.getBoundingClientRect().width / (bar.parentElement?.clientWidth ?? 1));
    expect(await page.locator(".guides .gap").count()).toBe(2);
    expect(await widthOf("run_checks")).toBeGreaterThan(0.1);
    await page.getByRole("checkbox", { name: "Long waits drawn short" }).uncheck();
    expect(await widthOf("run_checks")).toBeLessThan(0.02);
    await page.getByRole("row", { name: "deploy" }).first().click();
    const answered = page.getByRole("region", { name: "Question 4" });
    expect(await answered.textContent()).toContain("Approved by ada");
    expect(await answered.textContent()).toContain("after the freeze");
    expect(await answered.getByRole("button", { name: "Copy the command" }).count()).toBe(0);
    await page.getByRole("tab", { name: "Run" }).click();
    expect(await page.getByRole("tabpanel").textContent()).toContain("2026-03-08 09:30:00 UTC at the latest");
    check();
    await close();
  });

  it("says at once why a run is halted and what has it tried again, and nothing in it runs", async () => {
    const fleet = many(50);
    const calls6 = parkedTrace()["calls"] as readonly Record<string, unknown>[];
    const trace = parkedTrace({
      run: {
        id: "release-42",
        state: "halted",
        message: "removed tool deploy",
        resumeWith: ["nestbox", "resume", "--config", "fleet.jsonc"],
      },
      calls: calls6.map((one) =>
        one["status"] === "running" ? { ...one, waits: calls6[3]?.["waits"] } : one,
      ),
    });
    fleet.setRun("release-42", runOf(trace));
    const { page, check, close } = await show(fleet, "#run=release-42");
    const why = page.getByRole("region", { name: "Why it is halted" });
    await why.getByText("removed tool deploy").waitFor();
    expect(await why.locator("code").textContent()).toBe("nestbox resume --config fleet.jsonc release-42");
    expect(await page.locator(".bar.running").count()).toBe(0);
    await page.getByRole("button", { name: /^halted 1/ }).waitFor();
    // Where it is halted is chosen.
    await page.getByRole("tabpanel").getByText(", approved by ada").waitFor();
    expect(await violations(page)).toEqual([]);
    check();
    await close();
  });

  it("says of a run without calls that none has ended, and how it ended when it has", async () => {
    const fleet = many(50);
    const none = parkedTrace({ calls: [], run: { id: "release-42", state: "running" } });
    fleet.setRun("release-42", runOf(none));
    const { page, check, close } = await show(fleet, "#run=release-42");
    await page.locator(".grid").getByText("No call has ended yet.").waitFor();
    await page.getByText("no call ended yet").first().waitFor();
    fleet.setRun(
      "release-42",
      runOf({
        ...none,
        run: { id: "release-42", state: "failed" },
        script: {
          ...(none["script"] as object),
          state: "ended",
          outcome: {
            ok: false,
            error: { kind: "script", name: "TypeError", message: "x is not a function" },
          },
        },
      }),
    );
    await page.locator(".grid").getByText("No call was made.").waitFor();
    await page.getByRole("tabpanel").getByText("x is not a function").waitFor();
    expect(await violations(page)).toEqual([]);
    check();
    await close();
  });

  it("lives, and tells when what it shows is old", async () => {
    const fleet = many(50);
    const { page, check, close } = await show(fleet, "#run=release-42");
    await calls(page).waitFor();
    fleet.setTrouble("release-42", "The server does not answer.");
    await page.getByRole("alert").waitFor();
    fleet.setTrouble("release-42", "");
    await page.getByRole("alert").waitFor({ state: "detached" });
    const whole = parkedTrace();
    fleet.setRun(
      "release-42",
      runOf({
        ...whole,
        run: { id: "release-42", state: "succeeded" },
        script: { ...(whole["script"] as object), state: "ended", outcome: { ok: true } },
      }),
    );
    await page.locator(".top .state.succeeded").waitFor();
    expect(await told(page)).toBe("The run has ended.");
    check();
    await close();
  });

  it("says that there is none of an address that names none, and shows nothing of another", async () => {
    const inspector = await serveInspector({ fleet: many(5) });
    open.push(inspector);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${inspector.url}#run=none`);
    await page.getByText("There is no run of this name.").waitFor();
    await page.goto(`${inspector.url}#run=release-42`);
    await calls(page).waitFor();
    await page.goto(`${inspector.url}#run=none`);
    await page.getByText("There is no run of this name.").waitFor();
    expect(await page.locator("#app").textContent()).not.toContain("deploy");
    await context.close();
  });
});

describe("a hostile fleet", () => {
  it("is text and nothing else, in the list, on the page of a run and in commands", async () => {
    const fleet = fakeFleet([hostileEntry, ...entries(5, Date.now())]);
    fleet.set({ name: hostileText, trouble: hostileText });
    const trace = hostileTrace();
    fleet.setRun(
      "release-42",
      runOf({
        ...trace,
        run: {
          id: hostileText,
          state: "parked",
          message: hostileText,
          worker: hostileText,
          approveWith: [hostileText],
        },
        calls: trace.calls.map((one) => ({
          ...one,
          status: "running",
          waits: [
            {
              key: hostileText,
              fromMs: 0,
              by: hostileText,
              comment: hostileText,
              reason: hostileText,
              lines: [hostileText],
            },
          ],
        })),
      }),
    );
    const { page, check, close, url } = await show(fleet);
    await page.getByRole("row", { name: /window\.hurt/ }).click();
    const look = async (): Promise<void> => {
      expect(await violations(page)).toEqual([]);
      expect(await page.locator("#app img, #app script, #app iframe, #app b").count()).toBe(0);
      expect(await page.evaluate(() => (globalThis as { hurt?: unknown }).hurt)).toBeUndefined();
      const text = (await page.locator("#app").textContent()) ?? "";
      expect(text).toContain("\\u{202e}gnp.exe\\u{202c}");
      expect(text).toContain("cannot stand in a command");
      // oxlint-disable-next-line no-control-regex
      expect(text).not.toMatch(/[\u0000\u001b\u200b\u2028\u202a-\u202e\u2066-\u2069]/);
    };
    await look();
    await page.goto(`${url}#run=release-42`);
    await calls(page).waitFor();
    await look();
    await page.getByRole("tab", { name: "Run" }).click();
    expect(await violations(page)).toEqual([]);
    check();
    await close();
  });
});
