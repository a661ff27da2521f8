/** How the process of a command ends: what a person, a tool or a reader does to it. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { afterAll, describe, expect, it } from "vitest";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "nestbox-ends-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const tool = (name: string, body: string): string =>
  file(
    `${name}.mjs`,
    `export default [{ name: "${name}", label: "${name}", description: "Does it.",
       parameters: { type: "object" }, annotations: { readOnlyHint: true, openWorldHint: false },
       async execute(_id, _args, signal) { ${body}; return { content: [{ type: "text", text: "done" }], details: {} }; } }];`,
  );

function command(args: readonly string[], stdout: "pipe" | number = "pipe") {
  const child = spawn(process.execPath, ["--conditions=@nestbox/source", "--no-warnings", main, ...args], {
    cwd: folder,
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ["pipe", stdout, "pipe"],
  });
  const [, out, err] = child.stdio;
  const ended = Promise.withResolvers<number | NodeJS.Signals | null>();
  child.once("close", (code, signal) => ended.resolve(signal ?? code));
  return {
    child,
    begun: async (words: string): Promise<void> => {
      for await (const part of err as AsyncIterable<Buffer>) if (part.toString().includes(words)) return;
    },
    result: async () => {
      const [code, output, errors] = await Promise.all([
        ended.promise,
        out === null ? "" : text(out as NodeJS.ReadableStream),
        text(err as NodeJS.ReadableStream),
      ]);
      return { code, output, errors };
    },
    ended: ended.promise,
  };
}

describe("a command that is told to end", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "ends at %s while a module of tools loads",
    async (signal) => {
      const tools = file(
        `loads-${signal}.mjs`,
        `process.stderr.write("loading\\n"); await new Promise(() => setInterval(() => {}, 1_000)); export default [];`,
      );
      const { child, begun, ended } = command(["run", "--tools", tools, "-e", "return 1"]);
      await begun("loading");
      child.kill(signal);
      expect(await ended).toBe(130);
    },
  );

  it("ends while it waits for a script from its standard input, and says so as JSON too", async () => {
    // It loads its tools before it reads, so that this one tells when.
    const tools = file(
      "then-reads.mjs",
      `setTimeout(() => process.stderr.write("reading\\n"), 500); export default [];`,
    );
    const { child, ended } = command(["check", "-", "--tools", tools, "--json"]);
    const output = text(child.stdout as NodeJS.ReadableStream);
    for await (const part of child.stderr as AsyncIterable<Buffer>)
      if (part.toString().includes("reading")) break;
    child.kill("SIGTERM");
    expect(await ended).toBe(130);
    expect(JSON.parse(await output)).toMatchObject({ ok: false, error: { kind: "aborted" } });
  });

  it("writes the end of its trace when the terminal is closed", async () => {
    const tools = tool(
      "wait",
      `process.stderr.write("called\\n"); await new Promise((_, no) => {
         const stay = setInterval(() => {}, 1_000);
         signal.addEventListener("abort", () => { clearInterval(stay); no(new Error("stopped")); });
       })`,
    );
    const trace = join(folder, "hung-up.trace.json");
    const { child, begun, ended } = command([
      "run",
      "--tools",
      tools,
      "--trace",
      trace,
      "-e",
      "await tools.wait({})",
    ]);
    await begun("called");
    child.kill("SIGHUP");
    expect(await ended).toBe(130);
    expect(JSON.parse(readFileSync(trace, "utf8"))).toMatchObject({
      script: { state: "ended", outcome: { ok: false, error: { kind: "aborted" } } },
      calls: [{ name: "wait", status: "cancelled" }],
    });
  });
});

describe("a command that does not come to its end", () => {
  it("is no success when a tool ends the process", async () => {
    const tools = tool("quit", "process.exit(0)");
    const { result } = command(["run", "--tools", tools, "-e", "await tools.quit({})", "--json"]);
    const { code, output, errors } = await result();
    expect(code).toBe(5);
    expect(errors).toMatch(/ended by a module of tools, a tool or an extension \(process\.exit, code 0\)/);
    expect(JSON.parse(output.trim().split("\n").at(-1) ?? "")).toMatchObject({
      ok: false,
      error: { kind: "sandbox" },
    });
  });

  it("says so when a module of tools awaits what never comes", async () => {
    const tools = file("never.mjs", "await new Promise(() => {}); export default [];");
    const { code, errors } = await command(["run", "--tools", tools, "-e", "return 1"]).result();
    expect(code).toBe(5);
    expect(errors).toMatch(/^nestbox: nothing can end this command any more/);
  });

  it("goes on when a tool throws, where nobody catches, what cannot even be looked at", async () => {
    const tools = tool(
      "trap",
      `setTimeout(() => { throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } }); });
       await new Promise((go) => setTimeout(go, 5_000))`,
    );
    const { code, errors } = await command(["run", "--tools", tools, "-e", "await tools.trap({})"]).result();
    expect(code).toBe(1);
    expect(errors).toContain("the tool trap let an error go that nobody caught");
  });
});

describe("a module of tools that cannot be loaded", () => {
  it.each([
    ["with a mistake in it", "const a = 1;\nlet x: = 5;\nexport default [];", 2],
    ["with what Node cannot erase", "\nenum X { A }\nexport default [];", 2],
    ["that throws", "\n\nthrow new Error('not today');", 3],
  ])("is told of with its place: %s", async (what, text, line) => {
    const tools = file(`${what.replaceAll(" ", "-")}.ts`, text);
    const { code, errors } = await command(["run", "--tools", tools, "-e", "return 1"]).result();
    expect(code).toBe(2);
    expect(errors).toMatch(/^nestbox: --tools .*: the module cannot be loaded: .*\n$/);
    expect(errors).toMatch(new RegExp(`\\((?:file:\\/\\/)?${tools.replaceAll(/\W/g, "\\$&")}:${line}\\)\n$`));
  });
});

describe("output that nobody gets", () => {
  it("is no failure where a reader has seen enough, and none of a script's either", async () => {
    const script = "throw new Error('x')";
    const { child, ended } = command(["run", "-e", script]);
    child.stderr?.destroy();
    child.stdout?.destroy();
    expect(await ended).toBe(1);
    const served = command(["tools"]);
    served.child.stdout?.destroy();
    served.child.stderr?.resume();
    expect(await served.ended).toBe(0);
  });

  it.skipIf(!existsSync("/dev/full"))("is told of, in one line, where a disk is full", async () => {
    const full = openSync("/dev/full", "w");
    const { code, errors } = await command(["run", "-e", "return 1"], full).result();
    expect({ code, errors }).toEqual({
      code: 2,
      errors: "nestbox: standard output cannot be written (ENOSPC).\n",
    });
  });
});
