import { readFileSync, writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { runCommand } from "@nestbox/tool/node";
import { afterAll, describe, expect, it } from "vitest";

import { faultLine } from "../src/blocks/fault.ts";
import { isRun, runPage } from "../src/blocks/run-page.ts";
import { readPage } from "../src/markdown.ts";
import { loadPage, pageFiles } from "../src/pages.ts";
import { root } from "../src/root.ts";

const pages = pageFiles().map(loadPage);

describe("a page does what it says", () => {
  const running = pages.filter(({ blocks }) => blocks.some(isRun));

  it("the tutorial is one of them", () => {
    expect(running.map(({ page }) => page)).toContain("docs/tutorial.md");
  });

  for (const page of running) {
    it(`${page.page} does`, { timeout: 300_000 }, async () => {
      expect((await runPage(page)).map(faultLine)).toEqual([]);
    });
  }

  it("and one that does something else is told with its line", { timeout: 120_000 }, async () => {
    const page = (shown: string) =>
      readPage(
        "docs/thought.md",
        [
          "```js",
          "// a.mjs",
          "console.log(6 * 7, 'in 12 ms');",
          "```",
          "```sh run",
          "node a.mjs",
          "```",
        ].join("\n") + ["", "```text output", shown, "```"].join("\n"),
      );
    expect(await runPage(page("42 in 7 ms"))).toEqual([]);
    expect(await runPage(page("4…"))).toEqual([]);
    expect((await runPage(page("43 in 7 ms"))).map(faultLine)).toEqual([
      "docs/thought.md:9: the commands print\n42 in 12 ms\n",
    ]);
    const missing = readPage("docs/thought.md", "```sh run\nnextbox\n```\n");
    expect((await runPage(missing)).map(faultLine).join()).toMatch(/thought\.md:2: .*nextbox/s);
  });
});

describe("docs/json-output.md", () => {
  const text = readFileSync(`${root}docs/json-output.md`, "utf8");
  const folder = mkdtempSync(join(tmpdir(), "nestbox-json-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return name;
  };
  const tools = file(
    "tools.mjs",
    `const tool = (name, more, execute) => ({ name, label: name, description: name, parameters: { type: "object" }, ...more, execute });
    const done = async () => ({ content: [{ type: "text", text: "1" }], details: {} });
    const namespace = { name: "numbers", description: "Numbers", instructions: "Count." };
    export default [
      tool("add", { annotations: { readOnlyHint: true }, namespace }, done),
      tool("boom", { annotations: { readOnlyHint: true } }, async () => { throw new Error("no"); }),
      tool("risky", {}, done),
    ];`,
  );
  const policy = file(
    "policy.jsonc",
    `{ "version": 1, "rules": [{ "id": "removing", "effect": "ask", "path": { "glob": "**", "action": "delete" } }] }`,
  );
  file("cases.jsonl", `{ "tool": "bash", "input": { "command": "ls" }, "decision": "deny" }\n`);
  file("claude.json", `{ "permissions": { "allow": ["Bash(npm test)", "WebFetch"] } }`);
  file(
    "script.js",
    "text('a'); console.log('b'); await tools.add({}).catch(() => 0); await tools.boom({}).catch(() => 0); await tools.risky({});",
  );
  file("recorded.js", "return await tools.add({});");
  file("other.js", "return await tools.boom({});");
  file("faulty.js", "await tools.ad({});");

  /** What is run for each section; together they show every field that is always there. */
  const runs: Readonly<Record<string, readonly (readonly string[])[]>> = {
    "nestbox run": [
      ["run", "script.js", "--tools", `./${tools}`],
      ["run", "--eval", "return 1"],
    ],
    "nestbox tools": [["tools", "--tools", `./${tools}`]],
    "nestbox search": [["search", "add", "--tools", `./${tools}`]],
    "nestbox describe": [
      ["describe", "add", "--tools", `./${tools}`],
      ["describe", "numbers", "--tools", `./${tools}`],
    ],
    "nestbox check": [["check", "faulty.js", "--tools", `./${tools}`]],
    "nestbox policy explain": [["policy", "explain", "--policy", policy, "rm a; $x"]],
    "nestbox policy test": [["policy", "test", "--policy", policy, "cases.jsonl"]],
    "nestbox policy lint": [["policy", "lint", "--policy", policy]],
    "nestbox policy log": [["policy", "log", "--policy", policy, "--dir", "none"]],
    "nestbox policy import": [["policy", "import", "claude-code", "claude.json"]],
    "nestbox replay": [
      ["run", "recorded.js", "--tools", `./${tools}`, "--record", "recording.json"],
      ["replay", "recording.json"],
      ["replay", "recording.json", "--with", "other.js"],
    ],
    "nestbox init": [["init", "new"]],
    "nestbox doctor": [["doctor"]],
  };
  /** What is inside of these is said in words, or is somebody else's data. */
  const whole = [
    "value",
    "output[]",
    "warnings[]",
    "wouldDeny[]",
    "differences[]",
    "engine[]",
    "calls[].decision",
    "tools[].annotations",
    "annotations",
    "parameters",
    "policy",
    "sessions[]",
    "hits[]",
    "files[].problems[]",
  ];

  /** They need the server of a fleet: the command line's own tests hold them against one in memory. */
  const ofFleet = ["submit", "status", "approve", "cancel", "resume", "logs"].map(
    (name) => `nestbox ${name}`,
  );
  const sections = text
    .split(/^## /m)
    .slice(1)
    .filter((section) => !ofFleet.includes(section.split("\n")[0] ?? ""));

  it("has a run for every section", () => {
    const titles = sections.map((section) => section.split("\n")[0] ?? "");
    expect(titles.filter((title) => !Object.hasOwn(runs, title))).toEqual([]);
    expect(titles.length).toBeGreaterThan(10);
  });

  for (const section of sections) {
    const title = section.split("\n")[0] ?? "";
    it(`${title} prints the fields of its table and no others`, { timeout: 240_000 }, async () => {
      const rows = [...section.matchAll(/^\| `([^`]+)` +\| (.*?) *\|$/gm)];
      const documented = new Map(
        rows.map(([, field = "", meaning = ""]) => [field, meaning.startsWith("sometimes")]),
      );
      const printed = new Set<string>();
      for (const words of runs[title] ?? []) {
        const value = await print(words);
        // What makes a recording is not the command that the section is about.
        if (!words.includes("--record")) collect(value, "", printed);
      }
      const known = [...printed].filter((path) => !whole.some((prefix) => path.startsWith(`${prefix}.`)));
      expect(known.filter((path) => !documented.has(path))).toEqual([]);
      const owed = [...documented].flatMap(([field, sometimes]) => (sometimes ? [] : [field]));
      expect(owed.filter((field) => !printed.has(field))).toEqual([]);
    });
  }

  async function print(words: readonly string[]): Promise<unknown> {
    const main = join(root, "apps/cli/src/main.ts");
    const args = ["--conditions=@nestbox/source", main, ...words, "--json"];
    const ran = await runCommand(process.execPath, args, { cwd: folder, timeoutMs: 200_000 });
    const line = ran.stdout.trimEnd().split("\n").at(-1) ?? "";
    if (!line.startsWith("{")) throw new Error(`${words.join(" ")}: ${ran.output}`);
    return JSON.parse(line);
  }

  /** Adds the path of every field: `calls[].id`. */
  function collect(value: unknown, path: string, into: Set<string>): void {
    if (Array.isArray(value)) for (const item of value) collect(item, `${path}[]`, into);
    else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        const name = path === "" ? key : `${path}.${key}`;
        into.add(name);
        collect(item, name, into);
      }
    }
  }
});
