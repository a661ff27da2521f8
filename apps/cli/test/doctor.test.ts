import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";

import { type createRunner as createRunnerHere, findNode } from "@nestbox/codemode/node";
import { afterAll, describe, expect, it, vi } from "vitest";

import { diagnose } from "../src/doctor/diagnose.ts";
import type { Finding } from "../src/doctor/finding.ts";
import { realWorld, type World } from "../src/doctor/world.ts";
import { main } from "../src/program.ts";
import { nestbox } from "./support/nestbox.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-doctor-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Report {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

const real = realWorld({ cwd: folder, policy: [], port: 0 });
const healthy: World = {
  ...real,
  // What takes long and is tried for real once, below.
  runScript: async () => ({
    ok: true,
    value: [],
    output: [],
    calls: [],
    warnings: [],
    stats: { wallMs: 1, cpuMs: 1, pausedMs: 0, calls: 0, outputChars: 0 },
    storeWrites: { set: {}, delete: [] },
  }),
  checkScript: async () => ({ kind: "clean" }),
};

async function finding(id: string, change: Partial<World>): Promise<Finding> {
  const found = (await diagnose({ ...healthy, ...change })).find((one) => one.id === id);
  if (found === undefined) throw new Error(`no finding ${id}`);
  return found;
}

describe("nestbox doctor on a healthy machine", () => {
  it("runs a script, tries the permissions, and finds no problem", async () => {
    const { exitCode, json } = await nestbox(["doctor", "--json", "--port", "0", "--cwd", folder]);
    const { ok, findings } = json as Report;
    expect(findings.filter(({ status }) => status === "problem")).toEqual([]);
    const by = new Map(findings.map((one) => [one.id, one]));
    for (const id of ["node", "sandbox-node", "spawn", "isolated-vm", "sandbox", "policy", "port", "types"])
      expect(by.get(id)).toMatchObject({ status: "ok" });
    expect(by.get("permissions")?.found).toMatch(/refused read, write, spawn, worker/);
    expect(by.get("sandbox")?.found).toContain("reaches nothing but tools");
    expect(ok).toBe(true);
    expect(exitCode).toBe(0);
  });
});

describe("nestbox doctor names cause and way out", () => {
  it("for Node 20", async () => {
    expect(await finding("node", { version: "v20.20.2", execPath: "/usr/bin/node" })).toEqual({
      id: "node",
      status: "problem",
      found: "Node v20.20.2 (/usr/bin/node)",
      cause: expect.stringContaining("too old"),
      fix: expect.stringContaining("Install Node 26"),
    });
  });

  it("for no Node that can run sandboxes, and tries nothing that needs one", async () => {
    const change = { findNode: () => Promise.reject(new Error("found /usr/bin/node (v22.19.0)")) };
    expect(await finding("sandbox-node", change)).toMatchObject({
      status: "problem",
      cause: "found /usr/bin/node (v22.19.0)",
      fix: expect.stringMatching(/Node 24 or 26.*--node/),
    });
    expect(await finding("sandbox", change)).toMatchObject({ status: "skipped" });
  });

  it("for a Pi that is too old, and for none", async () => {
    const place = mkdtempSync(join(folder, "pi-"));
    const withPi = (version: string) => {
      writeFileSync(
        join(place, "package.json"),
        JSON.stringify({ name: "@earendil-works/pi-coding-agent", version }),
      );
      writeFileSync(join(place, "pi"), "");
      return finding("pi", { env: { PATH: place } });
    };
    for (const old of ["0.74.2", "1.5.9"])
      expect(await withPi(old)).toMatchObject({
        status: "problem",
        found: expect.stringContaining(`Pi ${old} (`),
        cause: "Nestbox needs Pi 1.6 or later.",
        fix: "npm install --global @earendil-works/pi-coding-agent@latest, with Node 22.19 or later.",
      });
    for (const good of ["1.6.0", "1.10.0", "2.0.0"])
      expect(await withPi(good)).toMatchObject({
        status: "ok",
        found: expect.stringContaining(`Pi ${good}`),
      });
    expect(await finding("pi", { env: { PATH: folder } })).toMatchObject({
      status: "note",
      fix: expect.stringMatching(/with a clone that was built, pi install <clone>\/apps\/pi$/),
    });
  });

  describe("in a real place", () => {
    const program = (name: string, text: string, mode: number): string => {
      const file = join(folder, name);
      writeFileSync(file, text);
      chmodSync(file, mode);
      return file;
    };
    const doctorOf = async (id: string, ...args: readonly string[]): Promise<Finding> => {
      const { json } = await nestbox(["doctor", "--json", "--port", "0", "--cwd", folder, ...args]);
      const found = (json as Report).findings.find((one) => one.id === id);
      if (found === undefined) throw new Error(`no finding ${id}`);
      return found;
    };

    it("for a sandbox Node that is too old", async () => {
      const old = program("old-node", "#!/bin/sh\necho v20.20.2\n", 0o755);
      expect(await doctorOf("sandbox-node", "--node", old)).toMatchObject({
        status: "problem",
        cause: expect.stringContaining(`${old} (v20.20.2)`),
        fix: expect.stringMatching(/Install Node 24 or 26/),
      });
    });

    it("for an old Node on PATH that is the only one", async () => {
      const place = mkdtempSync(join(folder, "path-"));
      const file = join(place, "node");
      writeFileSync(file, "#!/bin/sh\necho v22.19.0\n");
      chmodSync(file, 0o755);
      const findOld = () => findNode({ env: { PATH: place }, own: "none" });
      expect(await finding("sandbox-node", { findNode: findOld })).toMatchObject({
        status: "problem",
        cause: expect.stringContaining(`${file} (v22.19.0)`),
      });
    });

    it("for a sandbox Node that may not be started", async () => {
      const closed = program("closed-node", "#!/bin/sh\necho v26.0.0\n", 0o644);
      expect(await doctorOf("sandbox-node", "--node", closed)).toMatchObject({
        status: "problem",
        cause: expect.stringMatching(/closed-node cannot be started: .*EACCES/),
        fix: expect.stringMatching(/permission to start it: see ls -l/),
      });
    });

    it("for node_modules that is a link to elsewhere", async () => {
      const copy = join(folder, "linked", "codemode");
      const own = dirname(createRequire(import.meta.url).resolve("@nestbox/codemode/package.json"));
      for (const part of ["src", "package.json"])
        cpSync(join(own, part), join(copy, part), { recursive: true });
      symlinkSync(join(own, "node_modules"), join(copy, "node_modules"));
      const { createRunner } = (await import(pathToFileURL(join(copy, "src/node/index.ts")).href)) as {
        createRunner: typeof createRunnerHere;
      };
      const runScript: World["runScript"] = async (nodePath, code) => {
        const runner = createRunner({ maxProcesses: 1, nodePath });
        try {
          const caller = { tools: [], executeTool: () => Promise.reject(new Error("none")) };
          return await runner.run({ code, caller });
        } finally {
          await runner.close();
        }
      };
      expect(await finding("sandbox", { runScript, readableFolder: () => copy })).toMatchObject({
        status: "problem",
        cause: expect.stringContaining(
          `${join(copy, "node_modules")} is a link to ${join(own, "node_modules")}`,
        ),
        fix: expect.stringContaining("npm install"),
      });
    });

    it("for a home that cannot be written", async () => {
      // A folder that nobody can write to, root neither: a file stands in its place.
      const home = program("home", "", 0o644);
      vi.stubEnv("HOME", home);
      vi.stubEnv("XDG_STATE_HOME", "");
      vi.stubEnv("PI_CODING_AGENT_DIR", undefined);
      try {
        expect(await doctorOf("folders")).toMatchObject({
          status: "note",
          found: expect.stringMatching(/home\/\.local\/state\/nestbox, .*home\/\.pi\/agent/),
          cause: expect.stringContaining("home is not a folder"),
          fix: expect.stringMatching(/XDG_STATE_HOME.*PI_CODING_AGENT_DIR/),
        });
      } finally {
        vi.unstubAllEnvs();
      }
    });

    it("for a temporary folder that is there and is not for us", async () => {
      // Root may write wherever the file system takes it.
      const isRoot = process.getuid?.() === 0;
      const place = isRoot ? "/proc/self" : mkdtempSync(join(folder, "closed-"));
      if (!isRoot) chmodSync(place, 0o555);
      const writtenFolders: World["writtenFolders"] = () => [
        { path: join(place, "deeper"), needed: true, lost: "output has no file", way: "name one" },
      ];
      expect(await finding("folders", { writtenFolders })).toMatchObject({
        status: "problem",
        cause: expect.stringMatching(/EACCES|EPERM|EROFS|ENOENT/),
        fix: "output has no file: name one.",
      });
    });
  });

  it("for a missing prebuilt binary: of the platform, and of the version of Node", async () => {
    const empty = join(folder, "prebuilds");
    mkdirSync(join(empty, "linux-x64"), { recursive: true });
    const platform = { prebuilds: () => empty, platform: "freebsd", arch: "riscv64" };
    expect(await finding("isolated-vm", platform)).toMatchObject({
      status: "problem",
      found: expect.stringMatching(/freebsd-riscv64, ABI \d+/),
      cause: expect.stringContaining("it has linux-x64"),
      fix: expect.stringMatching(/Install @nestbox\/codemode again.*Node 24 or 26/),
    });
    writeFileSync(join(empty, "linux-x64", "isolated-vm.abi1.glibc.node"), "");
    expect(
      await finding("isolated-vm", { prebuilds: () => empty, platform: "linux", arch: "x64" }),
    ).toMatchObject({
      status: "problem",
      cause: expect.stringMatching(/isolated-vm\.abi1\.glibc\.node.*nothing for ABI/),
    });
  });

  it("for a broken policy file, with the place in it", async () => {
    const file = join(folder, "broken.jsonc");
    writeFileSync(file, '{\n  "version": 1,\n  "rules": [{ "id": "a", "effect": "perhaps" }]\n}\n');
    const { exitCode, stdout } = await nestbox(["doctor", "--port", "0", "--cwd", folder, "--policy", file]);
    expect(stdout).toMatch(
      /^problem +policy +\S*broken\.jsonc: refused\n +because: \S*broken\.jsonc:3:\d+: .*\n +do: .*policy test/m,
    );
    expect(exitCode).toBe(1);
  });

  it("for a port in use", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    try {
      expect(await finding("port", { port })).toMatchObject({
        status: "problem",
        cause: expect.stringContaining("EADDRINUSE"),
        fix: expect.stringMatching(/lsof -i :\d+.*--port 0/),
      });
    } finally {
      server.close();
    }
  });

  it("for a port that one may not use", async () => {
    const listen = () => Promise.reject(Object.assign(new Error("no"), { code: "EACCES" }));
    expect(await finding("port", { port: 80, listen })).toMatchObject({
      status: "problem",
      fix: expect.stringContaining("above 1023"),
    });
  });

  it.each([
    ["spawn node EACCES", /permission to start it/],
    ["spawn EPERM", /permission to start it/],
    ["spawn EAGAIN", /ulimit -u/],
    ["spawn node ENOENT", /no such program/],
  ])("for no permission to spawn (%s)", async (message, fix) => {
    const change = { runProgram: () => Promise.resolve({ ok: false as const, message }) };
    expect(await finding("spawn", change)).toMatchObject({
      status: "problem",
      cause: message,
      fix: expect.stringMatching(fix),
    });
    expect(await finding("sandbox", change)).toMatchObject({ status: "skipped" });
  });

  it("for a Node that was itself started without the permission to spawn", async () => {
    const program = fileURLToPath(new URL("../src/main.ts", import.meta.url));
    const flags = ["--permission", "--allow-fs-read=*", "--conditions=@nestbox/source"];
    const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
      execFile(process.execPath, [...flags, program, "doctor", "--json"], (error, text) =>
        resolve({ code: error?.code, stdout: text }),
      );
    });
    const { findings } = JSON.parse(stdout) as Report;
    expect(findings.find(({ id }) => id === "spawn")).toMatchObject({
      status: "problem",
      fix: expect.stringContaining("--allow-child-process"),
    });
    expect(code).toBe(1);
  });

  it("for a sandbox that does not start", async () => {
    const runScript: World["runScript"] = async () => ({
      ok: false,
      error: { kind: "sandbox", name: "Error", message: "no usable isolated-vm" },
      output: [],
      calls: [],
      warnings: [],
      stats: { wallMs: 1, cpuMs: 1, pausedMs: 0, calls: 0, outputChars: 0 },
    });
    expect(await finding("sandbox", { runScript })).toMatchObject({
      status: "problem",
      cause: "sandbox: no usable isolated-vm",
    });
  });

  it("for a Node whose permissions refuse nothing, and for one that does not know the network", async () => {
    const says = (tried: object): Partial<World> => ({
      runProgram: async (file, args) =>
        args.includes("--permission")
          ? { ok: true, stdout: JSON.stringify(tried) }
          : real.runProgram(file, args),
    });
    const refused = {
      read: "refused",
      write: "refused",
      spawn: "refused",
      worker: "refused",
      network: "refused",
    };
    expect(await finding("permissions", says(refused))).toMatchObject({ status: "ok" });
    expect(await finding("permissions", says({ ...refused, network: "allowed" }))).toMatchObject({
      status: "note",
      fix: expect.stringContaining("Node 26"),
    });
    expect(await finding("permissions", says({ ...refused, spawn: "allowed" }))).toMatchObject({
      status: "problem",
      found: "the sandbox process may spawn",
    });
    expect(await finding("permissions", says({}))).toMatchObject({ status: "problem" });
  });

  it("for a check that fails itself", async () => {
    const policyStatus = (): never => {
      throw new Error("disk on fire");
    };
    expect(await finding("policy", { policyStatus })).toMatchObject({
      status: "problem",
      cause: "disk on fire",
    });
  });
});

describe("on a narrow terminal", () => {
  it("its texts stand below what they are about, one under the other", async () => {
    const stdout = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns: 40 });
    const streams = { stdin: new PassThrough(), stdout, stderr: new PassThrough() };
    await main(["doctor", "--cwd", tmpdir()], streams, new AbortController().signal);
    const lines = stripVTControlCharacters(String(stdout.read())).trimEnd().split("\n");
    expect(lines).toContain("ok       sandbox");
    for (const line of lines) {
      // A path is longer than a line: it stays whole, further to the left.
      if (/^ *\S+$/.test(line) && line.length >= 36) continue;
      expect(line.length).toBeLessThanOrEqual(40);
      expect(line).toMatch(/^(?:(?:ok|note|problem|skipped) +\S+|because:|do:| {4}\S.*)$/);
    }
  }, 120_000);
});
