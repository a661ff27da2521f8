import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { parsePolicy } from "../../src/index.ts";
import { MAX_GLOB_CHARS } from "../../src/paths/pattern.ts";
import { MAX_PATH_CHARS } from "../../src/paths/normalize.ts";
import { MAX_DECISION_ENTRIES, MAX_EXPANSIONS, MAX_TREE_ENTRIES } from "../../src/paths/reach.ts";
import { MAX_COMMAND_RESOURCES, MAX_RESOURCES } from "../../src/mapping/subject.ts";
import { presetDefaults, presetRules } from "../../src/preset/rules.ts";
import { MAX_REGEX_CHARS } from "../../src/rules/regex.ts";
import { MAX_POLICY_CHARS, MAX_RULES } from "../../src/rules/read.ts";

const page = readFileSync(new URL("../../policy-file.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/```jsonc\n([^]*?)```/g)].map(([, block = ""]) => block);

describe("the page about the policy file", () => {
  it("has blocks that load, examples and all", () => {
    expect(blocks).toHaveLength(4);
    for (const block of blocks)
      expect(parsePolicy(block, { file: "policy-file.md", layer: "user" })).toMatchObject({ ok: true });
  });

  it("lists the built-in rules as they are", () => {
    const rows = [
      ...page.matchAll(/^\| `([a-z.-]+)`\s*\| (allow|ask|deny)\s*\| (.+?)(?:, unless .*?)?\s*\|$/gm),
    ].map(([, id, effect, title]) => ({ id, effect, title }));
    const rules = presetRules.map(({ rule, title }) => ({ id: rule.id, effect: rule.effect, title }));
    const titles = [
      "Paths outside the project",
      "Paths that are not known before the call runs",
      "Writes beside an allowed command",
    ];
    const defaults = Object.values(presetDefaults).map(({ id, effect }, index) => ({
      id,
      effect,
      title: titles[index],
    }));
    expect(rows).toEqual([...rules, ...defaults]);
  });

  it("says the limits as they are", () => {
    const numbers = [
      MAX_POLICY_CHARS,
      MAX_RULES,
      MAX_REGEX_CHARS,
      MAX_GLOB_CHARS,
      MAX_RESOURCES,
      MAX_COMMAND_RESOURCES,
      MAX_DECISION_ENTRIES,
      MAX_TREE_ENTRIES,
      MAX_EXPANSIONS,
      MAX_PATH_CHARS,
    ];
    for (const number of numbers) expect(page).toContain(number.toLocaleString("en-US"));
  });
});
