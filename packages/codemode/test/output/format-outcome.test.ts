import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  DEFAULT_MAX_OUTPUT_TOKENS,
  formatOutcome,
  type FormatOptions,
} from "../../src/output/format-outcome.ts";
import { createTempFiles } from "../../src/output/node/temp-files.ts";
import type { OutputItem, ScriptCall, ScriptError, ScriptOutcome } from "../../src/types.ts";

const stats = { wallMs: 1234, cpuMs: 1, pausedMs: 0, calls: 0, outputChars: 0 };
const none = { calls: [], warnings: [], stats };

function done(output: OutputItem[], value?: unknown): ScriptOutcome {
  const json = value === undefined ? undefined : JSON.parse(JSON.stringify(value));
  return { ...none, ok: true, output, value: json, storeWrites: { set: {}, delete: [] } };
}

function failed(
  error: Partial<ScriptError>,
  calls: ScriptCall[] = [],
  output: OutputItem[] = [],
): ScriptOutcome {
  return {
    ...none,
    ok: false,
    output,
    calls,
    error: { kind: "script", name: "Error", message: "boom", ...error },
  };
}

const text = (value: string): OutputItem => ({ type: "text", text: value });
const line = (value: string): OutputItem => ({ type: "console", text: value });
const PNG = "iVBORw0KGgo=";
const image: OutputItem = { type: "image", data: PNG, mimeType: "image/png" };

async function lay(outcome: ScriptOutcome, options: Partial<FormatOptions> = {}) {
  const written: { extension: string; data: string; encoding: string }[] = [];
  const files = {
    write: async (extension: string, data: string, encoding: string) => {
      written.push({ extension, data, encoding });
      return `/files/${written.length}${extension}`;
    },
  };
  const { content, fullOutputPath } = await formatOutcome(outcome, { wallMs: 1234, files, ...options });
  const [head, ...rest] = content;
  const parts = rest.map((item) => (item.type === "text" ? item.text : `<${item.mimeType}>`));
  return { head: head?.type === "text" ? head.text : "", parts, written, fullOutputPath };
}

describe("layout", () => {
  test("a header says how it ended and how long it took", async () => {
    expect((await lay(done([]))).head).toBe("Script completed\nWall time 1.2 seconds\nOutput:\n");
    expect((await lay(failed({}))).head).toBe("Script failed\nWall time 1.2 seconds\nOutput:\n");
    expect((await lay(done([]))).parts).toEqual([]);
  });

  test("one text stands alone, several are numbered, the value counts as one", async () => {
    expect((await lay(done([text("a")]))).parts).toEqual(["a"]);
    expect((await lay(done([], { a: [1] }))).parts).toEqual(['{"a":[1]}']);
    expect((await lay(done([text("a"), text("b\n")], 3))).parts).toEqual([
      "==> text 1/3 <==\na\n==> text 2/3 <==\nb\n==> text 3/3 <==\n3",
    ]);
  });

  test("falsy values are values", async () => {
    expect((await lay(done([], null))).parts).toEqual(["null"]);
    expect((await lay(done([], ""))).parts).toEqual([""]);
    expect((await lay(done([], 0))).parts).toEqual(["0"]);
  });

  test("console lines stand behind everything in one block", async () => {
    expect((await lay(done([line("one"), text("a"), line("two")]))).parts).toEqual([
      "a\n<console_output>\none\ntwo\n</console_output>",
    ]);
  });

  test("empty texts leave no empty line behind", async () => {
    expect((await lay(done([text(""), text("")]))).parts).toEqual(["==> text 1/2 <==\n==> text 2/2 <==\n"]);
  });

  test("images are saved once each, with their path before them", async () => {
    const { parts, written } = await lay(done([text("a"), image, image]));
    expect(parts).toEqual([
      "a\n[Image saved to /files/1.png (image/png, 8B)]",
      "<image/png>",
      "[Image saved to /files/1.png (image/png, 8B)]",
      "<image/png>",
    ]);
    expect(written).toEqual([{ extension: ".png", data: PNG, encoding: "base64" }]);
  });

  test("notes stand at the end", async () => {
    expect((await lay(done([text("a")]), { notes: ["Note: b"] })).parts).toEqual(["a\nNote: b"]);
  });
});

describe("errors", () => {
  test("a script's error keeps what was printed, shows its stack and what had been called", async () => {
    const calls: ScriptCall[] = [
      { id: "1", name: "edit", status: "ok", began: true },
      { id: "2", name: "bash", status: "denied", began: false },
      { id: "3", name: "read", status: "error", began: false },
      { id: "4", name: "read", status: "error", began: true },
      { id: "5", name: "wait", status: "running", began: true },
    ];
    const stack = "Error: boom\n    at codemode.js:3:7";
    expect((await lay(failed({ stack }, calls, [text("a")]))).parts).toEqual([
      "a\nScript error:\nError: boom\n    at codemode.js:3:7\n\nTool calls made before the failure (they are not undone): " +
        "edit (ok), bash (denied), read (error, did not start), read (error), wait (cancelled)",
    ]);
  });

  test.each<[ScriptError["kind"], string]>([
    ["script", "Error: boom"],
    ["limit", "Error: boom"],
    ["memory", "Error: boom"],
    ["policy", "Error: boom"],
    ["timeout", "Script timed out: boom"],
    ["aborted", "Script aborted: boom"],
    ["sandbox", "Script sandbox failed: boom"],
  ])("%s errors begin with what happened", async (kind, head) => {
    expect((await lay(failed({ kind }))).parts).toEqual([
      `Script error:\n${head}\n\nNo tool calls were made.`,
    ]);
  });

  test("a syntax error shows its line with a caret", async () => {
    // S14, R9
    const error = {
      name: "SyntaxError",
      message: "Unexpected token ';'",
      line: 2,
      column: 11,
      lineText: "\tconst b= ;",
    };
    expect((await lay(failed(error))).parts[0]).toContain(
      "SyntaxError: Unexpected token ';'\n    at codemode.js:2:11\n\n\tconst b= ;\n\t         ^\n\nNo tool",
    );
  });

  test("a name that other hosts have is answered with what there is instead", async () => {
    const error = {
      name: "ReferenceError",
      message: "require is not defined",
      stack: "ReferenceError: require is not defined",
    };
    expect((await lay(failed(error))).parts[0]).toContain("\nHint: there are no modules here");
    const dynamic = { name: "Error", message: "Not supported" };
    expect((await lay(failed(dynamic))).parts[0]).toContain("\nHint: there are no modules here");
    const other = { name: "ReferenceError", message: "x is not defined" };
    expect((await lay(failed(other))).parts[0]).not.toContain("Hint");
  });

  test("a script that waits for ever is told of the rejection that nobody handled", async () => {
    const error = {
      message: "The script is waiting on a promise that can never settle: nothing is pending.",
    };
    const lost = { kind: "unhandled-rejection", message: "Issue 9 not found" } as const;
    const told = (await lay({ ...failed(error), warnings: [lost] })).parts[0];
    expect(told).toContain(
      "\nHint: a promise was rejected before, and nothing handled it: Issue 9 not found\n",
    );
    expect((await lay(failed(error))).parts[0]).not.toContain("Hint");
    expect((await lay({ ...failed({}), warnings: [lost] })).parts[0]).not.toContain("Hint");
  });

  test("a long list of calls is cut and counted", async () => {
    const calls = Array.from({ length: 1000 }, (_, n): ScriptCall => ({
      id: `${n}`,
      name: "x",
      status: "ok",
      began: true,
    }));
    expect((await lay(failed({}, calls))).parts[0]).toMatch(/x \(ok\), and 800 more$/);
  });
});

describe("the budget", () => {
  // contract A12, S25, R18
  test("text over it keeps its start and end, and the file with all of it is named", async () => {
    const all = `${"a".repeat(50)}\n${"b".repeat(49)}`;
    const { parts, written, fullOutputPath } = await lay(done([], all), { maxOutputTokens: 10 });
    expect(parts).toEqual([
      `Warning: truncated output (original token count: 25)\nTotal output lines: 2\n\n${"a".repeat(20)}…15 tokens truncated…${"b".repeat(20)}\n\n[Full output: /files/1.txt (read with offset/limit)]`,
    ]);
    expect(written).toEqual([{ extension: ".txt", data: all, encoding: "utf8" }]);
    expect(fullOutputPath).toBe("/files/1.txt");
  });

  test("exactly the budget is not cut, zero cuts everything", async () => {
    expect((await lay(done([], "x".repeat(40)), { maxOutputTokens: 10 })).written).toEqual([]);
    expect((await lay(done([], "x"), { maxOutputTokens: 0 })).parts[0]).toContain("…1 tokens truncated…");
    const large = "x".repeat(DEFAULT_MAX_OUTPUT_TOKENS * 4);
    expect((await lay(done([], large))).written).toEqual([]);
    expect((await lay(done([], `${large}x`))).written).toHaveLength(1);
  });

  test("no character is cut in half", async () => {
    const { parts } = await lay(done([], "🦊".repeat(30)), { maxOutputTokens: 3 });
    expect(parts[0]?.isWellFormed()).toBe(true);
  });

  test("images follow a cut text", async () => {
    const { parts } = await lay(done([image, text("x".repeat(100))]), { maxOutputTokens: 5 });
    expect(parts[0]).toMatch(/^Warning: truncated[^]*\[Image saved to/);
    expect(parts[1]).toBe("<image/png>");
  });

  test("files that cannot be written cost nothing but the file", async () => {
    const files = {
      write: async (): Promise<string> => {
        throw new Error("disk full");
      },
    };
    const { parts, fullOutputPath } = await lay(done([image], "x".repeat(100)), {
      maxOutputTokens: 5,
      files,
    });
    expect(parts[0]).toContain("[Could not save the full output: disk full]");
    expect(parts[0]).toContain("[Image (image/png, 8B) could not be saved: disk full]");
    expect(fullOutputPath).toBeUndefined();
  });
});

test("a temporary file can be read by its owner only and never replaces one", async () => {
  // hostile 49
  const folder = await mkdtemp(join(tmpdir(), "output-"));
  try {
    const files = createTempFiles({ folder, id: () => "0123" });
    const path = await files.write(".png", PNG, "base64");
    expect(path).toBe(join(folder, "nestbox-codemode-0123.png"));
    expect(await readFile(path)).toHaveLength(8);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await expect(files.write(".png", PNG, "base64")).rejects.toThrow("EEXIST");
  } finally {
    await rm(folder, { recursive: true });
  }
});
