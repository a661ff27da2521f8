import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { createRunner, findNode } from "../../src/node/index.ts";
import { sandboxArguments } from "../../src/node/process-driver.ts";
import { sandboxFiles } from "../../src/node/sandbox-files.ts";
import { fakeCaller } from "./fake-caller.ts";
import { harness } from "./harness.ts";
import { sandboxes } from "./sandbox-pids.ts";

const { run, value } = harness();
// Node 24 has no switch for the network.
const NETWORK = process.version.startsWith("v24.") ? /./ : /^ERR_ACCESS_DENIED$/;
const linux = process.platform === "linux";

describe("the sandbox process", () => {
  test("hostile 7: Node refuses it files, writes, processes, threads and the network", async () => {
    const files = sandboxFiles();
    const probe = fileURLToPath(new URL("./fixtures/probe.ts", import.meta.url));
    const spec = { memoryMb: 64, timeZone: "UTC", locale: "en-US", jit: true, stock: 1, maxFrameBytes: 1e6 };
    const args = sandboxArguments({ ...files, main: probe }, spec);
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

  test("without the just-in-time compiler scripts run as well", async () => {
    const runner = createRunner({ jit: false });
    try {
      const outcome = await runner.run({
        code: "return (await tools.noop({ i: 1 })).i",
        caller: fakeCaller([{ name: "noop", run: ({ i }) => ({ i }) }]),
      });
      expect(outcome).toMatchObject({ ok: true, value: 1 });
    } finally {
      await runner.close();
    }
  });

  test("a process is renewed after its share of scripts, and none of them notices", async () => {
    const results = await Promise.all(Array.from({ length: 30 }, (_, i) => run(`return ${i}`)));
    expect(results.map((outcome) => (outcome.ok ? outcome.value : outcome.error))).toEqual(
      Array.from({ length: 30 }, (_, i) => i),
    );
  });
});
