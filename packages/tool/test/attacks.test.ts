import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileSchema, truncateText } from "@nestbox/tool";
import { readInside, resolveInside, runCommand } from "@nestbox/tool/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { measure } from "../src/truncate.ts";

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "nestbox-attacks-")));
  mkdirSync(join(root, "project/dir"), { recursive: true });
  writeFileSync(join(root, "outside"), "secret");
  writeFileSync(join(root, "project/file"), "inside");
  symlinkSync("../outside", join(root, "project/out"));
  symlinkSync("loop", join(root, "project/loop"));
  symlinkSync("/proc/self/root", join(root, "project/slash"));
  symlinkSync("/dev/zero", join(root, "project/zero"));
  symlinkSync("/proc/self/fd/0", join(root, "project/stdin"));
  symlinkSync("..", join(root, "project/up"));
  symlinkSync("../project/file", join(root, "project/round"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

// contract B8
describe("a path of a model's", () => {
  it.each([
    "../outside",
    "dir/../../outside",
    "dir/../../../etc/passwd",
    "..",
    "dir/..",
    "./../outside",
    "a\\..\\..\\outside",
    "/etc/passwd",
    "//etc/passwd",
    "\\etc",
    "C:\\x",
    "c:x",
    "~",
    "~/x",
    "~\\x",
    "",
    " ",
    "\t",
    "file\0",
    "file\n",
    "file\u007f",
    "a".repeat(5_000),
    "out",
    "out/",
    "loop",
    "loop/x",
    "slash",
    "slash/etc/passwd",
    "zero",
    "stdin",
    "up",
    "up/outside",
    "up/project/../outside",
    "file/x",
    "file/",
    "file/..",
  ])("%j leads nowhere outside", async (path) => {
    const project = join(root, "project");
    const found = await resolveInside(project, path);
    // What is allowed to be looked at is inside, and what is read of it is no secret.
    const harmless =
      found.kind === "inside"
        ? found.path === project || found.path.startsWith(`${project}/`)
        : !found.message.includes(root);
    expect(harmless).toBe(true);
    const read = await readInside(project, path).catch((error: unknown) => String(error));
    expect(read).not.toContain("secret");
    expect(read).not.toMatch(/root:.*:0:0/);
  });

  it.each(["file", "./file", "dir/./../file".replace("../", ""), "round"])("%j is inside", async (path) => {
    const found = await resolveInside(join(root, "project"), path);
    expect(found).toMatchObject({ kind: "inside" });
  });

  it.each([[undefined], [null], [7], [{}], [["file"]], [Symbol("file")]])(
    "that is no text, %o, is refused",
    async (path) => {
      expect(await resolveInside(root, path as unknown as string)).toMatchObject({ kind: "refused" });
    },
  );
});

describe("a schema, and a value for it", () => {
  const fits: readonly [title: string, schema: object, value: unknown, ok: boolean][] = [
    [
      "a recursive reference",
      { properties: { next: { $ref: "#" } }, additionalProperties: false },
      { next: { next: {} } },
      true,
    ],
    [
      "a recursive reference, broken deep down",
      { properties: { next: { $ref: "#" } }, additionalProperties: false },
      { next: { next: { x: 1 } } },
      false,
    ],
    [
      "a reference to another machine",
      { properties: { a: { $ref: "https://evil.example/schema.json" } } },
      { a: 1 },
      false,
    ],
    [
      "a reference to another machine, where nothing stands",
      { properties: { a: { $ref: "https://evil.example/schema.json" } } },
      {},
      true,
    ],
    ["a reference to nothing", { $ref: "#/$defs/gone" }, {}, false],
    [
      "definitions of an older draft",
      { definitions: { n: { type: "number" } }, properties: { a: { $ref: "#/definitions/n" } } },
      { a: "x" },
      false,
    ],
    ["all of", { allOf: [{ required: ["a"] }, { required: ["b"] }] }, { a: 1 }, false],
    ["one of, two of which fit", { oneOf: [{ type: "number" }, { minimum: 0 }] }, 1, false],
    ["not", { not: { required: ["a"] } }, { a: 1 }, false],
    [
      "if, then, else",
      JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}') as object,
      { a: 1 },
      false,
    ],
    [
      "closed, with a key __proto__",
      { properties: {}, additionalProperties: false },
      JSON.parse('{"__proto__":1}'),
      false,
    ],
    ["required __proto__, which every object has", { required: ["__proto__"] }, {}, false],
    ["required toString, which every object has", { required: ["toString"] }, {}, false],
    [
      "a property constructor that is not there",
      { properties: { constructor: { type: "number" } } },
      {},
      true,
    ],
    ["types in a list", { type: ["string", "null"] }, null, true],
    ["nullable of OpenAPI, which is no JSON Schema", { type: "string", nullable: true }, 7, false],
    ["a default that does not fit itself", { properties: { a: { type: "number", default: "x" } } }, {}, true],
    ["10,000 values", { enum: Array.from({ length: 10_000 }, (_, n) => n) }, 9_999, true],
    ["a constant that is an object", { const: { a: [1, { b: null }] } }, { a: [1, { b: null }] }, true],
    ["unique items", { uniqueItems: true }, [{ a: 1 }, { a: 1 }], false],
    ["a multiple of a fraction", { multipleOf: 0.1 }, 0.3, true],
    ["characters, not units", { maxLength: 1 }, "\u{1F600}", true],
    ["NaN", { type: "number" }, Number.NaN, false],
    ["infinity", { type: "number" }, Number.POSITIVE_INFINITY, false],
    ["an integer that is written as a fraction", { type: "integer" }, 1.0, true],
    ["a list where an object is due", { type: "object" }, [], false],
    ["null where an object is due", { type: "object" }, null, false],
    ["no object at all", {}, "anything", true],
  ];
  it.each(fits)("%s", (_title, schema, value, ok) => {
    expect(compileSchema(schema).check(value).ok).toBe(ok);
  });

  it.each<[string, object]>([
    ["an unknown type", { type: "strong" }],
    ["a type that is a number", { type: 7 }],
    ["properties that are a list", { properties: [] }],
    ["required that is a text", { required: "a" }],
    ["a regular expression that is none", { pattern: "[" }],
    ["an enum that is no list", { enum: "a" }],
    ["a negative length", { minLength: "x" }],
    ["an all of that is none", { allOf: {} }],
  ])("that is none, %s, is refused as a whole or refuses no less", (_title, schema) => {
    // Either way nothing throws but `bad-schema`, and nothing hangs.
    let code = "compiled";
    try {
      compileSchema(schema).check({ a: 1 });
    } catch (error) {
      code = (error as { code?: string }).code ?? "none";
    }
    expect(["compiled", "bad-schema"]).toContain(code);
  });

  it("coerces without touching what it was given, nor any prototype", () => {
    const value = JSON.parse(
      '{"n":"1","__proto__":{"polluted":"1"},"constructor":{"prototype":{"polluted":"1"}}}',
    ) as object;
    const before = JSON.stringify(value);
    compileSchema({ properties: { n: { type: "number" }, polluted: { type: "number" } } }).coerce(value);
    expect(JSON.stringify(value)).toBe(before);
    expect("polluted" in {}).toBe(false);
  });
});

// contract A12
describe("a text that is cut", () => {
  const texts: Readonly<Record<string, string>> = {
    "lone surrogates": "\ud800\udc00\ud800x\udc00".repeat(20_000),
    "carriage returns alone": "line\r".repeat(20_000),
    "both line ends": "line\r\n".repeat(20_000),
    "one line of 10 MB": "x".repeat(10_000_000),
    "one line of 10 MB and a last one": `${"x".repeat(10_000_000)}\nlast`,
    colours: "\u001b[31mred\u001b[0m\n".repeat(20_000),
    "four bytes each": "\u{1F600}".repeat(100_000),
    "joined people": "\u{1F468}\u200d\u{1F469}\u200d\u{1F467}".repeat(20_000),
    "combining marks": `a${"\u0301".repeat(100_000)}`,
    "marks that turn the text around": "\u202e\u2066".repeat(50_000),
    NUL: "\0".repeat(100_000),
    "only line feeds": "\n".repeat(100_000),
    "a byte order mark in each line": "\ufeffx\n".repeat(20_000),
    "other line separators": "a\u2028b\u2029".repeat(20_000),
    "what looks like its own marker": "[… 5 bytes in 1 line omitted …]\n".repeat(5_000),
  };
  it.each(Object.keys(texts))("%s", (title) => {
    const text = texts[title] ?? "";
    for (const keep of ["ends", "head", "tail"] as const) {
      const cut = truncateText(text, { keep });
      const { bytes, lines } = measure(cut.text);
      expect([cut.truncated, bytes <= 50 * 1024, lines <= 2_000]).toEqual([true, true, true]);
      expect(cut.text).toMatch(/\[… \d+ bytes in \d+ lines? omitted …\]/);
      // No character is cut in two: what was whole before is whole.
      expect(!text.isWellFormed() || (cut.text.isWellFormed() && !cut.text.includes("\ufffd"))).toBe(true);
    }
  });
});

// contract B9
describe("a command", () => {
  const run = (
    file: string,
    args: readonly string[] = [],
    more: Partial<Parameters<typeof runCommand>[2]> = {},
  ) => runCommand(file, args, { cwd: root, timeoutMs: 20_000, ...more });
  const node = (script: string) => run(process.execPath, ["-e", script]);

  it.each([
    ["a program that there is not", "no-such-program-at-all"],
    ["a folder", "/"],
    ["a file that may not be run", "/etc/passwd"],
    ["an empty name", ""],
    ["a name of spaces", "  "],
    ["a shell's line", "echo hi; echo there"],
    ["a substitution", "$(echo node)"],
    ["a name of 5,000 characters", "x".repeat(5_000)],
  ])("that is %s has failed to start, and says so", async (_title, file) => {
    expect(await run(file)).toMatchObject({ kind: "failed-to-start", stdout: "" });
  });

  it("with more arguments than the system takes has failed to start", async () => {
    const result = await run(process.execPath, ["-e", "0", "x".repeat(3_000_000)]);
    expect(result.kind).toBe("failed-to-start");
  });

  it("gets words as they are, whatever a shell would make of them", async () => {
    const words = [
      "$HOME",
      "`id`",
      "$(id)",
      "; id",
      "| id",
      "> x",
      "*",
      "~",
      "\\",
      "'",
      '"',
      "",
      " ",
      "\n",
      "-e",
      "--",
      "ünï",
      "\u{1F600}",
    ];
    const { stdout } = await run(process.execPath, [
      "-e",
      "process.stdout.write(JSON.stringify(process.argv.slice(1)))",
      "--",
      ...words,
    ]);
    expect(JSON.parse(stdout)).toEqual(words);
  });

  it.each(["A=B", "", "A\0B", "a b", "__proto__", "ünï", "1", "LD_PRELOAD", "NODE_OPTIONS"])(
    "with a variable called %j runs, or fails to start, and never throws",
    async (name) => {
      const env = Object.fromEntries([
        [name, name === "LD_PRELOAD" || name === "NODE_OPTIONS" ? "" : "value"],
      ]);
      const result = await run(process.execPath, ["-e", "process.stdout.write('ran')"], { env });
      expect(["exited", "failed-to-start"]).toContain(result.kind);
    },
  );

  it("that closes its output and runs on, or writes to a closed pipe, ends as it ended", async () => {
    expect(
      await node("require('fs').closeSync(1); require('fs').closeSync(2); process.exitCode = 3"),
    ).toMatchObject({ kind: "exited", exitCode: 3 });
    const ended = await run(process.execPath, ["-e", "process.stdin.destroy()"], {
      input: "x".repeat(5_000_000),
    });
    expect(ended).toMatchObject({ kind: "exited", exitCode: 0 });
  });

  it.each(["SIGTERM", "SIGKILL", "SIGSEGV", "SIGABRT"])("that ends by %s is told as that", async (signal) => {
    expect(await node(`process.kill(process.pid, "${signal}"); setTimeout(() => {}, 10_000)`)).toMatchObject({
      kind: "signaled",
      signal,
    });
  });

  it("whose output is no text is read without an error, byte for byte counted", async () => {
    const result = await node("process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x80, 0xc3]))");
    expect(result).toMatchObject({ kind: "exited", totalBytes: 5, truncated: false });
  });
});
