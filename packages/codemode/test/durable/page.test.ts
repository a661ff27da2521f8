import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { crashProcesses, type CrashProcessesOptions } from "../../src/durable/conformance/node/index.ts";
import { durableConformance } from "../../src/durable/conformance/index.ts";
import { fakeTools } from "../../src/durable/conformance/fake-tools.ts";
import * as durable from "../../src/durable/index.ts";
import { openSqliteJournal } from "../../src/durable/sqlite/index.ts";
import { createRunner } from "../../src/node/index.ts";
import { durableTools } from "./harness.ts";

const page = readFileSync(new URL("../../durable.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/```ts\n((?:import [^\n]*\n)+)([\s\S]*?)```/g)];
const folder = mkdtempSync(join(tmpdir(), "nestbox-page-"));
const runner = createRunner({ maxProcesses: 1 });
afterAll(async () => {
  await runner.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a block of the page with these names in scope; gives what it prints. */
async function runBlock(index: number, scope: Record<string, unknown>): Promise<readonly unknown[][]> {
  const lines: unknown[][] = [];
  const all: Record<string, unknown> = {
    ...scope,
    console: { log: (...line: unknown[]) => lines.push(line) },
  };
  const body = `return (async () => {${blocks[index]?.[2] ?? "throw new Error('no such block')"}})()`;
  // oxlint-disable-next-line typescript/no-implied-eval -- the text is this repository's own page
  await (new Function(...Object.keys(all), body)(...Object.values(all)) as Promise<void>);
  return lines;
}

describe("the page on durable runs", () => {
  test("imports what there is", () => {
    const names = [...page.matchAll(/^import \{ ([^}]*) \} from "@nestbox\/codemode\/durable"/gm)].flatMap(
      ([, list]) => (list ?? "").split(", "),
    );
    expect(names.length).toBeGreaterThan(4);
    expect(names.filter((name) => !Object.hasOwn(durable, name))).toEqual([]);
  });

  test("records and repeats a run as it stands", async () => {
    const file = join(folder, "run.json");
    const lines = await runBlock(0, {
      ...durable,
      runner,
      code: "return (await tools.work({ i: 1 })).i + Math.random()",
      caller: durableTools(),
      writeFileSync: (_name: string, text: string, options: object) => writeFileSync(file, text, options),
      readFileSync: () => readFileSync(file, "utf8"),
    });
    expect(lines).toEqual([[true, "equal"]]);
  });

  test("parks a run and carries it on as it stands", async () => {
    const { parking, callerFor, effects } = fakeTools();
    const lines = await runBlock(1, {
      ...durable,
      createParking: () => parking,
      openSqliteJournal,
      runner,
      callerFor,
      path: join(folder, "runs.db"),
      code: "return await tools.deploy({ n: 1 })",
    });
    expect(lines).toEqual([[[["1", "deploy"]]], ["ended"]]);
    expect(effects).toEqual(["deploy:1"]);
  });

  test(
    "has an engine tried as it stands, by deaths of the program that it shows",
    { timeout: 120_000 },
    async () => {
      const cases: [string, () => Promise<void>][] = [];
      const program = new URL("crash-child.ts", import.meta.url);
      await runBlock(2, {
        pathToFileURL: () => program,
        durableConformance,
        crashProcesses: (options: CrashProcessesOptions) =>
          crashProcesses({ ...options, nodeOptions: ["--conditions=@nestbox/source", "--no-warnings"] }),
        openSqliteJournal,
        runner,
        folder,
        path: join(folder, "engine.db"),
        test: (title: string, run: () => Promise<void>) => cases.push([title, run]),
      });
      const [killed] = cases.filter(([title]) => title.startsWith("a process is killed inside a call:"));
      await killed?.[1]();
      expect(cases.length).toBeGreaterThan(25);
      const shown = readFileSync(program, "utf8").split("\n").slice(1).join("\n");
      expect(page).toContain(`\`\`\`ts\n${shown}\`\`\``);
    },
  );
});
