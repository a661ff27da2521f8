import { describe, expect, it } from "vitest";

import { contentPolicy, jsonForHtml, pageHtml } from "../../src/html.ts";
import { formatBytes, formatMs, formatUse, prettyJson, timeTicks } from "../../src/model/format.ts";
import { ruleUses } from "../../src/model/rules.ts";
import { cutText, plainText, showText } from "../../src/model/show-text.ts";
import { exampleTrace, hostileText, hostileTrace } from "../support/traces.ts";
import { runOf } from "../support/read.ts";

const assets = { script: "go()", style: "a{}", scriptHash: "sha256-s", styleHash: "sha256-t" };

describe("a text that is shown", () => {
  it("spells out what hides, reorders or moves", () => {
    expect(plainText("a\u202eb\u0000c\u001b[31m\u2028\ud800\u200bd")).toBe(
      "a\\u{202e}b\\u{0}c\\u{1b}[31m\\u{2028}\\u{d800}\\u{200b}d",
    );
    expect(plainText("one\ntwo\tthree\r")).toBe("one\\ntwo\\tthree\\r");
    expect(plainText("שלום 日本 é 👍")).toBe("שלום 日本 é 👍");
  });

  it("is cut between characters, and says that it was", () => {
    expect(cutText("short", 5)).toBe("short");
    expect(cutText("ab👍c", 4)).toBe("ab👍…");
    expect(cutText("ab👍c", 3)).toBe("ab…");
  });

  it("keeps its lines where it has many", () => {
    expect(showText("a\n\tb\r\nc\rd", { multiline: true })).toEqual([
      { kind: "text", text: "a\n\tb" },
      { kind: "text", text: "\nc" },
      { kind: "escape", text: "\\r" },
      { kind: "text", text: "d" },
    ]);
  });

  it("is in a document text and nothing else, in its data and in its title", () => {
    const page = pageHtml(assets, hostileText, { mode: "file", runs: [runOf(hostileTrace(), hostileText)] });
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(page.match(/<\/script>/g)).toHaveLength(2);
    expect(page).not.toMatch(/<img|<!-- |\u202e|\u0000|\u2028/);
    const data = /<script type="application\/json" id="trace-data">(.*)<\/script>/.exec(page)?.[1] ?? "";
    expect(JSON.parse(data)).toMatchObject({ runs: [{ name: hostileText }] });
    expect(jsonForHtml("</SCRIPT>\u2028<!--")).not.toMatch(/[<>\u2028]/);
  });
});

describe("the content security policy", () => {
  it("names the page's own script and style, and lets only a served page talk to where it comes from", () => {
    expect(contentPolicy(assets, false)).toBe(
      "default-src 'none'; script-src 'sha256-s'; style-src 'sha256-t'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(contentPolicy(assets, true)).toContain("; connect-src 'self';");
  });
});

describe("numbers", () => {
  it("are in the unit that reads best", () => {
    expect([0, 0.004, 0.25, 3.14, 12.4, 999, 1_260, 12_340, 62_000, 3_725_000].map(formatMs)).toEqual([
      "0 ms",
      "<0.01 ms",
      "0.25 ms",
      "3.1 ms",
      "12 ms",
      "999 ms",
      "1.26 s",
      "12.3 s",
      "1 min 2 s",
      "1 h 2 min",
    ]);
    expect([12, 2_048, 5_400_000].map(formatBytes)).toEqual(["12 B", "2 KiB", "5.1 MiB"]);
    expect(formatUse(61, 60, "chars")).toBe("61 of 60 characters");
    expect(formatUse(undefined, 30_000, "ms")).toBe("not measured yet, of 30.0 s");
    expect(formatUse(7, undefined, "calls")).toBe("7 calls");
  });

  it("mark a time line in even steps, few of them", () => {
    expect(timeTicks(0, 1_460, 5)).toEqual([0, 500, 1_000]);
    expect(timeTicks(0, 10, 5)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(timeTicks(812, 930, 5)).toEqual([850, 900]);
    expect(timeTicks(0, 0, 5)).toEqual([0]);
  });

  it("leave JSON that was cut as it is", () => {
    expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(prettyJson('{"a":…')).toBe('{"a":…');
  });
});

describe("rules", () => {
  it("are counted by what they decided", () => {
    expect(ruleUses(runOf(exampleTrace()).calls)).toEqual([
      { effect: "allow", rule: "read-the-diff", layer: "user", calls: 7 },
      { effect: "allow", rule: "harmless-tools", layer: "built-in", calls: 4 },
      { effect: "allow", rule: "run-the-projects-checks", layer: "user", calls: 2 },
      { effect: "deny", rule: "no-publishing", layer: "managed", calls: 1 },
    ]);
  });
});
