import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openOutputFolder, runCommand, type CommandChunk } from "@nestbox/tool/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const node = (script: string, ...rest: string[]) => [process.execPath, ["-e", script, ...rest]] as const;

describe("a command", () => {
  let cwd: string;
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), "nestbox-test-"));
  });
  afterEach(() => rm(cwd, { recursive: true, force: true }));

  it("keeps stdout and stderr apart and together in order, and gives a non-zero exit code as data", async () => {
    // contract A4
    // Each line is written when the one before it has been read.
    const script = `
      import { existsSync, writeFileSync } from "node:fs";
      const read = async (count) => { while (!existsSync("read-" + count)) await new Promise((done) => setTimeout(done, 5)); };
      console.log("one"); await read(1); console.error("two"); await read(2); console.log("three"); process.exitCode = 3;`;
    const chunks: CommandChunk[] = [];
    const result = await runCommand(process.execPath, ["--input-type=module", "-e", script], {
      cwd,
      onChunk(chunk) {
        chunks.push(chunk);
        writeFileSync(join(cwd, `read-${chunks.length}`), "");
      },
    });
    expect(result).toMatchObject({
      kind: "exited",
      exitCode: 3,
      stdout: "one\nthree\n",
      stderr: "two\n",
      output: "one\ntwo\nthree\n",
      truncated: false,
    });
    expect(chunks).toEqual([
      { stream: "stdout", text: "one\n" },
      { stream: "stderr", text: "two\n" },
      { stream: "stdout", text: "three\n" },
    ]);
  });

  it("passes arguments as they are: no shell reads them", async () => {
    // contract B9
    const words = ["$(touch pwned)", "; touch pwned", "`touch pwned`", "a b", '"', "'", "*", "", "--", "é\n"];
    const result = await runCommand(
      ...node("console.log(JSON.stringify(process.argv.slice(1)))", "--", ...words),
      { cwd },
    );
    expect(JSON.parse(result.stdout)).toEqual(words);
    expect(existsSync(join(cwd, "pwned"))).toBe(false);
    await expect(runCommand("echo", ["a\0b"], { cwd })).rejects.toThrow("NUL");
  });

  it("sees only the allowed environment", async () => {
    process.env["NESTBOX_TEST_TOKEN"] = "s3cret";
    process.env["NESTBOX_TEST_OPEN_A"] = "open";
    try {
      const script = "console.log(JSON.stringify(process.env))";
      const closed = JSON.parse((await runCommand(...node(script), { cwd })).stdout) as Record<
        string,
        string
      >;
      expect(closed).not.toHaveProperty("NESTBOX_TEST_TOKEN");
      expect(closed["PATH"]).toBeTruthy();
      const open = await runCommand(...node(script), {
        cwd,
        envAllow: ["NESTBOX_TEST_OPEN_*", "PATH"],
        env: { EXTRA: "1", PATH: undefined },
      });
      const { NESTBOX_PROCESS_TREE: mark, ...seen } = JSON.parse(open.stdout) as Record<string, string>;
      expect(seen).toEqual({ NESTBOX_TEST_OPEN_A: "open", EXTRA: "1" });
      expect(mark).toBeTruthy();
    } finally {
      delete process.env["NESTBOX_TEST_TOKEN"];
      delete process.env["NESTBOX_TEST_OPEN_A"];
    }
  });

  it("tells apart a program that is missing, a folder that is missing, and a signal", async () => {
    expect(await runCommand("nestbox-no-such-program", [], { cwd })).toMatchObject({
      kind: "failed-to-start",
    });
    expect(await runCommand("node", ["-e", ""], { cwd: join(cwd, "gone") })).toMatchObject({
      kind: "failed-to-start",
    });
    expect(
      await runCommand(...node("process.kill(process.pid, 'SIGUSR2'); setInterval(() => {}, 1000)"), { cwd }),
    ).toMatchObject({
      kind: "signaled",
      signal: "SIGUSR2",
    });
  });

  it("reads its standard input, and finds it closed without one", async () => {
    const echo = "process.stdin.pipe(process.stdout)";
    expect((await runCommand(...node(echo), { cwd, input: "héllo" })).stdout).toBe("héllo");
    expect(await runCommand(...node(echo), { cwd })).toMatchObject({
      kind: "exited",
      exitCode: 0,
      stdout: "",
    });
    // A program that does not read what it is given is no failure.
    const big = "x".repeat(4 * 1024 * 1024);
    expect(await runCommand(...node("process.exit(0)"), { cwd, input: big })).toMatchObject({
      kind: "exited",
      exitCode: 0,
    });
  });

  it("that prints hundreds of megabytes costs little memory, and all of it is in the file", async () => {
    // contract A12
    const outputFolder = await openOutputFolder({ root: cwd });
    const bytes = 300_000_000;
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
    const script = `
      const line = Buffer.from("0123456789".repeat(100).slice(1) + "\\n");
      const block = Buffer.concat(Array(1000).fill(line));
      let left = ${bytes} / block.length;
      const more = () => { while (left-- > 0) if (!process.stdout.write(block)) return process.stdout.once("drain", more); };
      more();`;
    const result = await runCommand(...node(script), { cwd, outputFolder });
    clearInterval(watch);
    expect(result).toMatchObject({ kind: "exited", exitCode: 0, truncated: true });
    expect(result.output.length).toBeLessThan(1024 * 1024 + 500);
    expect(result.output).toContain(result.fullOutputPath);
    const kept = result.output.split("\n").filter((line) => line.length === 999).length;
    expect(result.output).toContain(
      `[… ${bytes - kept * 1000} bytes in ${bytes / 1000 - kept} lines omitted; complete output: `,
    );
    expect(
      result.output.split("\n").every((line) => line.length === 999 || line === "" || line.startsWith("[…")),
    ).toBe(true);
    expect((await stat(result.fullOutputPath ?? "")).size).toBe(bytes);
    expect(peak - before).toBeLessThan(150_000_000);
  });

  it("that prints for ever is ended when it is told to, and its file by its size", async () => {
    const outputFolder = await openOutputFolder({ root: cwd });
    const script =
      'const block = "y\\n".repeat(50_000); const more = () => { while (process.stdout.write(block)); process.stdout.once("drain", more); }; more();';
    const controller = new AbortController();
    let bytes = 0;
    const result = await runCommand(...node(script), {
      cwd,
      outputFolder,
      signal: controller.signal,
      maxBytes: 10_000,
      maxFileBytes: 1_000_000,
      onChunk({ text }) {
        bytes += text.length;
        if (bytes > 5_000_000) controller.abort();
      },
    });
    expect(result).toMatchObject({ kind: "aborted", truncated: true, fullOutputIncomplete: true });
    expect(result.totalBytes).toBeGreaterThan(5_000_000);
    expect((await stat(result.fullOutputPath ?? "")).size).toBe(1_000_000);
    expect(result.output).toContain("as much as was kept");
  });

  it("that never ends is ended by its time limit", async () => {
    expect(await runCommand(...node("setInterval(() => {}, 1000)"), { cwd, timeoutMs: 200 })).toMatchObject({
      kind: "timeout",
    });
    // Longer than a timer can hold is no limit, not a limit of a millisecond.
    const long = await runCommand(...node(""), { cwd, timeoutMs: Number.POSITIVE_INFINITY });
    expect(long).toMatchObject({ kind: "exited", exitCode: 0 });
  });

  it("never cuts a character in two", async () => {
    const script = 'process.stdout.write("aé€😀".repeat(5000))';
    for (const maxBytes of [1001, 1002, 1003, 1004, 1005, 1006, 1007]) {
      const { stdout } = await runCommand(...node(script), {
        cwd,
        maxBytes,
        outputFolder: await openOutputFolder({ root: cwd }),
      });
      expect(stdout).not.toContain("\ufffd");
      expect(stdout).toMatch(/^[aé€😀]+\n\[….*…\]\n[aé€😀]+$/u);
    }
  });

  it("is not run at all when the signal is aborted already", async () => {
    // contract B3
    const result = await runCommand(...node("require('fs').writeFileSync('ran', '')"), {
      cwd,
      signal: AbortSignal.abort(),
    });
    expect(result.kind).toBe("aborted");
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });
});

describe.skipIf(process.platform === "win32")("the process tree of a command", () => {
  let cwd: string;
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), "nestbox-test-"));
  });
  afterEach(() => rm(cwd, { recursive: true, force: true }));

  // A parent, a child and a grandchild that all ignore SIGTERM; each writes its id and then waits.
  const stubborn = (detached: boolean) => `
    const { spawn } = require("node:child_process");
    const fs = require("node:fs");
    process.on("SIGTERM", () => fs.appendFileSync("asked", process.pid + "\\n"));
    const depth = Number(process.env.DEPTH ?? 0);
    if (depth < 2) spawn(process.execPath, ["-e", process.env.SCRIPT], { stdio: "inherit", detached: ${detached}, env: { ...process.env, DEPTH: String(depth + 1) } });
    fs.appendFileSync("pids", process.pid + "\\n");
    setInterval(() => {}, 1000);`;

  async function pids(count: number): Promise<number[]> {
    for (let tries = 0; tries < 1_600; tries += 1) {
      const text = await readFile(join(cwd, "pids"), "utf8").catch(() => "");
      const found = text.split("\n").filter(Boolean).map(Number);
      if (found.length >= count) return found;
      await sleep(25);
    }
    throw new Error("the processes did not start");
  }

  const running = (list: readonly number[]) =>
    list.filter((pid) => {
      try {
        const state = execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).trim();
        return state !== "" && !state.startsWith("Z");
      } catch {
        return false;
      }
    });

  it.each([
    { name: "in its group", detached: false },
    // Only Linux can find a process that left the group.
    ...(process.platform === "linux" ? [{ name: "in sessions of their own", detached: true }] : []),
  ])("ends as a whole on abort: grandchildren that ignore SIGTERM, $name", async ({ detached }) => {
    const SCRIPT = stubborn(detached);
    const controller = new AbortController();
    const done = runCommand(process.execPath, ["-e", SCRIPT], {
      cwd,
      env: { SCRIPT },
      signal: controller.signal,
      // Time to note that it was asked, on a busy machine as well.
      graceMs: 2_000,
    });
    const list = await pids(3);
    controller.abort();
    expect((await done).kind).toBe("aborted");
    expect(running(list)).toEqual([]);
    expect((await readFile(join(cwd, "asked"), "utf8")).split("\n").filter(Boolean).length).toBeGreaterThan(
      0,
    );
  });

  it("is asked first, and a well-behaved one ends within its grace", async () => {
    const script = `process.on("SIGTERM", () => { console.log("bye"); process.exit(0); }); setInterval(() => {}, 1000); console.log("hi");`;
    const controller = new AbortController();
    const result = await runCommand(...node(script), {
      cwd,
      signal: controller.signal,
      graceMs: 60_000,
      onChunk: () => controller.abort(),
    });
    expect(result).toMatchObject({ kind: "aborted", stdout: "hi\nbye\n" });
  });

  it.runIf(process.platform === "linux")(
    "holds a process that left the group and cleared its environment",
    async () => {
      const SCRIPT = `
      process.on("SIGTERM", () => {}); require("node:fs").appendFileSync("pids", process.pid + "\\n"); setInterval(() => {}, 1000);`;
      const script = `
      const { spawn } = require("node:child_process");
      spawn(process.execPath, ["-e", process.env.SCRIPT], { stdio: "ignore", detached: true, env: {} }).unref();
      setInterval(() => {}, 1000);`;
      const controller = new AbortController();
      const done = runCommand(...node(script), {
        cwd,
        env: { SCRIPT },
        signal: controller.signal,
        graceMs: 300,
      });
      const list = await pids(1);
      controller.abort();
      await done;
      expect(running(list)).toEqual([]);
    },
  );

  it("leaves nothing running when the command itself has exited, and does not wait for what holds its pipes", async () => {
    const SCRIPT = `
      require("node:fs").appendFileSync("pids", process.pid + "\\n"); setInterval(() => {}, 1000);`;
    const script = `
      const { spawn } = require("node:child_process");
      spawn(process.execPath, ["-e", process.env.SCRIPT], { stdio: "inherit", detached: ${process.platform === "linux"} }).unref();
      const wait = setInterval(() => { if (require("node:fs").existsSync("pids")) { clearInterval(wait); console.log("done"); process.exit(0); } }, 10);`;
    const result = await runCommand(process.execPath, ["-e", script], { cwd, env: { SCRIPT } });
    expect(result).toMatchObject({ kind: "exited", exitCode: 0, stdout: "done\n" });
    expect(running(await pids(1))).toEqual([]);
  });

  it.each(["exit", "SIGTERM", "SIGINT"])("does not outlive a host that ends by %s", async (way) => {
    const host = `
      const { runCommand } = await import("@nestbox/tool/node");
      void runCommand(process.execPath, ["-e", process.env.SCRIPT], { cwd: process.cwd(), env: { SCRIPT: process.env.SCRIPT } });
      const { existsSync } = await import("node:fs");
      setInterval(() => { if (process.env.WAY === "exit" && existsSync(process.env.CWD + "/pids")) process.exit(0); }, 10);`;
    const file = JSON.stringify(join(cwd, "pids"));
    const SCRIPT = `require("node:fs").appendFileSync(${file}, process.pid + "\\n"); setInterval(() => {}, 1000);`;
    const child = spawn(
      process.execPath,
      ["--conditions=@nestbox/source", "--input-type=module", "-e", host],
      {
        cwd: join(import.meta.dirname, ".."),
        env: { ...process.env, SCRIPT, CWD: cwd, WAY: way },
        stdio: "inherit",
      },
    );
    const ended = once(child, "exit");
    const list = await pids(1);
    if (way !== "exit") child.kill(way as NodeJS.Signals);
    expect(await ended).toEqual(way === "exit" ? [0, null] : [null, way]);
    for (let tries = 0; tries < 500 && running(list).length > 0; tries += 1) await sleep(20);
    expect(running(list)).toEqual([]);
  });
});
