import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createToolHost } from "@nestbox/calls";
import { createRunner } from "@nestbox/codemode/node";
import { afterAll, describe, expect, it } from "vitest";

import { createCompleter } from "../src/repl/completer.ts";
import { historyFile, readHistory, writeHistory } from "../src/repl/history.ts";
import { readEntry } from "../src/repl/read-entry.ts";
import { startSession } from "../src/repl/session.ts";
import tools from "./fixtures/tools.ts";
import { fixtureTools, nestbox } from "./support/nestbox.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-repl-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const repl = (...lines: readonly string[]) =>
  nestbox(["repl", "--tools", fixtureTools], `${lines.join("\n")}\n`);

describe("nestbox repl", () => {
  it("keeps what an entry declares for the next ones", async () => {
    const { exitCode, stdout } = await repl(
      "const a = 1, { b, c: [d = 3] } = { b: 2, c: [] }",
      "function sum() {",
      "  return a + b + d;",
      "}",
      "class Pair { left = a; right = b }",
      "let later;",
      "later = await tools.double({ n: sum() })",
      "[later.n, new Pair()]",
      "_[0] + 1",
      "const typed: number = 4; typed",
      "{ n: a }",
      "sum",
    );
    expect(stdout.split("\n")).toEqual([
      "{ n: 12 }",
      "[ 12, { left: 1, right: 2 } ]",
      "13",
      "4",
      "{ n: 1 }",
      "[function]",
      "",
    ]);
    expect(exitCode).toBe(0);
  });

  it("goes on after a mistake and after a denial, and ends a pipe with exit code 1", async () => {
    const { exitCode, stdout, stderr } = await repl(
      "const a = ]",
      "throw new RangeError('boom')",
      "tools.deploy({})",
      "console.log('still', 'here')",
    );
    expect(stderr).toMatch(/^SyntaxError: /m);
    expect(stderr).toMatch(/^RangeError: boom$/m);
    expect(stderr).toMatch(/^· deploy denied by default\.annotations \(built-in\)/m);
    expect(stderr).toMatch(/deploy needs approval/);
    expect(stdout).toBe("still here\n");
    expect(exitCode).toBe(1);
  });

  it("forgets with .reset, ends with .exit, and lets a new sandbox follow one that has ended", async () => {
    const { stdout, stderr } = await repl(
      "const a = 1",
      ".reset",
      "typeof a",
      "const b = []; while (true) b.push(new Array(1e5).fill(1.5))",
      "typeof b",
      ".exit",
      "'not read'",
    );
    expect(stdout).toBe("'undefined'\n'undefined'\n");
    expect(stderr).toMatch(/\(memory\); what was declared is gone/);
  });

  it("lets no entry reach what the loop is made of", async () => {
    const { stdout } = await repl("[typeof __repl, typeof next, typeof interrupted, typeof answer]");
    expect(stdout).toContain("[ 'undefined', 'undefined', 'undefined', 'undefined' ]");
  });
});

describe("an entry that is interrupted", () => {
  const runner = createRunner({ maxProcesses: 1 });
  const host = createToolHost({ cwd: folder });
  for (const tool of tools) host.register(tool);
  afterAll(async () => {
    await runner.close();
    await host.close();
  });
  const open = (callId: string, onCall: (name: string, status: string) => void = () => {}) =>
    startSession({
      runner,
      caller: host.caller({ callId }),
      limits: {},
      onEvent: (event) => {
        if (event.type === "call") onCall(event.call.name, event.call.status);
      },
    });

  it("has its calls cancelled, and the session goes on with what it knows", async () => {
    const seen: string[] = [];
    let started = (): void => {};
    const running = new Promise<void>((resolve) => (started = resolve));
    const session = open("a", (name, status) => {
      seen.push(`${name} ${status}`);
      started();
    });
    await session.evaluate("x = 7");
    const answer = session.evaluate("return await tools.hang({})");
    await running;
    session.interrupt();
    expect((await answer).kind).toMatch(/interrupted|error/);
    expect(await session.evaluate("return x")).toEqual({ kind: "value", type: "number", value: 7 });
    expect(seen.at(-1)).toMatch(/^hang (cancelled|error)$/);
    await session.close();
  });

  it("ends with its sandbox when it does not stop", async () => {
    const session = open("b");
    await session.evaluate("x = 7");
    const answer = session.evaluate("while (true);");
    setTimeout(() => session.interrupt(), 500);
    expect(await answer).toMatchObject({ kind: "ended", error: { kind: "aborted" } });
    expect(await session.evaluate("return 1")).toMatchObject({ kind: "ended" });
    await session.close();
  });
});

describe("what was typed", () => {
  it.each([
    ["an unfinished function", "function f() {", "incomplete"],
    ["an unfinished text", "`abc", "incomplete"],
    ["an unfinished call", "f(1,", "incomplete"],
    ["a mistake", "const = 1", "wrong"],
    ["an import", "import x from 'node:fs'", "wrong"],
    ["a statement", "for (const x of []) x()", "ready"],
    ["types", "interface A { n: number }", "ready"],
  ])("is understood: %s", (_title, source, kind) => {
    expect(readEntry(source).kind).toBe(kind);
  });

  it("is no directive, declares its names, and gives its last expression", () => {
    expect(readEntry(`"use strict"; var { a, ...b } = c, d; a`)).toEqual({
      kind: "ready",
      code: `;\n"use strict";;\n({ a, ...b } = c), (globalThis.d = globalThis.d);\nreturn (a);`,
      names: ["a", "b", "d"],
    });
  });
});

describe("completion in the repl", () => {
  const complete = createCompleter(
    {
      allTools: () => [
        { name: "run_checks", description: "" },
        { name: "review_diff", description: "" },
      ],
    },
    ["review", "review"],
    () => ["result"],
  );
  it.each([
    ["await tools.r", ["review_diff", "run_checks"], "r"],
    ["tools.", ["review_diff", "run_checks"], ""],
    [`describeNamespace("re`, ["review"], "re"],
    [`ctx.executeTool('run`, ["run_checks"], "run"],
    ["f(res", ["result"], "res"],
    ["x.to", [], ""],
    ["1 + ", [], ""],
  ])("of %s", (line, hits, part) => {
    expect(complete(line)).toEqual([hits, part]);
  });
});

describe("the history", () => {
  it("is kept for the user alone, bounded, newest first", () => {
    const file = historyFile({ XDG_STATE_HOME: folder });
    expect(readHistory(file)).toEqual([]);
    writeHistory(file, [
      "new",
      "x".repeat(3_000),
      ...Array.from({ length: 2_000 }, (_one, index) => `old ${index}`),
    ]);
    expect(readHistory(file)).toHaveLength(1_000);
    expect(readHistory(file).slice(0, 2)).toEqual(["new", "old 0"]);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readFileSync(file, "utf8").endsWith("\n")).toBe(true);
  });
});
