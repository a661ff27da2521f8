import { spawn } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { fileURLToPath } from "node:url";

import { readTrace } from "@nestbox/calls";
import { afterAll, describe, expect, it } from "vitest";

import { main } from "../src/program.ts";
import { nestbox, runScript } from "./support/nestbox.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-trace-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const place = (name: string): string => join(folder, name);
const program = fileURLToPath(new URL("../src/main.ts", import.meta.url));

async function traced(name: string, code: string): Promise<string> {
  const trace = place(name);
  await runScript(code, "--trace", trace);
  return trace;
}

describe("the trace of a run", () => {
  it("has the script, the line of each call, what came back, the output, the limits and how it ended", async () => {
    const file = await traced(
      "whole.json",
      `// @options: {"timeout_ms": 60000}\nconst a = await tools.double({ n: 1 });\ntext("said");\nconsole.log("told");\nreturn [a, await tools.double({ n: 2 })];`,
    );
    const read = readTrace(readFileSync(file, "utf8"));
    const trace = read.ok ? read.trace : undefined;
    expect(trace?.calls).toMatchObject([
      { name: "double", line: 2, status: "ok" },
      { name: "double", line: 5, status: "ok" },
    ]);
    expect(trace?.calls[1]?.result).toContain("4");
    expect(trace?.script).toMatchObject({
      name: "standard input",
      state: "ended",
      output: [
        { kind: "text", text: "said" },
        { kind: "console", text: "told" },
      ],
      outcome: { ok: true },
    });
    expect(trace?.script?.text.split("\n")[1]).toBe("const a = await tools.double({ n: 1 });");
    const limits = new Map(trace?.script?.limits.map((limit) => [limit.name, limit]));
    expect(limits.get("wall")).toMatchObject({ max: 60_000, used: expect.any(Number) });
    expect(limits.get("calls")).toMatchObject({ max: 100_000, used: 2 });
    expect(limits.get("memory")).toMatchObject({ max: 256 * 1024 * 1024 });
  });

  it("is there while the run goes on, whole at any time, and leaves nothing beside it", async () => {
    const file = place("live.json");
    const gate = place("go");
    const tools = place("waits.mjs");
    writeFileSync(
      tools,
      `import { existsSync } from "node:fs";
export default [{
  name: "wait", label: "Wait", description: "Waits for a file.", parameters: { type: "object" },
  annotations: { readOnlyHint: true, openWorldHint: false },
  async execute() {
    while (!existsSync(${JSON.stringify(gate)})) await new Promise((r) => setTimeout(r, 20));
    return { content: [{ type: "text", text: "went" }], details: {} };
  },
}];\n`,
    );
    const running = nestbox(
      ["run", "-", "--tools", tools, "--json", "--trace", file],
      "return await tools.wait({})",
    );
    await expect
      .poll(() => (existsSync(file) ? readTrace(readFileSync(file, "utf8")) : undefined), { timeout: 30_000 })
      .toMatchObject({
        ok: true,
        trace: { script: { state: "running" }, calls: [{ name: "wait", status: "running", line: 1 }] },
      });
    writeFileSync(gate, "");
    expect((await running).exitCode).toBe(0);
    expect(readTrace(readFileSync(file, "utf8"))).toMatchObject({
      ok: true,
      trace: { script: { state: "ended" }, calls: [{ status: "ok" }] },
    });
    expect(readdirSync(folder).filter((name) => name.startsWith("live.json"))).toEqual(["live.json"]);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it("that cannot be written is told before anything runs; a link stays a link", async () => {
    const { exitCode, report } = await runScript("text('ran')", "--trace", place("none/trace.json"));
    expect(exitCode).toBe(2);
    expect(report).toMatchObject({
      error: { message: expect.stringContaining("it cannot be written (ENOENT)") },
    });
    writeFileSync(place("target.json"), "");
    symlinkSync(place("target.json"), place("link.json"));
    await traced("link.json", "return 1");
    expect(readTrace(readFileSync(place("target.json"), "utf8")).ok).toBe(true);
  });
});

describe("nestbox trace export", () => {
  it("writes one page with the runs, for its owner alone, and over nothing", async () => {
    const file = await traced("page.json", "return await tools.double({ n: 21 })");
    const page = place("page.html");
    const first = await nestbox(["trace", "export", file, file, "-o", page, "--json"]);
    expect(first.json).toMatchObject({ ok: true, file: page });
    const html = readFileSync(page, "utf8");
    expect(html).toMatch(/^<!doctype html>/);
    const data = /<script type="application\/json" id="trace-data">(.*)<\/script>/.exec(html)?.[1] ?? "{}";
    expect(JSON.parse(data)).toMatchObject({
      runs: [{ calls: [{ name: "double" }] }, { name: "page.json" }],
    });
    expect(statSync(page).mode & 0o077).toBe(0);
    const second = await nestbox(["trace", "export", file, "-o", page]);
    expect(second).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--force writes over it") });
    expect((await nestbox(["trace", "export", file, "-o", page, "--force"])).exitCode).toBe(0);
  });

  it("says what is wrong with a file, as it was named", async () => {
    writeFileSync(place("text.json"), "no");
    const say = async (...words: string[]): Promise<string> => (await nestbox(["trace", ...words])).stderr;
    expect(await say("export", "none.json", "-o", place("n.html"))).toContain(
      "none.json: there is no such file.",
    );
    expect(await say("export", place("text.json"), "-o", place("n.html"))).toContain("it is no JSON.");
    expect(await say("open", "none.json")).toContain("none.json: there is no such file.");
    const many = Array.from({ length: 21 }, () => place("page.json"));
    expect(await say("open", ...many)).toContain("Between 1 and 20 traces");
    expect(existsSync(place("n.html"))).toBe(false);
  });
});

describe("nestbox trace open", () => {
  it("serves the page at the address it prints, until it is interrupted", async () => {
    const file = await traced("open.json", "return 1");
    const child = spawn(process.execPath, ["--conditions=@nestbox/source", program, "trace", "open", file], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const exited = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
    let told = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (told += text));
    try {
      await expect
        .poll(() => told, { timeout: 50_000 })
        .toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/\n$/);
      const response = await fetch(told.trim());
      expect(response.status).toBe(200);
      expect(await response.text()).toContain("<title>Trace: open.json</title>");
    } finally {
      child.kill("SIGINT");
    }
    expect(await exited).toBe(0);
  });

  it("says what to do when its port is taken", async () => {
    const file = await traced("port.json", "return 1");
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    const { exitCode, stderr } = await nestbox(["trace", "open", file, "--port", `${port}`]);
    taken.close();
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`Port ${port} is in use by another program`);
    expect(stderr).toContain("--port 0 lets the system choose");
  });

  it("gives its address as JSON, and ends with its signal", async () => {
    const file = await traced("json.json", "return 1");
    const stop = new AbortController();
    const stdout = new PassThrough();
    let told = "";
    stdout.setEncoding("utf8").on("data", (text: string) => {
      told += text;
      stop.abort();
    });
    const streams = { stdin: Readable.from([]), stdout, stderr: new PassThrough() };
    expect(await main(["trace", "open", file, "--json"], streams, stop.signal)).toBe(0);
    expect(JSON.parse(told)).toMatchObject({
      ok: true,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/),
    });
  });
});
