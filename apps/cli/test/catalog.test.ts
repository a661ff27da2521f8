import { describe, expect, it } from "vitest";

import { fixtureTools, nestbox } from "./support/nestbox.ts";

const tools = ["--tools", fixtureTools];

describe("nestbox tools", () => {
  it("lists the review tools by namespace, one line each", async () => {
    const { exitCode, stdout } = await nestbox(["tools"]);
    expect(stdout).toMatch(/^review {2}Review a change/);
    // contract A3
    for (const [name, exposure] of [
      ["run_checks", "direct"],
      ["failing_tests", "direct"],
      ["collect_diff", "codemode"],
      ["dangerous_commands", "deferred"],
      ["review_diff", "direct"],
    ])
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +${exposure} +\\S`, "m"));
    expect(exitCode).toBe(0);
  });

  // contract A1
  it("lists a module's tools for programs, and not the hidden ones", async () => {
    const { json } = await nestbox(["tools", ...tools, "--json"]);
    expect(json).toMatchObject({
      ok: true,
      tools: expect.arrayContaining([
        {
          name: "double",
          identifier: "double",
          namespace: null,
          exposure: "direct",
          description: "Doubles a number.",
          annotations: { readOnlyHint: true, openWorldHint: false },
        },
        expect.objectContaining({ name: "later", namespace: "misc", exposure: "deferred" }),
      ]),
    });
    expect(JSON.stringify(json)).not.toContain("secret_tool");
  });
});

describe("nestbox search", () => {
  it("finds what a script would find, the deferred ones too", async () => {
    const { exitCode, json, stdout } = await nestbox([
      "search",
      "found by search",
      ...tools,
      "--json",
      "--limit",
      "1",
    ]);
    expect(json).toMatchObject({ ok: true, query: "found by search", results: [{ name: "later" }] });
    expect(stdout).toContain("declare const tools: { later(");
    expect(exitCode).toBe(0);
  });

  it("gives a person a line for each, and with --long the declarations", async () => {
    const { stdout } = await nestbox(["search", "diff", "--limit", "2"]);
    expect(stdout).toMatch(/^review_diff +review +Reviews the changes.*\n\w+ +review +\S.*\n$/);
    const long = await nestbox(["search", "found by search", ...tools, "--limit", "1", "--long"]);
    expect(long.stdout).toContain("declare const tools: { later(");
  });

  it("keeps to a namespace", async () => {
    const { json } = await nestbox(["search", "doubles a number", ...tools, "--namespace", "misc", "--json"]);
    expect(JSON.stringify(json)).not.toContain('"double"');
  });

  it("ends with exit code 1 when nothing is found", async () => {
    const { exitCode, stdout, stderr } = await nestbox(["search", "zzzzqqq", ...tools]);
    expect(stdout).toBe("");
    expect(stderr).toContain("nestbox tools");
    expect(exitCode).toBe(1);
  });
});

describe("nestbox describe", () => {
  it("shows a tool's declaration, and its schemas for programs", async () => {
    const { stdout } = await nestbox(["describe", "double", ...tools]);
    expect(stdout).toMatch(/^Doubles a number\.[^]*double\(args: \{[^]*n: number/);
    const { json } = await nestbox(["describe", "double", ...tools, "--json"]);
    expect(json).toMatchObject({ kind: "tool", name: "double", parameters: { required: ["n"] } });
  });

  // contract A21
  it("shows the guidance of a namespace", async () => {
    const { stdout } = await nestbox(["describe", "misc", ...tools]);
    expect(stdout).toBe("misc: This and that\n\nAsk first.\n\nTools: later\n");
  });

  it("says of an unknown name what is near, and of an unreachable one why", async () => {
    const unknown = await nestbox(["describe", "doubler", ...tools]);
    expect(unknown.stderr).toMatch(/no tool or namespace "doubler".*double/);
    expect(unknown.exitCode).toBe(2);
    const unreachable = await nestbox(["describe", "only_the_model", ...tools]);
    expect(unreachable.stderr).toMatch(/only_the_model is model-only: scripts cannot call it/);
  });
});

describe("nestbox check", () => {
  it("finds a wrong argument with its place, and runs nothing", async () => {
    const script = "await tools.deploy({});\nreturn tools.double({ m: 1 })";
    const { exitCode, stdout } = await nestbox(["check", "-", ...tools], script);
    expect(stdout).toMatch(/^standard input:2:23: .*'m'/);
    expect(stdout).toContain("  return tools.double({ m: 1 })\n");
    expect(exitCode).toBe(1);
    const { json } = await nestbox(["check", "-", ...tools, "--json"], script);
    expect(json).toMatchObject({ ok: false, kind: "faulty", diagnostics: [{ line: 2, column: 23 }] });
  });

  it("passes a script that fits", async () => {
    const { exitCode, stdout, stderr } = await nestbox(
      ["check", "-", ...tools],
      "const { n } = await tools.double({ n: 1 });\nreturn n * 2",
    );
    expect(stdout + stderr).toBe("");
    expect(exitCode).toBe(0);
  });

  it("ends with exit code 5 where it could not check", async () => {
    const { exitCode, json, stderr } = await nestbox(
      ["check", "-", ...tools, "--json", "--timeout-ms", "1"],
      "return 1",
    );
    expect(json).toMatchObject({ ok: false, kind: "not-checked", reason: expect.stringContaining("1 ms") });
    expect(stderr).toBe("");
    expect(exitCode).toBe(5);
  });
});
