import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import type { FleetQuestion } from "../../src/fleet/engine.ts";
import { command, ended, failed, type FakeFleet, fakeFleet, NOW } from "../support/fake-fleet.ts";

const text = readFileSync(fileURLToPath(new URL("../../../../docs/json-output.md", import.meta.url)), "utf8");

const question: FleetQuestion = {
  runId: "asks",
  key: "1",
  name: "deploy",
  arguments: "{}",
  fingerprint: "f",
  reason: "why",
  rule: "r",
  layer: "user",
  folder: "/srv",
  askedAt: NOW,
  lines: ["deploy"],
};

const fleet = (): FakeFleet =>
  fakeFleet([
    { run: { runId: "asks", state: "parked", createdAt: NOW, waitingFor: 1 }, questions: [question] },
    { run: { runId: "over", state: "ended", ok: true }, outcome: ended(1) },
    {
      run: {
        runId: "bad",
        state: "ended",
        ok: false,
        error: { kind: "script", name: "Error", message: "no" },
      },
      outcome: failed("no"),
    },
    { run: { runId: "gone", state: "halted", message: "changed" } },
    {
      run: { runId: "logged", state: "running" },
      contents: {
        complete: true,
        steps: [
          {
            key: "1",
            state: "done",
            value: {
              call: { name: "deploy", hash: "h", args: "{}", line: 1 },
              from: NOW,
              at: NOW,
              end: { kind: "thrown", name: "Error", message: "no" },
            },
          },
        ],
        deaths: [{ worker: "w", at: NOW, again: true }],
        waits: [{ key: "cancel", value: { reason: "enough" }, wokenAt: NOW }],
      },
    },
  ]);

/** Together they show every field that is always there. */
const runs: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "nestbox submit": [["submit", "-e", "return 1"]],
  "nestbox status": [["status"], ["status", "asks"], ["status", "over"], ["status", "bad"]],
  "nestbox approve": [
    ["approve", "asks", "--yes"],
    ["approve", "over", "--yes"],
  ],
  "nestbox cancel": [
    ["cancel", "asks"],
    ["cancel", "over"],
  ],
  "nestbox resume": [
    ["resume", "gone"],
    ["resume", "asks"],
  ],
  "nestbox logs": [
    ["logs", "logged"],
    ["logs", "over"],
    ["logs", "bad"],
  ],
};

/** What is inside of these is said in another table. */
const whole = ["outcome", "question"];

const sections = new Map(
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.split("\n")[0] ?? "", section]),
);

describe("docs/json-output.md", () => {
  it.each(Object.keys(runs))("%s prints the fields of its table and no others", async (title) => {
    const rows = [...(sections.get(title) ?? "").matchAll(/^\| `([^`]+)` +\| (.*?) *\|$/gm)];
    const documented = new Map(
      rows.map(([, field = "", meaning = ""]) => [field, meaning.startsWith("sometimes")]),
    );
    expect(documented.size).toBeGreaterThan(2);
    const printed = new Set<string>();
    for (const words of runs[title] ?? [])
      for (const object of (await command(fleet(), [...words, "--json"])).json) collect(object, "", printed);
    const known = [...printed].filter((path) => !whole.some((prefix) => path.startsWith(`${prefix}.`)));
    expect(known.filter((path) => !documented.has(path))).toEqual([]);
    const owed = [...documented].flatMap(([field, sometimes]) => (sometimes ? [] : [field]));
    expect(owed.filter((field) => !printed.has(field))).toEqual([]);
  });
});

/** Adds the path of every field: `runs[].runId`. */
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
