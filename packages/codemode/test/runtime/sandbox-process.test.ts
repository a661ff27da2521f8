import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { createRunner, findNode } from "../../src/node/index.ts";
import { processDriver, sandboxArguments } from "../../src/node/process-driver.ts";
import { sandboxFiles } from "../../src/node/sandbox-files.ts";
import { fakeCaller, type FakeTool } from "./fake-caller.ts";
import { harness } from "./harness.ts";
import { sandboxes } from "./sandbox-pids.ts";

const { value } = harness();
const withoutJit = harness({ jit: false, maxProcesses: 1 });
// So patient that a busy machine alone never makes it end a process.
const renewed = harness({ maxScripts: 3, maxProcesses: 1, graceMs: 20_000 });
// Node 24 has no switch for the network.
const NETWORK = process.version.startsWith("v24.") ? /./ : /^ERR_ACCESS_DENIED$/;
const SPEC = { memoryMb: 64, timeZone: "UTC", locale: "en-US", jit: true, stock: 1, maxFrameBytes: 1e6 };
const NO_JIT = ["--no-turbofan", "--no-sparkplug", "--regexp-interpret-all"];
const linux = process.platform === "linux";

describe("the sandbox process", () => {
  test("that the system does not start ends as one that died, and ends nothing else", async () => {
    const driver = processDriver({ files: sandboxFiles(), node: () => findNode({ env: process.env }) });
    for (const timeZone of ["Nowhere/\u0000", "A".repeat(3_000_000)]) {
      const message = await new Promise<string>((resolve) => {
        driver.start(
          { ...SPEC, timeZone },
          { frame: () => undefined, exit: (exit) => resolve(exit.message) },
        );
      });
      expect(message).toMatch(/null bytes|E2BIG/);
    }
  });

  test("is not wanted for a zone or a locale that is none", async () => {
    const runner = createRunner({ maxProcesses: 1 });
    try {
      for (const environment of [
        { timeZone: "Nowhere/\u0000" },
        { timeZone: "A".repeat(300_000) },
        { timeZone: "Nowhere/Land" },
        { timeZone: "" },
        { timeZone: 7 as unknown as string },
        { locale: "de\u0000" },
        { locale: "not a locale" },
        { locale: { toString: 1 } as unknown as string },
      ]) {
        const run = runner.run({ code: "return 1", caller: fakeCaller([]), environment });
        await expect(run).rejects.toMatchObject({ code: "misuse" });
      }
      const environment = { timeZone: "Europe/Berlin", locale: "de-AT" };
      const code = "return new Date(0).getHours() + new Intl.NumberFormat().format(0.5)";
      const outcome = await runner.run({ code, caller: fakeCaller([]), environment });
      expect(outcome).toMatchObject({ ok: true, value: "10,5" });
    } finally {
      await runner.close();
    }
  });

  test("hostile 7: Node refuses it files, writes, processes, threads and the network", async () => {
    const files = sandboxFiles();
    const probe = fileURLToPath(new URL("./fixtures/probe.ts", import.meta.url));
    const args = sandboxArguments({ ...files, main: probe }, SPEC);
    const node = await findNode({ env: process.env });
    const { stdout } = await promisify(execFile)(node, args, { env: { TZ: "UTC" }, cwd: "/" });
    expect(JSON.parse(stdout)).toEqual({
      readHosts: "ERR_ACCESS_DENIED",
      readHome: "ERR_ACCESS_DENIED",
      write: "ERR_ACCESS_DENIED",
      spawn: "ERR_ACCESS_DENIED",
      worker: "ERR_ACCESS_DENIED",
      connect: expect.stringMatching(NETWORK),
      env: ["TZ"],
    });
  });

  test.runIf(linux)(
    "hostile 7: it has no environment of the host's, its own folder, and no descriptors but the pipes",
    async () => {
      process.env["NESTBOX_TEST_SECRET"] = "secret";
      await value("return 1");
      const pids = sandboxes();
      expect(pids.length).toBeGreaterThan(0);
      for (const pid of pids) {
        const names = readFileSync(`/proc/${pid}/environ`, "utf8")
          .split("\0")
          .filter(Boolean)
          .map((entry) => entry.split("=")[0]);
        expect(
          names.filter((name) => !["TZ", "LC_ALL", "GLIBC_TUNABLES", "PWD"].includes(name ?? "")),
        ).toEqual([]);
        expect(readlinkSync(`/proc/${pid}/cwd`)).toBe("/");
        const kinds = readdirSync(`/proc/${pid}/fd`).map((fd) => {
          try {
            return readlinkSync(`/proc/${pid}/fd/${fd}`).replace(/:.*/, "");
          } catch {
            return "gone";
          }
        });
        expect(
          kinds.filter((kind) => !["socket", "pipe", "anon_inode", "gone", "/dev/null"].includes(kind)),
        ).toEqual([]);
        expect(kinds.filter((kind) => kind === "socket")).toHaveLength(3);
      }
      delete process.env["NESTBOX_TEST_SECRET"];
    },
  );

  test.runIf(linux)("no process is left after `close`, also when one is wedged", async () => {
    const before = new Set(sandboxes());
    const runner = createRunner({ maxProcesses: 2 });
    const wedged = runner.run({ code: "let b = 2n; while (true) b = b * b", caller: fakeCaller([]) });
    await runner.run({ code: "return 1", caller: fakeCaller([]) });
    await runner.close();
    expect(await wedged).toMatchObject({ ok: false, error: { kind: "aborted" } });
    for (let i = 0; i < 100 && sandboxes().some((pid) => !before.has(pid)); i++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(sandboxes().filter((pid) => !before.has(pid))).toEqual([]);
  });

  // contract R12
  test("a Node that is missing or too old is one typed error, and nothing hangs", async () => {
    const runner = createRunner({ nodePath: "/nowhere/node" });
    const outcome = await runner.run({ code: "return 1", caller: fakeCaller([]) });
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        kind: "sandbox",
        name: "SandboxStartError",
        message: expect.stringContaining("Node 24 or 26"),
      },
    });
    await expect(runner.warm()).rejects.toMatchObject({ code: "no-sandbox" });
    await runner.close();
    await expect(findNode({ nodePath: "/bin/sh", env: {} })).rejects.toMatchObject({ code: "no-node" });
    expect(await findNode({ env: {} })).toBe(process.execPath);
  });

  test("without the just-in-time compiler scripts run as well, in a process that was started so", async () => {
    expect(await withoutJit.value("return (await tools.noop({ i: 1 })).i + Number(/^a+$/.test('aa'))")).toBe(
      2,
    );
    const commands = linux
      ? sandboxes().map((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0"))
      : [NO_JIT];
    expect(commands.filter((command) => NO_JIT.every((flag) => command.includes(flag)))).toHaveLength(1);
  });

  test("`jit: false` compiles nothing in an isolate, which otherwise is compiled when it is hot", async () => {
    const hot = fileURLToPath(new URL("./fixtures/hot-function.ts", import.meta.url));
    const node = await findNode({ env: process.env });
    const compiled = async (jit: boolean): Promise<{ readonly total: string; readonly hot: boolean }> => {
      const args = sandboxArguments({ ...sandboxFiles(), main: hot }, { ...SPEC, jit });
      expect(NO_JIT.map((flag) => args.includes(flag))).toEqual(NO_JIT.map(() => !jit));
      const { stdout } = await promisify(execFile)(node, ["--trace-opt", ...args], { env: {}, cwd: "/" });
      return {
        total: /^total (\d+)$/m.exec(stdout)?.[1] ?? stdout,
        hot: /completed (?:compiling|optimizing).*hotInIsolate/.test(stdout),
      };
    };
    const [withJit, without] = [await compiled(true), await compiled(false)];
    expect(withJit.hot).toBe(true);
    expect(without.hot).toBe(false);
    expect(without.total).toBe(withJit.total);
  });

  test("a host that exits in the middle of a script leaves no process behind", async () => {
    const host = fileURLToPath(new URL("./fixtures/leaving-host.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=@nestbox/source", host]);
    const pids = JSON.parse(stdout) as readonly number[];
    expect(pids).toHaveLength(linux ? 1 : 0);
    const isThere = (pid: number): boolean => {
      try {
        return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
      } catch {
        return false;
      }
    };
    await expect.poll(() => pids.filter(isThere), { timeout: 10_000 }).toEqual([]);
  });

  test("a process is renewed after its share of scripts, and none of them notices", async () => {
    const before = new Set(linux ? sandboxes() : []);
    const pids: number[][] = [];
    const look: FakeTool = {
      name: "look",
      run: () => (pids.push(linux ? sandboxes().filter((pid) => !before.has(pid)) : []), {}),
    };
    for (let i = 0; i < 7; i++) {
      expect(await renewed.run(`await tools.look({}); return ${i}`, { tools: [look] })).toMatchObject({
        ok: true,
        value: i,
      });
    }
    if (!linux) return;
    // The one that runs the script is the youngest: one whose share is over may still be about to end.
    const ran = pids.map((seen) => Math.max(...seen));
    expect(new Set(ran.slice(0, 3)).size).toBe(1);
    expect(new Set(ran.slice(3, 6)).size).toBe(1);
    expect(new Set(ran).size).toBe(3);
  });

  // contract R2
  test.runIf(linux)("R2: it is a process of its own, never a thread of the host's", async () => {
    await value("return 1");
    const pids = sandboxes();
    expect(pids.length).toBeGreaterThan(0);
    const threads = readdirSync("/proc/self/task").map(Number);
    for (const pid of pids) {
      expect(pid).not.toBe(process.pid);
      expect(threads).not.toContain(pid);
      // A process leads its own group of threads.
      expect(readFileSync(`/proc/${pid}/status`, "utf8")).toMatch(new RegExp(`^Tgid:\\s+${pid}$`, "m"));
    }
  });

  test("isolates made ahead are as many as the runner was told", () => {
    for (const stock of [0, 1, 7]) {
      const args = sandboxArguments(sandboxFiles(), { ...SPEC, stock });
      expect(JSON.parse(args.at(-1) ?? "")).toMatchObject({ stock });
    }
  });
});
