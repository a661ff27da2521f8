import type { ToolLoadout } from "@earendil-works/pi-coding-agent";
import { describe, expect, test } from "vitest";
import { prepareLoadout } from "../../src/pi/loadout.ts";
import { summarizeOutput } from "../../src/pi/output-summary.ts";

type Exposure = ReturnType<ToolLoadout["getExposure"]>;
type Entry = {
  name: string;
  exposure: Exposure;
  active?: boolean;
  outputSchema?: object;
  namespace?: string;
};

const ENTRIES: readonly Entry[] = [
  { name: "codemode", exposure: "model-only", active: true },
  { name: "read", exposure: "direct", active: true },
  {
    name: "bash",
    exposure: "direct",
    active: true,
    outputSchema: { type: "object", properties: { exit_code: { type: "number" } } },
  },
  { name: "grep", exposure: "direct" },
  { name: "collect", exposure: "codemode", namespace: "review" },
  { name: "mcp__a__b", exposure: "deferred" },
];

function loadout(entries: readonly Entry[]): ToolLoadout {
  const tools = entries.map(({ name, outputSchema }) => ({
    name,
    label: name,
    description: `About ${name}.`,
    parameters: { type: "object", properties: {} },
    ...(outputSchema === undefined ? {} : { outputSchema }),
    execute: () => Promise.reject(new Error("never called")),
  }));
  const of = (name: string) => entries.find((entry) => entry.name === name);
  const pick = (keep: (entry: Entry) => boolean) =>
    tools.filter(({ name }) => entries.some((e) => e.name === name && keep(e)));
  return {
    declared: pick(({ active }) => active === true),
    callable: pick(
      ({ exposure, active }) =>
        exposure === "codemode" || exposure === "deferred" || (exposure === "direct" && active === true),
    ),
    registered: tools,
    getExposure: (name) => of(name)?.exposure ?? "direct",
    getNamespace: (name) => {
      const namespace = of(name)?.namespace;
      return namespace === undefined ? undefined : { name: namespace };
    },
    getPromptGuidelines: (name) => (name === "read" ? ["Read before you edit."] : []),
  };
}

const options = { inlineBudget: 3000, modelsReference: undefined };
const on = (entries = ENTRIES) => prepareLoadout(loadout(entries), { ...options, mode: "on" });
const only = (entries = ENTRIES) => prepareLoadout(loadout(entries), { ...options, mode: "only" });

describe("on", () => {
  // D22
  test("declared tools say how a script calls them", () => {
    expect(on().hiddenDeclarations).toEqual([]);
    expect(on().descriptions?.["read"]).toBe(
      "About read.\n\nIn codemode: `await tools.read(args)` gives a string.",
    );
    expect(on().descriptions?.["bash"]).toContain("gives `{ exit_code?: number; }`.");
    expect(on().descriptions?.["grep"]).toBeUndefined();
  });

  test("only tools that are not declared otherwise are listed, deferred ones never", () => {
    // contract A1
    const text = on().descriptions?.["codemode"] ?? "";
    expect(text.split("\n").filter((line) => line.startsWith("##"))).toEqual(["## review", "### `collect`"]);
  });
});

describe("only", () => {
  test("direct tools are listed instead of declared, with their guidelines", () => {
    const { descriptions, hiddenDeclarations } = only();
    expect(hiddenDeclarations).toEqual(["read", "bash"]);
    expect(Object.keys(descriptions ?? {})).toEqual(["codemode"]);
    expect(descriptions?.["codemode"]).toContain("### `read`\nAbout read.\n\n- Read before you edit.");
    expect(descriptions?.["codemode"]).not.toContain("mcp__a__b");
  });
});

test("the description stays the same while deferred tools come and other tools are loaded", () => {
  // contract A25
  const more = [...ENTRIES, { name: "mcp__c__d", exposure: "deferred" as const }];
  expect(on(more).descriptions?.["codemode"]).toBe(on().descriptions?.["codemode"]);
  const loaded = ENTRIES.map((entry) => (entry.name === "collect" ? { ...entry, active: true } : entry));
  expect(on(loaded).descriptions?.["codemode"]).toBe(on().descriptions?.["codemode"]);
  expect(on(ENTRIES.toReversed()).descriptions?.["codemode"]).toBe(on().descriptions?.["codemode"]);
});

test("the budget bounds the list", () => {
  const many = Array.from({ length: 200 }, (_, i): Entry => ({
    name: `tool${i}`,
    exposure: "codemode",
    namespace: "n",
  }));
  const text =
    prepareLoadout(loadout(many), { ...options, inlineBudget: 100, mode: "on" }).descriptions?.["codemode"] ??
    "";
  expect(text.length).toBeLessThan(3000);
  expect(text).toMatch(/## n \(\d+ of 200 tools not shown\)/);
});

test("a result is summed up in one line", () => {
  expect(summarizeOutput("x", undefined)).toBe("a string");
  expect(summarizeOutput("x", { type: "string" })).toBe("a string");
  expect(summarizeOutput("x", { type: "array", items: { type: "number" } })).toBe("`Array<number>`");
  const described = {
    type: "object",
    properties: { b: { type: "string", description: "B" }, a: { type: "number" } },
    required: ["b"],
  };
  expect(summarizeOutput("x", described)).toBe("`{ a?, b }`");
  const large = { anyOf: Array.from({ length: 60 }, (_, i) => ({ const: `value ${i}` })) };
  expect(summarizeOutput("my-tool", large)).toBe('a value; `await describeTool("my-tool")` shows its type');
});
