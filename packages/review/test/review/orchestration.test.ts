import { defineTool, type RunnableTool, type ToolCallOutcome } from "@nestbox/tool";
import { runTool } from "@nestbox/tool/testing";
import { describe, expect, test } from "vitest";

import { checksSchema, type ChecksReport } from "../../src/checks.ts";
import { dangersSchema, type DangersReport } from "../../src/dangers.ts";
import { diffSchema, type DiffFile, type DiffReport } from "../../src/diff.ts";
import { failuresSchema, type FailuresReport } from "../../src/failures.ts";
import { createReviewTools } from "../../src/node/create-review-tools.ts";
import type { ReviewPart, ReviewReport } from "../../src/review.ts";

const reviewDiff: RunnableTool = createReviewTools({ dangers: [] })[4];

const file: DiffFile = {
  path: "src/a.ts",
  area: "unstaged",
  status: "modified",
  kind: "file",
  binary: false,
  added: 1,
  removed: 1,
  hunks: [
    { oldStart: 4, oldLines: 2, newStart: 4, newLines: 2, lines: [" x", "-y", "+git push --force origin"] },
  ],
  truncated: false,
};
const diff: DiffReport = {
  files: [file],
  total: 1,
  counts: { committed: 0, staged: 0, unstaged: 1, untracked: 0 },
  omitted: 0,
};
const checks: ChecksReport = {
  ok: false,
  steps: [
    {
      id: "typecheck",
      kind: "typecheck",
      folder: ".",
      command: "tsc",
      ok: false,
      status: "failed",
      exitCode: 2,
      durationMs: 1,
      output: "",
      truncated: false,
      problems: [
        { path: "src/b.ts", line: 1, severity: "error", message: "elsewhere" },
        { path: "src/a.ts", line: 5, severity: "error", code: "TS1", message: "here" },
      ],
      problemsOmitted: 0,
    },
  ],
  skipped: [],
};
const failure = {
  name: "adds",
  kind: "assertion",
  message: "no",
  expected: "1",
  actual: "2",
  line: 9,
  frames: [],
} as const;
const tests: FailuresReport = {
  outcome: "failed",
  runs: [],
  files: [
    {
      path: "test/a.test.ts",
      failed: 1,
      names: ["adds"],
      failures: [{ ...failure, frames: [{ path: "src/a.ts", line: 5 }] }],
    },
    {
      path: "test/b.test.ts",
      failed: 1,
      names: ["adds"],
      failures: [{ ...failure, frames: [] }],
      imports: ["src/c.ts", "src/a.ts"],
    },
    {
      path: "test/c.test.ts",
      failed: 1,
      names: ["adds"],
      failures: [{ ...failure, frames: [] }],
      imports: ["src/c.ts"],
    },
  ],
  passed: 1,
  failed: 3,
  skipped: 0,
  omitted: 0,
};
const dangers: DangersReport = {
  entries: [
    {
      id: "git.force-push",
      effect: "deny",
      title: "force push",
      reason: "it rewrites history",
      examples: ["git push --force"],
      layer: "built-in",
    },
    { id: "rm", effect: "ask", title: "rm", reason: "it removes", examples: ["x"], layer: "built-in" },
  ],
  total: 2,
};

type Answer = object | (() => object);
type Answers = Partial<Record<ReviewPart, Answer>>;

/** Tools that answer what they are told to, and keep what they were asked. */
function fakes(answers: Answers): {
  readonly tools: readonly RunnableTool[];
  readonly asked: { name: string; args: unknown }[];
} {
  const asked: { name: string; args: unknown }[] = [];
  const schemas = {
    collect_diff: diffSchema,
    run_checks: checksSchema,
    failing_tests: failuresSchema,
    dangerous_commands: dangersSchema,
  };
  const tools = Object.entries(answers).map(([name, answer]): RunnableTool =>
    defineTool({
      name,
      description: name,
      parameters: { type: "object" },
      outputSchema: schemas[name as ReviewPart],
      async execute(_id, params) {
        asked.push({ name, args: params });
        const data = typeof answer === "function" ? (answer as () => object)() : answer;
        return {
          content: [{ type: "text", text: name }],
          details: undefined,
          structuredContent: data as never,
        };
      },
    }),
  );
  return { tools, asked };
}

async function review(answers: Answers, args: object = {}, options: Parameters<typeof runTool>[2] = {}) {
  const { tools, asked } = fakes(answers);
  const run = await runTool(reviewDiff, args, { cwd: "/project", tools, ...options });
  if (run.kind !== "result") throw new Error(run.kind === "aborted" ? "aborted" : run.message);
  return { run, asked, report: run.result.structuredContent as unknown as ReviewReport };
}

const all: Answers = {
  collect_diff: diff,
  run_checks: checks,
  failing_tests: tests,
  dangerous_commands: dangers,
};

// contract A3, A15
describe("review_diff maps what fails to what was changed", () => {
  test("findings with file, line, severity and evidence, those in the change first", async () => {
    const { report, run } = await review(all);
    expect(report.verdict).toBe("findings");
    const brief = report.findings.map(({ kind, file: path, line, inDiff, changedLine, related }) => ({
      kind,
      path,
      line,
      inDiff,
      changedLine,
      related,
    }));
    expect(brief).toEqual([
      { kind: "typecheck", path: "src/a.ts", line: 5, inDiff: true, changedLine: true, related: undefined },
      {
        kind: "test",
        path: "test/a.test.ts",
        line: 9,
        inDiff: true,
        changedLine: true,
        related: "src/a.ts:5",
      },
      { kind: "danger", path: "src/a.ts", line: 5, inDiff: true, changedLine: true, related: undefined },
      {
        kind: "test",
        path: "test/b.test.ts",
        line: 9,
        inDiff: true,
        changedLine: false,
        related: "src/a.ts",
      },
      { kind: "typecheck", path: "src/b.ts", line: 1, inDiff: false, changedLine: false, related: undefined },
      {
        kind: "test",
        path: "test/c.test.ts",
        line: 9,
        inDiff: false,
        changedLine: false,
        related: undefined,
      },
    ]);
    expect(report.findings.every(({ evidence }) => evidence !== "")).toBe(true);
    expect(report.missing).toEqual([]);
    expect(report.changed).toEqual([{ path: "src/a.ts", areas: ["unstaged"], added: 1, removed: 1 }]);
    expect(run.text).toContain("src/a.ts:5");
    expect(run.isError).toBe(false);
  });

  test("the parts run at the same time", async () => {
    let running = 0;
    let most = 0;
    const gate = Promise.withResolvers<void>();
    const { tools } = fakes(all);
    const slow = tools.map((tool): RunnableTool => ({
      ...tool,
      execute: async (...args) => {
        running += 1;
        most = Math.max(most, running);
        if (running === 4) gate.resolve();
        await gate.promise;
        return tool.execute(...args);
      },
    }));
    await runTool(reviewDiff, {}, { tools: slow });
    expect(most).toBe(4);
  });

  test("the tests run once: run_checks leaves them to failing_tests", async () => {
    const { asked } = await review(all);
    expect(asked.filter(({ name }) => name === "run_checks")).toEqual([
      { name: "run_checks", args: { skipTests: true } },
    ]);
    expect(asked.filter(({ name }) => name === "failing_tests")).toHaveLength(1);
    expect(asked).toHaveLength(4);
  });

  test("where failing_tests is filtered out, run_checks runs them", async () => {
    const { failing_tests: _left, ...rest } = all;
    const filtered = await review(rest);
    expect(filtered.asked.find(({ name }) => name === "run_checks")?.args).toEqual({ skipTests: false });
    expect(filtered.report.missing).toMatchObject([{ part: "failing_tests", reason: "not-available" }]);
  });

  test("skipTests leaves the tests out of both", async () => {
    const { asked, report } = await review(
      { ...all, run_checks: { ok: true, steps: [], skipped: [] }, collect_diff: { ...diff, files: [] } },
      { skipTests: true },
    );
    expect(asked.map(({ name }) => name).toSorted()).toEqual([
      "collect_diff",
      "dangerous_commands",
      "run_checks",
    ]);
    expect(report.missing).toMatchObject([{ part: "failing_tests", reason: "skipped" }]);
    expect(report.verdict).toBe("incomplete");
  });

  test("checks and test runs that were left out make it incomplete", async () => {
    const passed = { ok: true, steps: [], skipped: [], notRun: 4 };
    const { report } = await review({
      ...all,
      collect_diff: { ...diff, files: [] },
      run_checks: passed,
      failing_tests: { ...tests, outcome: "passed", files: [], failed: 0, notRun: 2 },
      dangerous_commands: { entries: [], total: 0 },
    });
    expect(report.missing).toEqual([
      { part: "run_checks", reason: "cut", message: "4 more were not run" },
      { part: "failing_tests", reason: "cut", message: "2 more were not run" },
    ]);
    expect(report.verdict).toBe("incomplete");
  });

  test("every page of the diff is read", async () => {
    let page = 0;
    const pages = (): DiffReport => {
      page += 1;
      return {
        ...diff,
        files: [{ ...file, path: `f${page}` }],
        ...(page < 3 ? { nextCursor: `c${page}` } : {}),
      };
    };
    const { report, asked } = await review({ ...all, collect_diff: pages });
    expect(report.changed.map(({ path }) => path)).toEqual(["f1", "f2", "f3"]);
    expect(asked.filter(({ name }) => name === "collect_diff").map(({ args }) => args)).toMatchObject([
      { limit: 200 },
      { cursor: "c1" },
      { cursor: "c2" },
    ]);
  });
});

// contract A19, B13
describe("review_diff survives the loss of any of its parts and says what is missing", () => {
  test.each(Object.keys(all) as ReviewPart[])("%s is filtered out", async (part) => {
    const { [part]: _left, ...rest } = all;
    const { report, run } = await review(rest);
    expect(report.missing).toMatchObject([{ part, reason: "not-available" }]);
    expect(run.text).toContain(`${part} (not-available)`);
    expect(run.isError).toBe(false);
  });

  test.each(Object.keys(all) as ReviewPart[])("%s throws", async (part) => {
    const { report } = await review({
      ...all,
      [part]: () => {
        throw new Error("out of order");
      },
    });
    expect(report.missing).toMatchObject([{ part, reason: "failed", message: "out of order" }]);
  });

  test.each(Object.keys(all) as ReviewPart[])(
    "%s is another maker's tool, with data of another form",
    async (part) => {
      const { tools } = fakes(all);
      const replaced = tools.map((tool): RunnableTool =>
        tool.name === part
          ? {
              ...tool,
              execute: async () => ({
                content: [],
                details: undefined,
                structuredContent: { __proto__: null, files: "many" } as never,
              }),
            }
          : tool,
      );
      const run = await runTool(reviewDiff, {}, { tools: replaced });
      expect(run).toMatchObject({ kind: "result", isError: false });
      const report = (run.kind === "result"
        ? run.result.structuredContent
        : undefined) as unknown as ReviewReport;
      expect(report.missing).toMatchObject([
        { part, reason: "failed", message: expect.stringContaining("another form") },
      ]);
    },
  );

  test.each(["reject", "blocked", "decision"])("a host that denies, told by %s", async (how) => {
    const { tools } = fakes(all);
    const context = {
      cwd: "/project",
      tools,
      async executeTool(name: string): Promise<ToolCallOutcome> {
        const toolCall = { type: "toolCall", id: "c/1", name, arguments: {} } as const;
        const text = how === "blocked" ? "Blocked: the policy denies it" : "no";
        if (how === "reject") throw new Error("the host is broken");
        const decision = { effect: "deny", rule: "r", layer: "user" } as const;
        return {
          toolCall,
          result: { content: [{ type: "text", text }], details: {} },
          isError: true,
          ...(how === "decision" ? { decision } : {}),
        };
      },
    };
    const run = await runTool(reviewDiff, {}, { context });
    const report = (run.kind === "result"
      ? run.result.structuredContent
      : undefined) as unknown as ReviewReport;
    const reason = how === "reject" ? "failed" : "denied";
    expect(report.missing.map((part) => `${part.part} ${part.reason}`)).toEqual(
      ["collect_diff", "run_checks", "failing_tests", "dangerous_commands"].map(
        (part) => `${part} ${reason}`,
      ),
    );
    expect(report.verdict).toBe("incomplete");
  });

  test("a host that cannot call tools, such as the low-level agent, gets an error with data", async () => {
    // contract A10
    const result = await reviewDiff.execute("c", {} as never, undefined, undefined, undefined as never);
    expect(result.isError).toBe(true);
    expect((result.structuredContent as unknown as ReviewReport).missing).toHaveLength(4);
  });

  // contract B3
  test("an abort while the parts run rejects with AbortError", async () => {
    const { tools } = fakes(all);
    const controller = new AbortController();
    const aborting = tools.map((tool): RunnableTool =>
      tool.name === "collect_diff"
        ? {
            ...tool,
            execute: async () => {
              controller.abort();
              throw new Error("gone");
            },
          }
        : tool,
    );
    expect((await runTool(reviewDiff, {}, { tools: aborting, signal: controller.signal })).kind).toBe(
      "aborted",
    );
  });

  // contract B4
  test("progress says which parts are done, with content and details", async () => {
    const { run } = await review(all);
    expect(run.updates.length).toBeGreaterThan(0);
    for (const update of run.updates)
      expect(update).toMatchObject({ content: [{ type: "text" }], details: { state: expect.any(String) } });
    expect(run.lateUpdates()).toBe(0);
  });
});
