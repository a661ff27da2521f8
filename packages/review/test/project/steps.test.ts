import { chmodSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { checkKinds, type CheckKind } from "../../src/checks.ts";
import { findSteps } from "../../src/node/project/steps.ts";
import { findSuites } from "../../src/node/project/suites.ts";
import { makeFolder } from "../support/repository.ts";

const programs = makeFolder();
for (const name of [
  "npm",
  "pnpm",
  "yarn",
  "bun",
  "node",
  "tsc",
  "python3",
  "go",
  "cargo",
  "ruff",
  "pyright",
  "eslint",
  "golangci-lint",
]) {
  programs.write(name, "#!/bin/sh\nexit 0\n");
  chmodSync(join(programs.path, name), 0o755);
}
const before = process.env["PATH"];
beforeEach(() => void (process.env["PATH"] = programs.path));
afterEach(() => void (process.env["PATH"] = before));

const manifest = (scripts: Record<string, string>, more: object = {}): string =>
  JSON.stringify({ name: "a", scripts, ...more });
const scripts = { typecheck: "tsc --noEmit", lint: "oxlint", test: "vitest run" };

async function stepsOf(
  files: Record<string, string>,
  kinds: readonly CheckKind[] = checkKinds,
): Promise<string[]> {
  using folder = makeFolder(files);
  const steps = await findSteps(folder.path, new Set(kinds));
  return steps.map(
    ({ id, command, label }) => `${id}: ${command === undefined ? `missing ${label}` : command.label}`,
  );
}

// contract A5
describe("a project's own checks are found, whatever its package manager", () => {
  test.each([
    ["npm", { "package-lock.json": "{}" }],
    ["pnpm", { "pnpm-lock.yaml": "" }],
    ["bun", { "bun.lock": "" }],
  ])("%s by its lock file", async (manager, lock) => {
    expect(await stepsOf({ "package.json": manifest(scripts), ...lock })).toEqual([
      `typecheck: ${manager} run typecheck`,
      `lint: ${manager} run lint`,
      `test: ${manager} run test`,
    ]);
  });

  test("yarn by the packageManager field, which counts more than a lock file", async () => {
    const files = {
      "package.json": manifest(scripts, { packageManager: "yarn@4.1.0" }),
      "package-lock.json": "{}",
    };
    expect(await stepsOf(files)).toEqual(["typecheck: yarn typecheck", "lint: yarn lint", "test: yarn test"]);
  });

  test("a package manager that is not installed: Node runs the script", async () => {
    using bare = makeFolder();
    bare.write("node", "#!/bin/sh\n");
    chmodSync(join(bare.path, "node"), 0o755);
    process.env["PATH"] = bare.path;
    expect(await stepsOf({ "package.json": manifest(scripts), "pnpm-lock.yaml": "" }, ["typecheck"])).toEqual(
      ["typecheck: node --run typecheck"],
    );
  });

  test("other names of scripts; unit tests before all tests; no placeholder", async () => {
    expect(
      await stepsOf({
        "package.json": manifest({ "check-types": "tsc", "test:unit": "vitest", test: "playwright test" }),
      }),
    ).toEqual(["typecheck: npm run check-types", "test: npm run test:unit"]);
    expect(
      await stepsOf({ "package.json": manifest({ test: 'echo "Error: no test specified" && exit 1' }) }),
    ).toEqual([]);
  });

  test("without scripts: tsc, a linter with a configuration, a runner among the dependencies", async () => {
    const files = {
      "package.json": manifest({}, { devDependencies: { vitest: "*" } }),
      "tsconfig.json": "{}",
      "eslint.config.js": "",
    };
    expect(await stepsOf(files)).toEqual([
      "typecheck: tsc --noEmit -p .",
      "lint: eslint .",
      "test: missing vitest run",
    ]);
  });

  test("the referenced projects of a tsconfig without files", async () => {
    const files = {
      "package.json": manifest({}),
      "tsconfig.json":
        '{ "files": [], "references": [{ "path": "./a" }, { "path": "--evil" }, { "path": "b" }] }',
    };
    expect(await stepsOf(files, ["typecheck"])).toEqual([
      "typecheck:./a: tsc --noEmit -p ./a",
      "typecheck:b: tsc --noEmit -p b",
    ]);
  });

  test("workspaces: what the root does not check, its packages do", async () => {
    const files = {
      "package.json": manifest(
        { lint: "oxlint" },
        { workspaces: ["packages/*", "!packages/skipped", "../outside", "/etc"] },
      ),
      "packages/a/package.json": manifest({ typecheck: "tsc", lint: "x", test: "vitest run" }),
      "packages/b/package.json": manifest({ test: "node --test" }),
      "packages/skipped/package.json": manifest({ test: "node --test" }),
    };
    expect(await stepsOf(files)).toEqual([
      "lint: npm run lint",
      "packages/a:typecheck: npm run typecheck",
      "packages/a:test: npm run test",
      "packages/b:test: npm run test",
    ]);
  });

  test("pnpm workspaces", async () => {
    const files = {
      "package.json": manifest({}),
      "pnpm-workspace.yaml": "packages:\n  # all\n  - 'apps/*'\n  - \"libs/**\" # deep\n\ncatalog:\n  - x\n",
      "apps/a/package.json": manifest({ test: "jest" }),
      "libs/x/y/package.json": manifest({ test: "mocha" }),
    };
    expect(await stepsOf(files, ["test"])).toEqual([
      "apps/a:test: pnpm run test",
      "libs/x/y:test: pnpm run test",
    ]);
  });

  test("Python, Go and Rust by their usual commands", async () => {
    const python = {
      "pyproject.toml": "[tool.mypy]\n[tool.ruff.lint]\n[tool.pyright]\n[tool.pytest.ini_options]\n",
    };
    expect(await stepsOf(python)).toEqual([
      "typecheck:mypy: python -m mypy .",
      "typecheck:pyright: pyright",
      "lint:ruff: ruff check .",
      "test:pytest: python -m pytest",
    ]);
    expect(await stepsOf({ "go.mod": "module a\n", ".golangci.yml": "" })).toEqual([
      "typecheck:go: go vet ./...",
      "lint:golangci-lint: golangci-lint run",
      "test:go: go test ./...",
    ]);
    expect(await stepsOf({ "Cargo.toml": '[package]\nname = "a"\n[lints.clippy]\n' })).toEqual([
      "typecheck:cargo: cargo check --all-targets",
      "lint:cargo: cargo clippy --all-targets",
      "test:cargo: cargo test --no-fail-fast",
    ]);
  });

  test("the virtual environment of a Python project is used", async () => {
    using folder = makeFolder({ "pyproject.toml": "[tool.pytest]\n", ".venv/bin/python": "#!/bin/sh\n" });
    chmodSync(join(folder.path, ".venv/bin/python"), 0o755);
    const [step] = await findSteps(folder.path, new Set<CheckKind>(["test"]));
    expect(step?.command?.file).toBe(join(folder.path, ".venv/bin/python"));
  });

  test("a broken package.json, a huge one and a folder in its place find nothing and break nothing", async () => {
    expect(await stepsOf({ "package.json": "{" })).toEqual([]);
    expect(
      await stepsOf({ "package.json": JSON.stringify({ scripts: { test: "x".repeat(2_000_000) } }) }),
    ).toEqual([]);
    expect(await stepsOf({ "package.json/x": "" })).toEqual([]);
    expect(
      await stepsOf({ "package.json": '{ "scripts": { "test": 1, "__proto__": "x", "typecheck": ["a"] } }' }),
    ).toEqual([]);
  });
});

describe("a project's test runs are found", () => {
  async function suitesOf(files: Record<string, string>, script?: string): Promise<string[]> {
    using folder = makeFolder(files);
    const suites = await findSuites(folder.path, { script });
    // Awaited here, while the folder is still there.
    return await Promise.all(
      suites.map(async (suite) => {
        const command = await suite.command(["--added"]);
        return [suite.runner, command?.args.join(" ") ?? "missing", suite.note ?? ""].join(" | ");
      }),
    );
  }

  test("arguments are added in the way of each package manager", async () => {
    expect(await suitesOf({ "package.json": manifest({ test: "vitest" }) })).toEqual([
      "vitest | run --silent test -- --added | ",
    ]);
    expect(await suitesOf({ "package.json": manifest({ test: "vitest" }), "pnpm-lock.yaml": "" })).toEqual([
      "vitest | --silent run test --added | ",
    ]);
    expect(await suitesOf({ "package.json": manifest({ test: "vitest" }), "yarn.lock": "" })).toEqual([
      "vitest | run test --added | ",
    ]);
  });

  test("a script that calls another one is followed, a circle is not followed for ever", async () => {
    expect(
      await suitesOf({
        "package.json": manifest({
          test: "npm run lint && npm run t2",
          t2: "pnpm run t3",
          t3: "jest",
          lint: "x",
        }),
      }),
    ).toEqual(['jest | run --silent t3 -- --added | only the last command of "test" was run']);
    expect(
      await suitesOf({ "package.json": manifest({ test: "npm run t2", t2: "npm run test" }) }),
    ).toHaveLength(1);
  });

  test("a runner behind a pipe is started itself, where it is installed", async () => {
    using folder = makeFolder({
      "package.json": manifest({ test: "mocha --exit test | tee log" }),
      "node_modules/.bin/mocha": "#!/bin/sh\n",
    });
    chmodSync(join(folder.path, "node_modules/.bin/mocha"), 0o755);
    const [suite] = await findSuites(folder.path);
    expect(await suite?.command(["--added"])).toMatchObject({
      file: join(folder.path, "node_modules/.bin/mocha"),
      args: ["--exit", "test", "--added"],
    });
    expect(suite?.note).toContain("only the test command");
  });

  test("a script that is not of a known runner is run as it is", async () => {
    expect(await suitesOf({ "package.json": manifest({ test: "make check" }) })).toEqual([
      "unknown | run --silent test -- --added | ",
    ]);
  });

  test("a script that was asked for by name, and none that is not there", async () => {
    const files = { "package.json": manifest({ test: "vitest", "test:e2e": "playwright test" }) };
    expect(await suitesOf(files, "test:e2e")).toEqual(["playwright | run --silent test:e2e -- --added | "]);
    expect(await suitesOf(files, "toString")).toEqual([]);
    expect(await suitesOf(files, "nope")).toEqual([]);
  });

  test("a root script of its own gives way to the packages' runners, when it has any", async () => {
    const root = manifest({ test: "node scripts/test.js" }, { workspaces: ["packages/*"] });
    const known = await suitesOf({
      "package.json": root,
      "packages/a/package.json": manifest({ test: "vitest run" }),
    });
    expect(known).toEqual([
      expect.stringMatching(/^vitest \| .*"test" of the root is not of a known runner/),
    ]);
    const unknown = await suitesOf({
      "package.json": root,
      "packages/a/package.json": manifest({ test: "make" }),
    });
    expect(unknown).toEqual([expect.stringMatching(/^unknown/)]);
  });

  test("turbo and its like become one run a package", async () => {
    const files = {
      "package.json": manifest({ test: "turbo run test" }, { workspaces: ["packages/*"] }),
      "packages/a/package.json": manifest({ test: "vitest run" }),
      "packages/b/package.json": manifest({ test: "jest" }),
    };
    expect((await suitesOf(files)).map((line) => line.split(" | ")[0])).toEqual(["vitest", "jest"]);
  });
});
