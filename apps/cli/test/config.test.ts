import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";

import { afterAll, afterEach, describe, expect, it, vi } from "vitest";

import { configSchema } from "../src/config/schema.ts";
import { withConfig } from "../src/config/with-config.ts";
import { main } from "../src/program.ts";
import { fixtureTools, nestbox } from "./support/nestbox.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => void vi.restoreAllMocks());

let count = 0;
/** A folder with a config file, in which the command is started. */
function startIn(config: unknown): string {
  const place = join(folder, `place-${count++}`);
  mkdirSync(place);
  writeFileSync(
    join(place, "nestbox.config.jsonc"),
    typeof config === "string" ? config : JSON.stringify(config),
  );
  vi.spyOn(process, "cwd").mockReturnValue(place);
  return place;
}

describe("nestbox.config.jsonc", () => {
  it("has a JSON Schema for editors that says what is checked", () => {
    const file = fileURLToPath(new URL("../nestbox.config.schema.json", import.meta.url));
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(configSchema);
  });

  it("gives defaults, and the command line has the last word", async () => {
    startIn(`{ "timeoutMs": 300, // soon\n }`);
    const args = ["run", "--eval", "await tools.hang({})", "--tools", fixtureTools, "--json"];
    expect((await nestbox(args)).report.error).toMatchObject({
      kind: "timeout",
      message: expect.stringContaining("300"),
    });
    expect((await nestbox([...args, "--timeout-ms", "400"])).report.error).toMatchObject({
      message: expect.stringContaining("400"),
    });
  });

  it("starts nothing where it is only found: tools and node count when the file is named", async () => {
    const place = startIn({ tools: ["./tools.mjs"] });
    writeFileSync(
      join(place, "tools.mjs"),
      `export default [{ name: "greet", description: "Greets.", parameters: { type: "object" }, annotations: { readOnlyHint: true, openWorldHint: false }, execute: async () => ({ content: [{ type: "text", text: "hello" }], details: {} }) }];`,
    );
    const found = await nestbox(["tools"]);
    expect(found.stderr).toMatch(/names tools.*all of your rights.*--config nestbox\.config\.jsonc/);
    expect(found.exitCode).toBe(2);
    const named = await nestbox([
      "run",
      "--eval",
      "return tools.greet({})",
      "--config",
      "nestbox.config.jsonc",
      "--json",
    ]);
    expect(named.report).toMatchObject({ ok: true, value: "hello" });
    startIn({ node: "./evil" });
    expect((await nestbox(["run", "--eval", "1"])).stderr).toContain("names node");
    // What is not used need not be trusted.
    startIn({ tools: ["./tools.mjs"] });
    expect((await nestbox(["tools", "--tools", fixtureTools])).exitCode).toBe(0);
  });

  it("loosens nothing where it is only found: its policy is the project's", async () => {
    const place = startIn({ policy: ["policy.jsonc"] });
    writeFileSync(
      join(place, "policy.jsonc"),
      JSON.stringify({
        version: 1,
        rules: [
          { id: "all", effect: "allow", tool: "*" },
          { id: "no-doubles", effect: "deny", tool: "double" },
        ],
      }),
    );
    const code = `const one = async (name, args) => (await ctx.executeTool(name, args)).isError; return [await one("deploy", {}), await one("double", { n: 1 })]`;
    const args = ["run", "--eval", code, "--tools", fixtureTools, "--json"];
    // A project tightens, and does not allow what would be asked about.
    expect((await nestbox(args)).report.value).toEqual([true, true]);
    // Named by the person it is the person's.
    expect((await nestbox([...args, "--config", "nestbox.config.jsonc"])).report.value).toEqual([
      false,
      true,
    ]);
    // Files of the command line lie over it, and do not take its rules away.
    const own = join(place, "own.jsonc");
    writeFileSync(
      own,
      JSON.stringify({ version: 1, rules: [{ id: "mine", effect: "allow", tool: "deploy" }] }),
    );
    expect((await nestbox([...args, "--policy", own])).report.value).toEqual([false, true]);
  });

  it("is told apart where a hint would have a rule put into it that does not count", async () => {
    const place = startIn({ policy: ["policy.jsonc"] });
    const allow = (tool: string): void =>
      writeFileSync(
        join(place, "policy.jsonc"),
        JSON.stringify({ version: 1, rules: [{ id: "mine", effect: "allow", tool }] }),
      );
    const args = ["run", "--eval", "return tools.deploy({})", "--tools", fixtureTools];
    allow("deploy");
    const { stderr, exitCode } = await nestbox(args);
    expect(exitCode).toBe(3);
    expect(stderr).toContain("say --config nestbox.config.jsonc or --policy policy.jsonc: ");
    // The very rule is there already.
    expect(stderr).not.toMatch(/add this|"effect"/);
    for (const said of ["--config nestbox.config.jsonc", `--policy ${join(place, "policy.jsonc")}`])
      expect((await nestbox([...args, ...said.split(" ")])).exitCode).toBe(0);
    allow("another");
    expect((await nestbox(args)).stderr).toMatch(
      /--config nestbox\.config\.jsonc[^]*add this to `rules` in it:\n +\{"id":"allow-deploy"/,
    );
  });

  it("gives no script more memory where it is only found, and less in any case", async () => {
    const place = startIn({ memoryMb: 2_048 });
    const hungry =
      "const all = []; for (let i = 0; i < 40; i++) all.push(new Array(1_000_000).fill(i)); return all.length";
    const args = ["run", "--eval", hungry, "--tools", fixtureTools, "--json"];
    const found = await nestbox(args);
    expect(found.stderr).toMatch(/2048 MB of memory, more than the 256 .*--config nestbox\.config\.jsonc/);
    expect(found.exitCode).toBe(2);
    expect((await nestbox([...args, "--config", "nestbox.config.jsonc"])).report.value).toBe(40);
    // What is not used need not be trusted.
    expect((await nestbox([...args, "--memory-mb", "64"])).report.error).toMatchObject({ kind: "memory" });
    writeFileSync(join(place, "nestbox.config.jsonc"), JSON.stringify({ memoryMb: 64 }));
    expect((await nestbox(args)).report.error).toMatchObject({ kind: "memory" });
  });

  it.each([
    ["a mistake in the JSON", `{ "timeoutMs": \n nope }`, /nestbox\.config\.jsonc:2: /],
    ["an unknown key", { timeout: 1 }, /timeout/],
    ["a wrong value", { timeoutMs: "soon" }, /timeoutMs/],
  ])("with %s is refused with the place", async (_title, config, message) => {
    startIn(config);
    const { exitCode, stderr } = await nestbox(["tools"]);
    expect(stderr).toMatch(message);
    expect(exitCode).toBe(2);
  });

  it("is named where a policy that it names is missing", async () => {
    startIn({ policy: ["gone.jsonc"] });
    const code = ["run", "--eval", "return 1"];
    const found = await nestbox(code);
    expect(found.stderr).toMatch(
      /gone\.jsonc \(named in nestbox\.config\.jsonc\): there is no such file\. Make it, or take it out of there\./,
    );
    expect(found.exitCode).toBe(2);
    expect((await nestbox([...code, "--policy", "mine.jsonc"])).stderr).toContain(
      "Policy mine.jsonc: there is no such file.",
    );
  });

  it.each([
    [
      "a name that is misspelt",
      '{\n "polcy": [] }',
      ':2: "polcy" is no field of it; perhaps policy is meant.',
    ],
    [
      "a name in other case",
      '{ "timeoutms": 5 }',
      ':1: "timeoutms" is no field of it; perhaps timeoutMs is meant.',
    ],
    [
      "a name that is like none",
      '{ "trace": 3 }',
      ':1: "trace" is no field of it; there are tools, extension, ',
    ],
    [
      "a name that an object has anyway",
      '{ "__proto__": { "timeoutMs": 5 } }',
      ':1: "__proto__" is no field',
    ],
    [
      "a name of the fleet",
      '{ "fleet": {\n "engin": "dbos" } }',
      ':2: "engin" is no field of it; perhaps engine',
    ],
    [
      "a name that stands twice",
      '{ "timeoutMs": 5,\n "timeoutMs": 6 }',
      ':2: "timeoutMs" stands there twice.',
    ],
    ["a value of another type", '{\n\n "policy": ["a",\n 5] }', ":4: policy.1 expected string, got integer."],
    ["nothing", "", ":1: a value has to stand here."],
  ])("is refused with its line: %s", async (_what, text, told) => {
    startIn(text);
    const { exitCode, stderr } = await nestbox(["run", "--eval", "return 1"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`nestbox: Config nestbox.config.jsonc${told}`);
  });

  it("may begin with a byte order mark, as some editors write it", async () => {
    startIn('\uFEFF{ "timeoutMs": 60000 }');
    expect((await nestbox(["run", "--eval", "return 1", "--json"])).report.value).toBe(1);
  });

  it("names modules beside it with or without ./, and says which it does not find", async () => {
    const place = startIn({ tools: ["tools.mjs"] });
    writeFileSync(
      join(place, "tools.mjs"),
      `export default [{ name: "hail", label: "Hail", description: "Hails.", parameters: { type: "object" },
        annotations: { readOnlyHint: true, openWorldHint: false },
        execute: async () => ({ content: [{ type: "text", text: "hail" }], details: {} }) }];`,
    );
    const named = ["--config", "nestbox.config.jsonc"];
    const { report } = await nestbox(["run", "-e", "return tools.hail({})", ...named, "--json"]);
    expect(report).toMatchObject({ ok: true, value: "hail" });
    startIn({ tools: ["nowhere.ts"] });
    expect((await nestbox(["run", "-e", "return 1", ...named])).stderr).toBe(
      "nestbox: --tools nowhere.ts: there is no such file, and no package of that name beside nestbox.\n",
    );
  });

  it("that is named has to be there", async () => {
    const { stderr, exitCode } = await nestbox(["tools", "--config", "nowhere.jsonc"]);
    expect(stderr).toMatch(/nowhere\.jsonc: there is no such file/);
    expect(exitCode).toBe(2);
  });

  it("may be somewhere else: its paths are relative to itself", () => {
    const place = startIn({ tools: ["./a.mjs", "a-package"], policy: ["p.jsonc"] });
    vi.restoreAllMocks();
    const options = withConfig({ config: join(place, "nestbox.config.jsonc") }, folder);
    expect(options.tools).toEqual([join(place, "a.mjs"), "a-package"]);
    expect(options.policyFiles).toEqual({
      policy: [join(place, "p.jsonc")],
      configured: { file: join(place, "nestbox.config.jsonc"), paths: [join(place, "p.jsonc")] },
    });
  });
});

describe("nestbox run --watch", () => {
  it("runs again after a change, tells of mistakes and goes on, until it is interrupted", async () => {
    const script = join(folder, "watched.js");
    writeFileSync(script, "return 'first'");
    const stop = new AbortController();
    const stdout = new PassThrough({ encoding: "utf8" });
    const stderr = new PassThrough({ encoding: "utf8" });
    let said = "";
    const read = (text: string): void => void (said += text);
    stdout.on("data", read);
    stderr.on("data", read);
    const until = (pattern: RegExp) =>
      vi.waitFor(() => expect(said).toMatch(pattern), { timeout: 30_000, interval: 50 });
    const ended = main(
      ["run", script, "--tools", fixtureTools, "--watch"],
      { stdin: new PassThrough(), stdout, stderr },
      stop.signal,
    );
    await until(/first[^]*waiting for a change/);
    said = "";
    writeFileSync(script, "return ]");
    await until(/SyntaxError[^]*waiting for a change/);
    said = "";
    // A run that goes on is stopped by the next change.
    writeFileSync(script, "await tools.hang({})");
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    writeFileSync(script, "return 'last'");
    await until(/last\n/);
    stop.abort();
    expect(await ended).toBe(130);
  });

  it("needs a file", async () => {
    const { exitCode, stderr } = await nestbox(["run", "-", "--watch"]);
    expect(stderr).toMatch(/--watch needs a script in a file/);
    expect(exitCode).toBe(2);
  });
});
