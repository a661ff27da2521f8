import { join } from "node:path";

import type { CheckKind } from "../../checks.ts";
import { limits } from "../../limits.ts";
import { binFolders, exists, findProgram, pathFolders, readTextFile } from "../files.ts";
import {
  packageManagerOf,
  readPackage,
  scriptCommand,
  workspaceFolders,
  type Command,
  type PackageFolder,
} from "./package.ts";
import { readScript, scriptTarget } from "./script.ts";
import { findPython, findSuites, isPythonProject, shownFolder, testScriptOf } from "./suites.ts";

/** One check to run. */
export interface PlannedStep {
  readonly id: string;
  readonly kind: CheckKind;
  /** Absolute. */
  readonly folder: string;
  /** `undefined`: its program is not installed. */
  readonly command: Command | undefined;
  readonly label: string;
  /** Steps with the same lock run one after the other, because they share a build folder. */
  readonly lock?: string;
}

const typecheckScripts = [
  "typecheck",
  "type-check",
  "check-types",
  "check:types",
  "types",
  "tsc",
  "lint:types",
  "ts:check",
];
const lintScripts = ["lint", "lint:check", "lint:ci", "eslint", "oxlint"];

/** Finds the checks of the project in `root`, of the wanted kinds only. */
export async function findSteps(
  root: string,
  kinds: ReadonlySet<CheckKind>,
): Promise<readonly PlannedStep[]> {
  const steps: PlannedStep[] = [];
  const target = await readPackage(root);
  if (target !== undefined) steps.push(...(await packageSteps(root, target, kinds)));
  steps.push(
    ...(await pythonSteps(root, kinds)),
    ...(await goSteps(root, kinds)),
    ...(await rustSteps(root, kinds)),
  );
  return steps;
}

async function packageSteps(
  root: string,
  target: PackageFolder,
  kinds: ReadonlySet<CheckKind>,
): Promise<readonly PlannedStep[]> {
  const steps: PlannedStep[] = [];
  const open = new Set<CheckKind>();
  for (const kind of kinds) {
    const found = await packageStep(root, target, kind);
    if (found.length > 0) steps.push(...found);
    else open.add(kind);
  }
  // What the root does not check, its packages may.
  if (open.size === 0) return steps;
  for (const member of await workspaceFolders(root)) {
    const inner = await readPackage(member);
    if (inner === undefined) continue;
    for (const kind of open) steps.push(...(await packageStep(root, inner, kind)));
  }
  return steps;
}

async function packageStep(
  root: string,
  target: PackageFolder,
  kind: CheckKind,
): Promise<readonly PlannedStep[]> {
  const at = shownFolder(root, target.folder);
  const id = at === "." ? kind : `${at}:${kind}`;
  const base = { id, kind, folder: target.folder } as const;
  if (kind === "test") {
    const name = testScriptOf(target);
    if (name !== undefined) return [await scriptStep(base, target, name)];
    if ((await workspaceFolders(target.folder)).length > 0) return [];
    const suites = (await findSuites(target.folder)).filter(
      ({ runner }) => !["pytest", "go", "cargo"].includes(runner),
    );
    return Promise.all(
      suites.map(async (suite) => ({
        ...base,
        command: await suite.command([]),
        label: suite.words.join(" "),
      })),
    );
  }
  const script = (kind === "typecheck" ? typecheckScripts : lintScripts).find((name) =>
    target.scripts.has(name),
  );
  if (script !== undefined) return [await scriptStep(base, target, script)];
  return kind === "typecheck" ? typescriptSteps(base, target.folder) : linterSteps(base, target.folder);
}

type StepBase = Pick<PlannedStep, "id" | "kind" | "folder">;

async function scriptStep(base: StepBase, target: PackageFolder, name: string): Promise<PlannedStep> {
  const command = await scriptCommand(target, name, await runOnce(target, name));
  return {
    ...base,
    command,
    label: command?.label ?? `${await packageManagerOf(target.folder)} run ${name}`,
  };
}

/** Runners that would watch the files are told to run once. */
async function runOnce(target: PackageFolder, name: string): Promise<readonly string[]> {
  const shape = readScript(target.scripts.get(name) ?? "");
  const words = shape.commands.at(-1) ?? [];
  if (!shape.sequence) return [];
  const found = scriptTarget(words, new Set(target.scripts.keys()));
  if (found.kind !== "runner") return [];
  if (found.runner === "vitest" && !words.includes("run") && !words.includes("--run")) return ["--run"];
  return found.runner === "jest" && words.some((word) => word.startsWith("--watch"))
    ? ["--watch=false", "--watchAll=false"]
    : [];
}

async function typescriptSteps(base: StepBase, folder: string): Promise<readonly PlannedStep[]> {
  const source = await readTextFile(join(folder, "tsconfig.json"), 1024 * 1024);
  if (source === undefined) return [];
  const tsc = await findProgram("tsc", [...binFolders(folder), ...pathFolders()]);
  const projects = solutionProjects(source);
  return (projects.length === 0 ? ["."] : projects).map((project) => ({
    ...base,
    id: project === "." ? base.id : `${base.id}:${project}`,
    command:
      tsc === undefined
        ? undefined
        : { file: tsc, args: ["--noEmit", "-p", project], label: `tsc --noEmit -p ${project}` },
    label: `tsc --noEmit -p ${project}`,
  }));
}

/** The referenced projects of a `tsconfig.json` that has no files of its own. */
function solutionProjects(source: string): readonly string[] {
  if (!/"files"\s*:\s*\[\s*\]/.test(source)) return [];
  const paths = [...source.matchAll(/"path"\s*:\s*"([^"\n]{1,300})"/g)].flatMap(([, path]) =>
    path === undefined ? [] : [path],
  );
  return paths.filter((path) => !path.startsWith("-") && !path.startsWith("/")).slice(0, limits.steps);
}

const linters: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    "eslint",
    [
      "eslint.config.js",
      "eslint.config.mjs",
      "eslint.config.cjs",
      "eslint.config.ts",
      ".eslintrc.json",
      ".eslintrc.js",
      ".eslintrc.cjs",
      ".eslintrc.yml",
    ],
    ["."],
  ],
  ["biome", ["biome.json", "biome.jsonc"], ["check", "."]],
  ["oxlint", [".oxlintrc.json", "oxlint.json"], []],
];

async function linterSteps(base: StepBase, folder: string): Promise<readonly PlannedStep[]> {
  for (const [name, files, args] of linters) {
    for (const file of files) {
      if (!(await exists(join(folder, file)))) continue;
      const program = await findProgram(name, [...binFolders(folder), ...pathFolders()]);
      const label = [name, ...args].join(" ");
      return [
        { ...base, command: program === undefined ? undefined : { file: program, args, label }, label },
      ];
    }
  }
  return [];
}

async function pythonSteps(root: string, kinds: ReadonlySet<CheckKind>): Promise<readonly PlannedStep[]> {
  if (!(await isPythonProject(root))) return [];
  const configured = [
    (await readTextFile(join(root, "pyproject.toml"), 1024 * 1024)) ?? "",
    (await readTextFile(join(root, "setup.cfg"), 1024 * 1024)) ?? "",
  ].join("\n");
  const has = async (pattern: RegExp, ...files: string[]): Promise<boolean> =>
    pattern.test(configured) ||
    (await Promise.all(files.map((file) => exists(join(root, file))))).includes(true);
  const steps: PlannedStep[] = [];
  const add = async (
    kind: CheckKind,
    name: string,
    args: readonly string[],
    asModule: boolean,
  ): Promise<void> => {
    const folders = [join(root, ".venv", "bin"), join(root, "venv", "bin"), ...pathFolders()];
    const file = asModule ? await findPython(root) : await findProgram(name, folders);
    const label = [...(asModule ? ["python", "-m"] : []), name, ...args].join(" ");
    const command =
      file === undefined ? undefined : { file, args: [...(asModule ? ["-m", name] : []), ...args], label };
    steps.push({ id: `${kind}:${name}`, kind, folder: root, command, label });
  };
  if (kinds.has("typecheck")) {
    if (await has(/^\[(?:tool\.)?mypy\b/m, "mypy.ini", ".mypy.ini"))
      await add("typecheck", "mypy", ["."], true);
    if (await has(/^\[tool\.(?:based)?pyright\]/m, "pyrightconfig.json"))
      await add("typecheck", "pyright", [], false);
  }
  if (kinds.has("lint")) {
    if (await has(/^\[tool\.ruff\b/m, "ruff.toml", ".ruff.toml"))
      await add("lint", "ruff", ["check", "."], false);
    else if (await has(/^\[flake8\]/m, ".flake8")) await add("lint", "flake8", [], true);
  }
  if (kinds.has("test")) {
    const suites = await findSuites(root);
    if (suites.some(({ runner }) => runner === "pytest")) await add("test", "pytest", [], true);
  }
  return steps;
}

async function goSteps(root: string, kinds: ReadonlySet<CheckKind>): Promise<readonly PlannedStep[]> {
  if (!(await exists(join(root, "go.mod")))) return [];
  const go = await findProgram("go", pathFolders());
  const step = (kind: CheckKind, args: readonly string[]): PlannedStep => {
    const label = `go ${args.join(" ")}`;
    return {
      id: `${kind}:go`,
      kind,
      folder: root,
      command: go === undefined ? undefined : { file: go, args, label },
      label,
    };
  };
  const steps: PlannedStep[] = [];
  if (kinds.has("typecheck")) steps.push(step("typecheck", ["vet", "./..."]));
  if (kinds.has("lint") && (await exists(join(root, ".golangci.yml")))) {
    const file = await findProgram("golangci-lint", pathFolders());
    const label = "golangci-lint run";
    const command = file === undefined ? undefined : { file, args: ["run"], label };
    steps.push({ id: "lint:golangci-lint", kind: "lint", folder: root, command, label });
  }
  if (kinds.has("test")) steps.push(step("test", ["test", "./..."]));
  return steps;
}

async function rustSteps(root: string, kinds: ReadonlySet<CheckKind>): Promise<readonly PlannedStep[]> {
  const manifest = await readTextFile(join(root, "Cargo.toml"), 1024 * 1024);
  if (manifest === undefined) return [];
  const cargo = await findProgram("cargo", pathFolders());
  const step = (kind: CheckKind, args: readonly string[]): PlannedStep => {
    const label = `cargo ${args.join(" ")}`;
    const command =
      cargo === undefined
        ? undefined
        : { file: cargo, args: ["--color", "never", ...args], env: { RUST_BACKTRACE: "0" }, label };
    // cargo locks its target folder: two at once would only wait for each other, on the clock of both.
    return { id: `${kind}:cargo`, kind, folder: root, command, label, lock: root };
  };
  const steps: PlannedStep[] = [];
  if (kinds.has("typecheck")) steps.push(step("typecheck", ["check", "--all-targets"]));
  const wantsClippy =
    /^\[(?:workspace\.)?lints\.clippy\b/m.test(manifest) || (await exists(join(root, "clippy.toml")));
  if (kinds.has("lint") && wantsClippy) steps.push(step("lint", ["clippy", "--all-targets"]));
  if (kinds.has("test")) steps.push(step("test", ["test", "--no-fail-fast"]));
  return steps;
}
