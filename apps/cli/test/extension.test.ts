import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, describe, expect, it } from "vitest";

import { fixtureTools, nestbox, nestboxProcess } from "./support/nestbox.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-extension-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const root = fileURLToPath(new URL("../../..", import.meta.url));

let count = 0;
/** An extension in a file of its own, from the body of its function. */
function extension(body: string, head = ""): string {
  const file = join(folder, `extension-${count++}.ts`);
  writeFileSync(
    file,
    `import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
${head}
const closed = { readOnlyHint: true, openWorldHint: false };
const tool = (name: string, execute: (params: any, ctx: any, signal: any) => unknown, more: object = {}) => ({
  name, label: name, description: \`Does \${name}.\`, parameters: { type: "object" }, annotations: closed,
  execute: async (_id: string, params: any, signal: any, _update: unknown, ctx: any) =>
    ({ content: [{ type: "text", text: JSON.stringify(await execute(params, ctx, signal)) ?? "nothing" }], details: {} }),
  ...more,
}) as any;
export default async (pi: ExtensionAPI) => { ${body} };
`,
  );
  return file;
}
const run = (file: string, code: string, ...more: readonly string[]) =>
  nestbox(["run", "--eval", code, "--extension", file, "--json", ...more]);

describe("nestbox run --extension", () => {
  it("lets a script reach the extension's tools, on top of the others", async () => {
    const file = extension(`pi.registerTool(tool("greet", ({ name }) => "hello " + name));`);
    const { report, stderr } = await run(
      file,
      `return [await tools.greet({ name: "Ada" }), (await tools.double({ n: 2 })).n]`,
      "--tools",
      fixtureTools,
    );
    expect(stderr).toBe("");
    expect(report).toMatchObject({ ok: true, value: ['"hello Ada"', 4] });
  });

  // contract A7
  it("judges them by their annotations, and by rules that name them", async () => {
    const file = extension(
      `pi.registerTool(tool("greet", () => "hello")); pi.registerTool(tool("deploy_site", () => "gone", { annotations: undefined }));`,
    );
    const asked = await run(file, `return await tools.deploy_site({})`);
    expect(asked.report.error).toMatchObject({ kind: "policy" });
    expect(asked.exitCode).toBe(3);
    const policy = join(folder, "no-greet.jsonc");
    writeFileSync(
      policy,
      JSON.stringify({ version: 1, rules: [{ id: "no-greet", effect: "deny", tool: "greet" }] }),
    );
    const denied = await run(file, `return await tools.greet({})`, "--policy", policy);
    expect(denied.report.calls).toMatchObject([{ name: "greet", decision: { rule: "no-greet" } }]);
  });

  // contract A15, A23
  it("has its guards see every call, also those that its tools make", async () => {
    const file = extension(`
      pi.registerTool(tool("outer", async (_p, ctx) => (await ctx.executeTool("inner", { secret: true })).result.content[0].text));
      pi.registerTool(tool("inner", () => "ran", { exposure: "codemode" }));
      pi.on("tool_call", (event, ctx) => (event.input as any).secret ? { block: true, reason: "no secrets " + event.toolCallId + " " + ctx.hasUI } : undefined);
      pi.on("tool_result", (event) => event.toolName === "outer" ? { content: [{ type: "text", text: "seen: " + (event.content[0] as any).text }] } : undefined);`);
    const { report } = await run(file, `return [await tools.outer({}), await tools.inner({})]`);
    expect(report).toMatchObject({ ok: true, value: ['seen: "no secrets run/1/1 false"', '"ran"'] });
  });

  it("gives its tools Pi's context as far as it goes: no UI, no trust, and what needs a session says so", async () => {
    const file = extension(`
      pi.registerTool(tool("look", async (_p, ctx) => [ctx.cwd, ctx.hasUI, ctx.mode, ctx.isProjectTrusted(), await ctx.ui.confirm("a", "b"), await ctx.ui.select("a", ["b"]) ?? null]));
      pi.registerTool(tool("entries", (_p, ctx) => ctx.sessionManager.getEntries()));
      pi.registerTool(tool("models", (_p, ctx) => ctx.modelRegistry.getAll()));
      pi.registerTool(tool("send", () => pi.sendMessage({ customType: "x", content: "y", display: true })));
      pi.registerTool(tool("list", () => [pi.getAllTools().map((one) => one.name).includes("look"), pi.getFlag("depth")]));
      pi.registerFlag("depth", { type: "string", default: "3" });
      pi.registerTool(tool("exec", async () => (await pi.exec("node", ["-p", "6*7"])).stdout.trim()));`);
    const code = `const answer = async (name) => { const { result } = await ctx.executeTool(name, {}); return result.content[0].text; };
      return { look: JSON.parse(await answer("look")), entries: await answer("entries"), models: await answer("models"), send: await answer("send"), list: JSON.parse(await answer("list")), exec: await answer("exec") };`;
    const { report } = await run(file, code, "--cwd", folder);
    expect(report.value).toEqual({
      look: [folder, false, "print", false, false, null],
      entries: "[]",
      models: expect.stringContaining("ctx.modelRegistry needs a session of Pi"),
      send: expect.stringContaining("pi.sendMessage needs a session of Pi"),
      list: [true, "3"],
      exec: '"42"',
    });
  });

  // contract A16
  it("tells it of every call, as Pi does", async () => {
    const file = extension(`
      const seen: string[] = [];
      pi.on("tool_execution_start", (event: any) => { seen.push("start " + event.toolCallId + " " + event.parentToolCallId); });
      pi.on("tool_execution_end", (event: any) => { seen.push("end " + event.toolCallId + " " + event.isError); });
      pi.registerTool(tool("seen", () => seen));`);
    const { report } = await run(file, `await tools.seen({}); return JSON.parse(await tools.seen({}))`);
    expect(report.value).toEqual(["start run/1 run", "end run/1 false", "start run/2 run"]);
  });

  it("names once what it accepts without effect, and says nothing of what only draws", async () => {
    const file = extension(`
      pi.registerCommand("x", { handler: async () => {} }); pi.registerToolRenderer((_n, next) => next());
      pi.registerProvider("x", {}); pi.registerProvider("y", {});
      pi.registerTool(tool("greet", () => "hello"));`);
    const { stderr, report } = await run(file, `return await tools.greet({})`);
    expect(stderr.trim().split("\n")).toEqual([
      `nestbox: --extension ${file}: pi.registerProvider has no effect outside Pi`,
    ]);
    expect(report.ok).toBe(true);
  });

  it("tells it when the session starts and ends, and takes tools that come late", async () => {
    const file = extension(`
      pi.on("session_start", (event, ctx) => { pi.registerTool(tool("late", () => [event.reason, ctx.cwd])); });
      pi.on("session_shutdown", (event, ctx) => ctx.ui.notify("bye: " + event.reason));
      pi.on("session_start", () => { throw new Error("no luck"); });`);
    const { report, stderr } = await run(file, `return JSON.parse(await tools.late({}))`, "--cwd", folder);
    expect(report.value).toEqual(["startup", folder]);
    expect(stderr).toContain("session_start: no luck");
    expect(stderr).toContain("bye: quit");
  });

  it("has a bus that its extensions share", async () => {
    const hears = extension(
      `let heard = "nothing"; pi.events.on("news", (data) => { heard = String(data); }); pi.registerTool(tool("heard", () => heard));`,
    );
    const tells = extension(`pi.on("session_start", () => pi.events.emit("news", "rain"));`);
    const { report } = await run(hears, `return await tools.heard({})`, "--extension", tells);
    expect(report.value).toBe('"rain"');
  });

  it("takes TypeScript of any kind and the modules that Pi brings", async () => {
    const file = extension(
      `pi.registerTool(tool("mood", () => [Mood.Good, Type.String().type]));`,
      `import { Type } from "typebox"; enum Mood { Good = "good" }`,
    );
    const { report } = await run(file, `return JSON.parse(await tools.mood({}))`);
    expect(report.value).toEqual(["good", "string"]);
  });

  it("takes a folder: what its manifest lists, else its index", async () => {
    const place = join(folder, "packaged");
    mkdirSync(join(place, "src"), { recursive: true });
    const source = (name: string) =>
      `export default (pi) => pi.registerTool({ name: "${name}", label: "x", description: "Does it.", parameters: { type: "object" }, execute: async () => ({ content: [], details: {} }) });`;
    writeFileSync(join(place, "index.js"), source("from_index"));
    const names = async () =>
      (
        (await nestbox(["tools", "--extension", place, "--json"])).json as { tools: { name: string }[] }
      ).tools.map(({ name }) => name);
    expect(await names()).toContain("from_index");
    writeFileSync(join(place, "src/a.js"), source("from_manifest"));
    writeFileSync(
      join(place, "package.json"),
      `{ "type": "module", "pi": { "extensions": ["./src/a.js"] } }`,
    );
    expect(await names()).toEqual(expect.arrayContaining(["from_manifest"]));
    expect(await names()).not.toContain("from_index");
  });

  it("keeps the name of a review tool that it brings itself", async () => {
    const file = extension(`pi.registerTool(tool("run_checks", () => "mine"));`);
    expect((await run(file, `return await tools.run_checks({})`)).report.value).toBe('"mine"');
  });

  it.each([
    ["that is not there", () => join(folder, "nowhere.ts"), /there is no such file or folder/],
    ["in a folder without one", () => folder, /the folder has no extension/],
    [
      "that exports no function",
      () => write("plain.ts", "export default {};"),
      /default export is no function/,
    ],
    ["that throws", () => extension(`throw new Error("not today");`), /while it was loaded: not today/],
    [
      "that imports what is not there",
      () => write("lost.ts", `import "no-such-package"; export default () => {};`),
      /cannot be loaded: Cannot find .*no-such-package/,
    ],
    [
      "with a tool that is none",
      () => extension(`pi.registerTool({ name: "x", description: "x", parameters: {} } as any);`),
      /Tool "x" has no execute function/,
    ],
    // contract B1
    [
      "with the name of another's tool",
      () => extension(`pi.registerTool(tool("double", () => 1));`),
      /"double" of module .*already registered by extension/,
    ],
  ])("refuses one %s, and says why", async (_title, make, message) => {
    const { exitCode, stderr } = await run(make(), "return 1", "--tools", fixtureTools);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(exitCode).toBe(2);
  });

  it("is refused where a config file is only found", async () => {
    const file = extension("");
    const config = write("nestbox.config.jsonc", JSON.stringify({ extension: [file] }));
    const found = await nestboxProcess(["run", "--eval", "1"], "", { cwd: folder });
    expect(found.stderr).toMatch(/names extension.*--config/);
    expect(found.exitCode).toBe(2);
    expect((await nestbox(["run", "--eval", "return 1", "--config", config, "--json"])).report.ok).toBe(true);
  });

  it("does not keep the command from ending when it leaves something running", async () => {
    const file = extension(`setInterval(() => {}, 1_000); pi.registerTool(tool("greet", () => "hello"));`);
    const long = await nestboxProcess(
      ["run", "--eval", `return (await tools.greet({})).repeat(100_000)`, "--extension", file],
      "",
    );
    expect(long.exitCode).toBe(0);
    expect(long.stdout).toBe(`${'"hello"'.repeat(100_000)}\n`);
  });

  it("serves the examples: the weather tool, and a guard with a policy of its own", async () => {
    const weather = await nestboxProcess([
      "describe",
      "weather",
      "--extension",
      join(root, "examples/weather/src/extension.ts"),
    ]);
    expect([weather.stderr, weather.exitCode]).toEqual(["", 0]);
    expect(weather.stdout).toContain("weather(");
    // The guard's tool leaves the work to Pi's bash, which is not there outside Pi: another one stands in.
    const bash = write(
      "bash.mjs",
      `export default [{ name: "bash", description: "Runs.", parameters: { type: "object" }, annotations: { readOnlyHint: true, openWorldHint: false }, execute: async (_id, { command }) => ({ content: [{ type: "text", text: "would run " + command }], details: {} }) }];`,
    );
    const policy = write(
      "everything.jsonc",
      `{ "version": 1, "rules": [{ "id": "everything", "effect": "allow", "tool": "*" }] }`,
    );
    const published = await nestboxProcess([
      "run",
      "--tools",
      bash,
      "--policy",
      policy,
      "--cwd",
      folder,
      "--extension",
      join(root, "examples/guard/src/extension.ts"),
      "--eval",
      `const told = async (args) => (await ctx.executeTool("publish_branch", args)).result.content[0].text;
       return [await told({ branch: "main" }), await told({ branch: "main", force: true })].join(" ");`,
    ]);
    // The person's policy allows it; the guard of the extension has the last word, and nobody is there to ask.
    expect(published.stdout).toMatch(/\(others-see-it, user\)[^]*rule git\.force-push/);
    expect(published.stdout).not.toContain("would run");
  });
});

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}
