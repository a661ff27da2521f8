import { join, relative, sep } from "node:path";

import { binFolders, exists, findProgram, pathFolders, readTextFile } from "../files.ts";
import type { RunnerName } from "../runners/runner.ts";
import {
  packageManagerOf,
  readPackage,
  scriptCommand,
  workspaceFolders,
  type Command,
  type PackageFolder,
} from "./package.ts";
import { programName, readScript, scriptTarget, type ScriptRunner } from "./script.ts";

/** One run of one test runner in one folder. */
export interface Suite {
  readonly runner: RunnerName;
  /** Absolute. */
  readonly folder: string;
  /** The words that start the runner, for what depends on its options. */
  readonly words: readonly string[];
  /** The command with the arguments that make the runner report. */
  command(extra: readonly string[]): Promise<Command | undefined>;
  /** Something the reader should know, for example what was left out. */
  readonly note?: string;
}

export interface SuiteQuery {
  /** A script of `package.json` instead of the usual ones. */
  readonly script?: string | undefined;
}

/** Scripts that hold the unit tests, the most exact name first. */
export const testScripts = ["test:unit", "unit", "test"] as const;
const placeholder = /no test specified/;
const maxHops = 5;

/**
 * The test runs of a folder: its package scripts, its workspace, and its Python, Go and Rust projects. All of them: what a
 * call leaves out has to be told.
 */
export async function findSuites(folder: string, query: SuiteQuery = {}): Promise<readonly Suite[]> {
  const found = [...(await packageSuites(folder, query, true))];
  if (query.script === undefined) found.push(...(await nativeSuites(folder)));
  return found;
}

async function packageSuites(folder: string, query: SuiteQuery, wide: boolean): Promise<readonly Suite[]> {
  const target = await readPackage(folder);
  if (target === undefined) return [];
  const name = testScriptOf(target, query.script);
  if (name === undefined) {
    const members = wide ? await workspaceSuites(folder, query) : [];
    return members.length > 0 || query.script !== undefined ? members : await dependencySuite(target);
  }
  const suites = await scriptSuites(target, name, query, wide);
  if (!wide || query.script !== undefined || suites.some(({ runner }) => runner !== "unknown")) return suites;
  // A script of the root's own that starts the packages' tests in its way: they tell more when they are run one by one.
  const members = await workspaceSuites(folder, query);
  if (members.every(({ runner }) => runner === "unknown")) return suites;
  return members.map((suite) => ({
    ...suite,
    note: `"${name}" of the root is not of a known runner: this package's was run`,
  }));
}

/** The script with the package's unit tests, or the one that was asked for. */
export function testScriptOf(target: PackageFolder, asked?: string): string | undefined {
  return (asked === undefined ? testScripts : [asked]).find((name) => {
    const script = target.scripts.get(name);
    return script !== undefined && !placeholder.test(script);
  });
}

async function scriptSuites(
  target: PackageFolder,
  first: string,
  query: SuiteQuery,
  wide: boolean,
): Promise<readonly Suite[]> {
  const names = new Set(target.scripts.keys());
  let name = first;
  let note: string | undefined;
  for (let hop = 0; hop < maxHops; hop += 1) {
    const shape = readScript(target.scripts.get(name) ?? "");
    const targets = shape.commands.map((words) => scriptTarget(words, names));
    const last = targets.at(-1);
    if (last?.kind === "script") {
      if (targets.length > 1) note = `only the last command of "${name}" was run`;
      name = last.name;
      continue;
    }
    if (last?.kind === "workspaces" && wide) {
      const members = await workspaceSuites(target.folder, query);
      if (members.length > 0) return members;
    }
    if (last?.kind === "runner" && shape.sequence) {
      return [scriptSuite(target, name, last.runner, shape.commands.at(-1) ?? [], note)];
    }
    const inner = targets.findIndex((found) => found.kind === "runner");
    const words = shape.commands[inner];
    const found = targets[inner];
    // The runner stands in the middle, or behind a pipe: added arguments would not reach it.
    if (found?.kind === "runner" && words !== undefined) {
      if (found.runner === "node:test") return [scriptSuite(target, name, found.runner, words, note)];
      return [directSuite(target, found.runner, words, `only the test command of "${name}" was run`)];
    }
    break;
  }
  const words = readScript(target.scripts.get(name) ?? "").commands.at(-1) ?? [];
  return [scriptSuite(target, name, "unknown", words, note)];
}

function scriptSuite(
  target: PackageFolder,
  script: string,
  runner: RunnerName,
  words: readonly string[],
  note?: string,
): Suite {
  return {
    runner,
    folder: target.folder,
    words,
    command: (extra) => scriptCommand(target, script, extra),
    ...(note === undefined ? {} : { note }),
  };
}

/** Starts the runner itself with the words that stood behind it in the script. */
function directSuite(
  target: PackageFolder,
  runner: ScriptRunner,
  words: readonly string[],
  note: string,
): Suite {
  const at = words.findIndex((word) => programName(word) === runner || programName(word) === "_mocha");
  return {
    runner,
    folder: target.folder,
    words,
    note,
    command: (extra) => programCommand(target.folder, runner, [...words.slice(at + 1), ...extra]),
  };
}

async function programCommand(
  folder: string,
  name: string,
  args: readonly string[],
): Promise<Command | undefined> {
  const file = await findProgram(name, [...binFolders(folder), ...pathFolders()]);
  return file === undefined
    ? undefined
    : { file, args, label: [name, ...args.filter((arg) => !arg.includes(sep))].join(" ") };
}

/** A package without a test script that has a runner among its dependencies. */
async function dependencySuite(target: PackageFolder): Promise<readonly Suite[]> {
  const known: readonly (readonly [string, ScriptRunner, readonly string[]])[] = [
    ["vitest", "vitest", ["run"]],
    ["jest", "jest", []],
    ["mocha", "mocha", []],
    ["@playwright/test", "playwright", ["test"]],
  ];
  for (const [dependency, runner, args] of known) {
    if (!target.dependencies.has(dependency)) continue;
    const words = [runner, ...args];
    return [
      {
        runner,
        folder: target.folder,
        words,
        command: (extra) => programCommand(target.folder, runner, [...args, ...extra]),
      },
    ];
  }
  if ((await packageManagerOf(target.folder)) !== "bun") return [];
  return [
    {
      runner: "bun",
      folder: target.folder,
      words: ["bun", "test"],
      command: (extra) => programCommand(target.folder, "bun", ["test", ...extra]),
    },
  ];
}

async function workspaceSuites(folder: string, query: SuiteQuery): Promise<readonly Suite[]> {
  const suites: Suite[] = [];
  for (const member of await workspaceFolders(folder)) {
    suites.push(...(await packageSuites(member, query, false)));
  }
  return suites;
}

async function nativeSuites(folder: string): Promise<readonly Suite[]> {
  const suites: Suite[] = [];
  if (await isPytestProject(folder)) {
    suites.push({
      runner: "pytest",
      folder,
      words: ["pytest"],
      command: async (extra) => {
        const python = await findPython(folder);
        return python === undefined
          ? undefined
          : { file: python, args: ["-m", "pytest", ...extra], label: "python -m pytest" };
      },
    });
  }
  if (await exists(join(folder, "go.mod"))) {
    suites.push({
      runner: "go",
      folder,
      words: ["go", "test"],
      command: async () => {
        const file = await findProgram("go", pathFolders());
        return file === undefined
          ? undefined
          : { file, args: ["test", "-json", "./..."], label: "go test ./..." };
      },
    });
  }
  if (await exists(join(folder, "Cargo.toml"))) {
    suites.push({
      runner: "cargo",
      folder,
      words: ["cargo", "test"],
      command: async () => {
        const file = await findProgram("cargo", pathFolders());
        const args = ["--color", "never", "test", "--no-fail-fast", "--", "--color", "never"];
        return file === undefined
          ? undefined
          : { file, args, env: { RUST_BACKTRACE: "0" }, label: "cargo test" };
      },
    });
  }
  return suites;
}

const pythonBytes = 1024 * 1024;

export async function isPythonProject(folder: string): Promise<boolean> {
  for (const name of [
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "pytest.ini",
    "tox.ini",
  ]) {
    if (await exists(join(folder, name))) return true;
  }
  return false;
}

async function isPytestProject(folder: string): Promise<boolean> {
  if (!(await isPythonProject(folder))) return false;
  for (const name of ["pytest.ini", "conftest.py", "tests", "test", ".pytest.ini"]) {
    if (await exists(join(folder, name))) return true;
  }
  for (const name of ["pyproject.toml", "setup.cfg", "tox.ini", "requirements.txt"]) {
    if (/\bpytest\b/.test((await readTextFile(join(folder, name), pythonBytes)) ?? "")) return true;
  }
  return false;
}

/** The interpreter of the project's virtual environment, else the one on `PATH`. */
export async function findPython(folder: string): Promise<string | undefined> {
  const inside = [".venv", "venv"].flatMap((name) => [
    join(folder, name, "bin"),
    join(folder, name, "Scripts"),
  ]);
  return (
    (await findProgram("python", inside)) ??
    (await findProgram("python3", pathFolders())) ??
    findProgram("python", pathFolders())
  );
}

/** A folder as the model may see it: relative to the project, `.` for the project itself. */
export function shownFolder(root: string, folder: string): string {
  const path = relative(root, folder).split(sep).join("/");
  return path === "" ? "." : path;
}
