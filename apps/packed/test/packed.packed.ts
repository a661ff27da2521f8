import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import {
  brokenCart,
  emptyProject,
  install,
  installBun,
  installNode,
  mustRun,
  onlyPrograms,
  packAll,
  type Packed,
  processesIn,
  root,
  runProgram,
  userEnvironment,
} from "./workbench.ts";

const script = join(root, "examples/review.ts");
const policy = join(root, "examples/review.policy.jsonc");
const libraries = [
  "@nestbox/tool",
  "@nestbox/policy",
  "@nestbox/calls",
  "@nestbox/codemode",
  "@nestbox/review",
  "@nestbox/mcp",
  "@nestbox/inspector",
];
/** What carries the durable runs of codemode, and so stands on it. */
const engines = ["@nestbox/restate", "@nestbox/dbos"];
/** The packages of ours that this one needs, itself included. */
const needed = (name: string): readonly string[] => [
  ...new Set(["@nestbox/tool", ...(engines.includes(name) ? ["@nestbox/codemode"] : []), name]),
];

let packed: readonly Packed[] = [];
const tarballOf = (name: string): string => {
  const found = packed.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} was not packed`);
  return found.tarball;
};
const which = (name: string): string =>
  execFileSync("which", [name], { encoding: "utf8", env: userEnvironment() }).trim();

beforeAll(async () => {
  packed = await packAll(mkdtempSync(join(tmpdir(), "nestbox-packed-")));
}, 600_000);

// contract C1, C4
describe("each package, alone in an empty project", () => {
  for (const name of [...libraries, ...engines]) {
    it(`${name} can be imported on the Node that it promises`, async () => {
      const folder = emptyProject(name.replace("@nestbox/", ""));
      await install(folder, needed(name).map(tarballOf));
      const entries = Object.keys(packed.find((one) => one.name === name)?.manifest.exports ?? {})
        .filter((entry) => [".", "./node", "./agent", "./conformance"].includes(entry))
        .map((entry) => name + entry.slice(1));
      const code = `for (const entry of ${JSON.stringify(entries)}) console.log(entry, Object.keys(await import(entry)).length > 0);`;
      for (const node of [await installNode("24"), await installNode("22")]) {
        const printed = await mustRun(node, ["--input-type=module", "--eval", code], {
          cwd: folder,
          env: userEnvironment(),
        });
        expect(printed.trim().split("\n")).toEqual(entries.map((entry) => `${entry} true`));
      }
    }, 300_000);
  }

  it("runs no install script, not even of a dependency", async () => {
    const folder = emptyProject("scripts");
    await install(
      folder,
      packed.map((one) => one.tarball),
      ["--ignore-scripts"],
    );
    const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as {
      packages: Record<string, { hasInstallScript?: boolean; peer?: boolean }>;
    };
    const scripted = Object.entries(lock.packages).filter(
      ([, entry]) => entry.hasInstallScript === true && entry.peer !== true,
    );
    expect(scripted.map(([path]) => path)).toEqual([]);
  }, 300_000);
});

describe("the main job, from the packed packages", () => {
  it("reviews a repository on the command line", async () => {
    const folder = emptyProject("cli");
    await install(folder, [...libraries, "nestbox"].map(tarballOf));
    const node = await installNode("26");
    const cart = await brokenCart();
    const env = userEnvironment([dirname(node), join(root, "node_modules/.bin")]);
    const command = join(folder, "node_modules/nestbox/dist/main.js");
    const result = await runProgram(
      node,
      [command, "run", script, "--policy", policy, "--cwd", cart, "--json", "--trace", "run.json"],
      { cwd: folder, env },
    );
    const report = JSON.parse(result.stdout.trim().split("\n").at(-1) ?? "") as {
      ok: boolean;
      value: { typeErrors: number; failing: { path: string }[]; changed: string[]; denied: string };
      calls: { name: string; status: string }[];
    };
    expect(result.stderr).toBe("");
    expect(report.ok).toBe(true);
    expect(report.value.typeErrors).toBe(1);
    expect(report.value.failing.map((file) => file.path).sort()).toEqual([
      "test/cart.test.ts",
      "test/receipt.test.ts",
    ]);
    expect(report.value.changed).toEqual(["src/cart.ts"]);
    expect(report.value.denied).toContain("checks-once");
    expect(report.calls.find((call) => call.name === "review_diff")?.status).toBe("denied");
    expect(result.exitCode).toBe(0);
    // The page is in the package, built.
    await mustRun(node, [command, "trace", "export", "run.json", "-o", "run.html"], { cwd: folder, env });
    expect(readFileSync(join(folder, "run.html"), "utf8")).toContain("review_diff");
  }, 300_000);

  it("installs on Node 22 with no compiler, says what is missing, and runs once a Node 26 is named", async () => {
    const node22 = await installNode("22");
    const node26 = await installNode("26");
    const programs = { node: node22, sh: "/bin/sh", env: which("env"), git: which("git") };
    const bare = onlyPrograms(programs);
    // npm on Node 22 hung here once with io_uring files open; without them it has not.
    const env = { ...userEnvironment(), PATH: bare, UV_USE_IO_URING: "0" };
    const folder = emptyProject("node22");
    const npm = join(
      dirname(execFileSync("realpath", [which("npm")], { encoding: "utf8" }).trim()),
      "npm-cli.js",
    );
    const words = ["install", "--no-audit", "--no-fund", ...[...libraries, "nestbox"].map(tarballOf)];
    const installing = { cwd: folder, env, timeout: 240_000 };
    // What npm does with our packages is tested, not whether npm itself comes back every time.
    if ((await runProgram(node22, [npm, ...words], installing)).exitCode !== 0) {
      await mustRun(node22, [npm, ...words], installing);
    }

    const hello = join(folder, "hello.js");
    writeFileSync(hello, "return 6 * 7;\n");
    const tools = join(folder, "tools.mjs");
    writeFileSync(tools, "export default [];\n");
    const command = join(folder, "node_modules/nestbox/dist/main.js");
    const run = [command, "run", hello, "--tools", tools, "--json"];
    const without = await runProgram(node22, run, { cwd: folder, env });
    const failure = JSON.parse(without.stdout.trim().split("\n").at(-1) ?? "") as {
      error: { kind: string; message: string };
    };
    expect(failure.error.kind).toBe("sandbox");
    expect(failure.error.message).toMatch(/Node(\.js)? 24 or 26/);
    expect(without.exitCode).toBe(5);

    const withNode = await runProgram(node22, [...run, "--node", node26], { cwd: folder, env });
    expect(JSON.parse(withNode.stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
      ok: true,
      value: 42,
    });
    expect(withNode.exitCode).toBe(0);
  }, 600_000);
});

// contract C4, C5
describe("a host in another runtime than the sandbox's", () => {
  let folder = "";

  beforeAll(async () => {
    folder = emptyProject("host");
    const used = [
      "@nestbox/tool",
      "@nestbox/policy",
      "@nestbox/calls",
      "@nestbox/codemode",
      "@nestbox/review",
    ];
    await install(folder, used.map(tarballOf));
    // Text here: what it imports is there only where it is installed.
    cpSync(join(root, "apps/packed/test/fixtures/host.mjs.txt"), join(folder, "host.mjs"));
  }, 300_000);

  const hosts: [name: string, runtime: RegExp, program: () => Promise<string>][] = [
    ["Bun", /^bun$/, installBun],
    ["Node 22", /^node v22\./, () => installNode("22")],
    ["Node 24", /^node v24\./, () => installNode("24")],
    ["Node 26", /^node v26\./, () => installNode("26")],
  ];
  for (const [name, runtime, program] of hosts) {
    it(`ends every script as it should end, and itself when nothing is left to do: ${name}`, async () => {
      const env = userEnvironment([dirname(await installNode("26"))]);
      const result = await runProgram(await program(), [join(folder, "host.mjs")], {
        cwd: folder,
        env,
        timeout: 180_000,
        killSignal: "SIGKILL",
      });
      expect(result.stderr).toBe("");
      expect(JSON.parse(result.stdout)).toEqual({
        "a value": 42,
        "one call": 1,
        "parallel calls": [1, 2, 3],
        "many calls": "done",
        "a long text in": 3_000_000,
        "a long text out": 3_000_000,
        "a long result": 3_000_000,
        bytes: [8_000_000, 7],
        "an error": "script",
        "a call that is denied": true,
        "a review tool": "object",
        "a loop": "timeout",
        "a memory bomb": "memory",
        "waiting for nothing": "script",
        "an abort": "aborted",
        "at once 1": 1,
        "at once 2": 2,
        "at once 3": 3,
        "after all that": "alive",
        runtime: expect.stringMatching(runtime),
      });
      expect(result.exitCode).toBe(0);
      await expect.poll(() => processesIn(folder), { timeout: 20_000 }).toEqual([]);
    }, 240_000);
  }
});

describe("@nestbox/pi in the shipped command line of Pi, offline", () => {
  const pi = async (
    folder: string,
    args: readonly string[],
    prompt: string,
    start?: readonly [program: string, ...words: string[]],
  ) => {
    const node = await installNode("26");
    const home = mkdtempSync(join(tmpdir(), "nestbox-packed-home-"));
    const env = {
      ...userEnvironment([dirname(node)]),
      HOME: home,
      PI_CODING_AGENT_DIR: join(home, "agent"),
      PI_OFFLINE: "1",
    };
    const command = join(folder, "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");
    const words = ["--offline", "--no-session", "--print", "-e", join(folder, "model.ts"), ...args];
    const [program, ...first] = start ?? [node, command];
    return runProgram(
      program,
      [...first, ...words, "--provider", "scripted", "--model", "scripted", prompt],
      {
        cwd: folder,
        env,
      },
    );
  };
  let folder = "";

  beforeAll(async () => {
    folder = emptyProject("pi");
    await install(
      folder,
      packed.map((one) => one.tarball),
      ["@earendil-works/pi-coding-agent@1.6.0", "--legacy-peer-deps"],
    );
    writeFileSync(
      join(folder, "model.ts"),
      readFileSync(join(root, "apps/packed/test/fixtures/scripted-model.ts"), "utf8"),
    );
  }, 300_000);

  const pushes = `const n: number = 2; console.log(await tools.bash({ command: "git push --force" }).catch((e) => e.message)); return n * 21;`;

  it("runs a script with Nestbox's codemode, and the policy decides its calls", async () => {
    const result = await pi(folder, ["-e", join(folder, "node_modules/@nestbox/pi")], pushes);
    expect(result.stdout).toContain("Script completed");
    expect(result.stdout).toContain("42");
    expect(result.stdout).toMatch(/force/i);
    expect(result.exitCode).toBe(0);
  }, 120_000);

  it("does the same in Pi as one program that Bun has made, the way its own build does", async () => {
    const bun = await installBun();
    const from = join(folder, "node_modules/@earendil-works/pi-coding-agent");
    const to = mkdtempSync(join(tmpdir(), "nestbox-packed-pi-binary-"));
    const entries = ["bun/cli.js", "utils/image-resize-worker.js", "extensions/codemode/worker.js"];
    await mustRun(
      bun,
      [
        "build",
        "--compile",
        "--no-compile-autoload-bunfig",
        "--no-compile-autoload-dotenv",
        "--compile-autoload-package-json",
        ...entries.map((entry) => join(from, "dist", entry)),
        "--outfile",
        join(to, "pi"),
      ],
      { cwd: folder, env: userEnvironment() },
    );
    cpSync(join(from, "package.json"), join(to, "package.json"));
    cpSync(join(from, "dist/modes/interactive/theme"), join(to, "theme"), { recursive: true });
    const result = await pi(folder, ["-e", join(folder, "node_modules/@nestbox/pi")], pushes, [
      join(to, "pi"),
    ]);
    expect(result.stdout).toContain("Script completed");
    expect(result.stdout).toContain("42");
    expect(result.stdout).toMatch(/force/i);
    expect(result.exitCode).toBe(0);
  }, 240_000);

  it("starts beside an extension that brings the same tools, and says whose are used", async () => {
    const other = join(folder, "other.ts");
    writeFileSync(
      other,
      `import { createCodemodeExtension } from "@nestbox/codemode/pi";
       import { createReviewTools } from "@nestbox/review/node";
       import { registerTools } from "@nestbox/tool/pi";
       export default async (pi) => {
         await createCodemodeExtension({ active: true })(pi);
         registerTools(pi, createReviewTools({ dangers: [] }));
       };\n`,
    );
    for (const order of [
      ["-e", other, "-e", join(folder, "node_modules/@nestbox/pi")],
      ["-e", join(folder, "node_modules/@nestbox/pi"), "-e", other],
    ]) {
      const result = await pi(folder, order, "return 6 * 7");
      expect(result.stderr).toMatch(/codemode, run_checks.* registered by .*other\.ts/);
      expect(result.stdout).toContain("42");
      expect(result.exitCode).toBe(0);
    }
  }, 120_000);
});

describe("nestbox mcp, driven by the official inspector's command line", () => {
  it("lists its tools, runs a script, and denies what nobody can be asked about", async () => {
    const folder = emptyProject("mcp");
    const inspector = "@modelcontextprotocol/inspector@2.12.0";
    await install(
      folder,
      packed.filter(({ name }) => name !== "@nestbox/pi").map((one) => one.tarball),
      [inspector],
    );
    const node = await installNode("26");
    const env = userEnvironment([dirname(node)]);
    const inspect = async (...words: readonly string[]): Promise<unknown> => {
      const program = join(folder, "node_modules/.bin/mcp-inspector");
      const server = [node, join(folder, "node_modules/nestbox/dist/main.js"), "mcp"];
      const { stdout, stderr } = await runProgram(node, [program, "--cli", ...server, ...words], {
        cwd: folder,
        env,
      });
      return JSON.parse(stdout || stderr);
    };
    const listed = (await inspect("--method", "tools/list")) as { tools: { name: string }[] };
    expect(listed.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["codemode", "run_checks", "review_diff"]),
    );
    const call = ["--method", "tools/call", "--tool-name"];
    const ran = (await inspect(...call, "codemode", "--tool-arg", "code=return 6 * 7")) as {
      content: { text: string }[];
    };
    expect(ran.content.map(({ text }) => text).join("")).toMatch(/^Script completed[^]*42$/);
    const denied = (await inspect(...call, "run_checks")) as {
      isError: boolean;
      content: { text: string }[];
    };
    expect(denied.isError).toBe(true);
    expect(denied.content[0]?.text).toMatch(/Blocked.*approval/);
  }, 300_000);
});

describe("what is in a tarball", () => {
  it("is no test, no source and no path of the machine that made it", async () => {
    for (const { tarball } of packed) {
      const listed = await mustRun("tar", ["-tzf", tarball]);
      expect(listed).not.toMatch(/^package\/(test|src)\//m);
      expect(listed).toContain("package/LICENSE");
      expect(listed).toContain("package/README.md");
      const folder = mkdtempSync(join(tmpdir(), "nestbox-packed-list-"));
      await mustRun("tar", ["-xzf", tarball, "-C", folder]);
      const naming = globSync("package/**/*.{js,ts,json,map}", { cwd: folder }).filter((file) =>
        readFileSync(join(folder, file), "utf8").includes(root),
      );
      expect(naming).toEqual([]);
    }
  }, 120_000);
});
