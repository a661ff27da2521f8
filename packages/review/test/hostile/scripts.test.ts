import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, test } from "vitest";

import { floodMemoryBytes, runFlood } from "../support/flood.ts";
import { withPeakMemory } from "../support/memory.ts";
import { makeFolder } from "../support/repository.ts";
import { reportOf, runReviewTool } from "../support/run.ts";

/** A project whose lint script is `node lint.mjs`. */
function project(source: string, more: Readonly<Record<string, string>> = {}) {
  return makeFolder({
    "package.json": JSON.stringify({
      name: "hostile",
      private: true,
      type: "module",
      scripts: { lint: "node lint.mjs", test: "node --test" },
    }),
    "lint.mjs": source,
    ...more,
  });
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let round = 0; round < 400; round += 1) {
    if (holds()) return;
    await sleep(25);
  }
  throw new Error(`${what} did not happen in ten seconds`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie only waits until somebody asks how it ended.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("a script of the project cannot hang the tools, grow them or deceive who reads", () => {
  // contract A12
  test("output of hundreds of megabytes stays in a file, and memory stays flat", async () => {
    const { step, text, growthBytes, fileBytes } = await runFlood(300);
    expect(step).toMatchObject({ ok: false, exitCode: 1, truncated: true });
    expect(step).not.toHaveProperty("fullOutputIncomplete");
    expect(step?.output.length).toBeLessThan(70_000);
    expect(step?.output).toContain("omitted; complete output");
    expect(step?.problems).toContainEqual({
      path: "src/a.js",
      line: 3,
      column: 7,
      severity: "error",
      message: "the last line",
    });
    expect(fileBytes).toBeGreaterThan(300 * 1024 ** 2);
    expect(text).toContain(`Complete output: ${step?.fullOutputPath}`);
    expect(text.length).toBeLessThan(50 * 1024);
    expect(growthBytes).toBeLessThan(floodMemoryBytes);
  });

  test("a report above its limit is not read into memory", async () => {
    using folder = makeFolder({
      "package.json": JSON.stringify({
        name: "a",
        private: true,
        type: "module",
        scripts: { test: "node --test" },
      }),
      "a.test.mjs": `import { test } from "node:test";\nfor (let i = 0; i < 80; i += 1) console.log("y".repeat(1024 * 1024));\ntest("a", () => {});\n`,
    });
    const { value, growthBytes } = await withPeakMemory(() => reportOf("failing_tests", folder.path));
    expect(value.data.runs).toMatchObject([{ outcome: "unreadable", exitCode: 0 }]);
    expect(growthBytes).toBeLessThan(300 * 1024 ** 2);
  });

  test("a script that never ends is ended with its time, and said so", async () => {
    using folder = project("setInterval(() => {}, 1000);\nprocess.on('SIGTERM', () => {});\n");
    const { data, text } = await reportOf("run_checks", folder.path, { only: ["lint"], timeoutSeconds: 1 });
    expect(data).toMatchObject({ ok: false, steps: [{ status: "timed-out", ok: false }] });
    expect(text).toContain("timed-out");
  });

  test("tests that never end are ended with their time, and told apart from failures", async () => {
    using folder = project("", {
      "a.test.mjs":
        'import { test } from "node:test";\ntest("hangs", () => new Promise((resolve) => setTimeout(resolve, 1e8)));\n',
    });
    const { data } = await reportOf("failing_tests", folder.path, { timeoutSeconds: 1 });
    expect(data).toMatchObject({ outcome: "timed-out", runs: [{ outcome: "timed-out" }] });
  });

  test("children that a script leaves behind do not outlive the step", async () => {
    using folder = project(`
      import { spawn } from "node:child_process";
      import { writeFileSync } from "node:fs";
      const idle = ["-e", "setInterval(() => {}, 1000)"];
      const children = [
        spawn(process.execPath, idle, { stdio: "ignore" }),
        spawn(process.execPath, idle, { stdio: "ignore", detached: true }),
        spawn(process.execPath, idle, { stdio: "inherit", detached: true }),
      ];
      for (const child of children) child.unref();
      writeFileSync("pids", children.map((child) => child.pid).join(" "));
      process.exit(0);
    `);
    const { data } = await reportOf("run_checks", folder.path, { only: ["lint"] });
    expect(data.ok).toBe(true);
    const pids = readFileSync(join(folder.path, "pids"), "utf8").split(" ").map(Number);
    expect(pids).toHaveLength(3);
    await until(() => pids.every((pid) => !isAlive(pid)), "the end of every child");
  });

  // contract B3
  test("an abort ends the script, and the call rejects with AbortError", async () => {
    using folder = project(
      'import { writeFileSync } from "node:fs";\nwriteFileSync("pids", String(process.pid));\nsetInterval(() => {}, 1000);\n',
    );
    const controller = new AbortController();
    const pending = runReviewTool(
      "run_checks",
      folder.path,
      { only: ["lint"] },
      { signal: controller.signal },
    );
    await until(() => existsSync(join(folder.path, "pids")), "the start of the script");
    controller.abort();
    expect((await pending).kind).toBe("aborted");
    const pid = Number(readFileSync(join(folder.path, "pids"), "utf8"));
    await until(() => !isAlive(pid), "the end of the script");
  });

  test("terminal sequences of a script, its tests and their names are taken out", async () => {
    using folder = project(
      'process.stdout.write("\\u001b]0;owned\\u0007\\u001b[2J\\u001b[31mred\\u001b[0m\\u202Eright to left\\rover\\n");\nprocess.exitCode = 1;\n',
      {
        "a.test.mjs":
          'import { test } from "node:test";\ntest("\\u001b[2Jname", () => {\n  throw new Error("\\u001b]52;c;aGk=\\u0007message");\n});\n',
      },
    );
    const checks = await reportOf("run_checks", folder.path, { only: ["lint"] });
    const tests = await reportOf("failing_tests", folder.path);
    for (const shown of [JSON.stringify(checks.data), checks.text, JSON.stringify(tests.data), tests.text]) {
      expect(shown).not.toMatch(/[\u0000-\u0008\u001B\u009B\u202E]|\\u001[bB]|\\u0007|\\u202[eE]/);
    }
    expect(checks.data.steps[0]?.output).toContain("over");
    expect(tests.data.files[0]?.failures[0]).toMatchObject({
      name: "name",
      message: expect.stringContaining("message"),
    });
  });

  // contract B10
  test("secrets and the home folder are taken out of data and text", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    using folder = project(
      `console.log("token ${token}");\nconsole.log("${process.env["HOME"] ?? "/root"}/.ssh/id_ed25519");\nprocess.exitCode = 1;\n`,
    );
    const { data, text } = await reportOf("run_checks", folder.path, { only: ["lint"] });
    for (const shown of [JSON.stringify(data), text]) {
      expect(shown).not.toContain(token);
      expect(shown).not.toContain(`${process.env["HOME"] ?? "/root"}/.ssh`);
      expect(shown).not.toContain(folder.path);
    }
    expect(text).toContain("[redacted");
  });

  test("the host's secrets are not in the environment of a script", async () => {
    using folder = project(
      'import { writeFileSync } from "node:fs";\nwriteFileSync("env.json", JSON.stringify(process.env));\n',
    );
    process.env["NESTBOX_TEST_API_KEY"] = "sk-very-secret-value";
    try {
      await reportOf("run_checks", folder.path, { only: ["lint"] });
    } finally {
      delete process.env["NESTBOX_TEST_API_KEY"];
    }
    expect(readFileSync(join(folder.path, "env.json"), "utf8")).not.toContain("very-secret");
  });

  test("a script that rewrites package.json while it runs changes no step of the plan", async () => {
    using folder = project(
      'import { writeFileSync } from "node:fs";\nwriteFileSync("package.json", JSON.stringify({ scripts: { typecheck: "touch owned", lint: "touch owned", test: "touch owned" } }));\n',
    );
    const { data } = await reportOf("run_checks", folder.path, { only: ["lint"] });
    expect(data.steps.map(({ id, ok }) => ({ id, ok }))).toEqual([{ id: "lint", ok: true }]);
    expect(existsSync(join(folder.path, "owned"))).toBe(false);
  });
});
