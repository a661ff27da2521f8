import type { CommandFact } from "../subject.ts";
import { shorten } from "./display.ts";
import type { GrantedFile, GrantFacts, GrantSubject } from "./grant.ts";

/** Programs whose meaning the repository around them decides: their grants count in one repository. */
const REPOSITORY_PROGRAMS: ReadonlySet<string> = new Set([
  "git", "gh", "glab", "hg", "jj", "svn", "npm", "pnpm", "yarn", "bun", "npx", "pnpx", "bunx", "deno", "make", "just",
  "cargo", "go", "turbo", "nx", "gradle", "gradlew", "mvn", "bazel", "rake", "bundle", "poetry", "uv", "composer",
  "dotnet", "mix", "task",
]); // prettier-ignore

/** Programs that run the file which their first operand names. */
const INTERPRETERS: ReadonlySet<string> = new Set([
  "node", "tsx", "ts-node", "python", "python3", "bash", "sh", "dash", "zsh", "ksh", "ruby", "perl", "php", "lua",
  "Rscript", "osascript", "source", ".",
]); // prettier-ignore

/** Programs that start others: any file that their operands name may be the one that runs. */
const STARTERS: ReadonlySet<string> = new Set([
  "npx", "pnpx", "bunx", "npm", "pnpm", "yarn", "bun", "deno", "go", "uv", "uvx", "poetry", "bundle", "dotnet",
]); // prettier-ignore

/** Files that say what a program runs, where it is called or at the root of the repository. */
const MANIFESTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["npm", ["package.json"]],
  ["pnpm", ["package.json"]],
  ["yarn", ["package.json"]],
  ["bun", ["package.json"]],
  ["deno", ["deno.json", "deno.jsonc", "package.json"]],
  ["make", ["GNUmakefile", "makefile", "Makefile"]],
  ["just", ["justfile", "Justfile", ".justfile"]],
  ["task", ["Taskfile.yml", "Taskfile.yaml"]],
  ["rake", ["Rakefile", "rakefile"]],
  ["composer", ["composer.json"]],
  ["uv", ["pyproject.toml"]],
  ["poetry", ["pyproject.toml"]],
]);

/** Where a grant counts. */
export interface GrantBinding {
  readonly folder: string;
  readonly repository: boolean;
  readonly files: readonly GrantedFile[];
}

/** What binds a call: its folder and the contents of every file that it runs. Undefined: it cannot be bound. */
export function bindingOf(subject: GrantSubject, facts: GrantFacts): GrantBinding | undefined {
  const cwd = facts.realPath(subject.request.cwd);
  if (cwd === undefined) return undefined;
  const root = facts.repositoryOf(cwd);
  const files = filesOf(subject, cwd, root, facts);
  if (files === undefined) return undefined;
  return root !== undefined && isRepositorysBusiness(subject.decision.subject.commands)
    ? { folder: root, repository: true, files }
    : { folder: cwd, repository: false, files };
}

/** One other program in the line, or a file that is written by the way, and the folder itself binds. */
function isRepositorysBusiness(commands: readonly CommandFact[]): boolean {
  const wrappers = new Set(commands.flatMap((command) => command.wrappers));
  const plain = commands.filter((command) => command.program === undefined || !wrappers.has(command.program));
  return (
    plain.length > 0 &&
    plain.every((command) => command.program !== undefined && REPOSITORY_PROGRAMS.has(command.program)) &&
    commands.every((command) => command.redirections.every((redirection) => redirection.action !== "write"))
  );
}

function filesOf(
  subject: GrantSubject,
  cwd: string,
  root: string | undefined,
  facts: GrantFacts,
): readonly GrantedFile[] | undefined {
  const files = new Map<string, string>();
  const { resources, commands } = subject.decision.subject;
  const add = (base: string, value: string): boolean => {
    const written = facts.resolve(base, value);
    const path = facts.realPath(written) ?? written;
    const sha256 = facts.hashFile(path);
    if (sha256 === undefined) return false;
    files.set(path, sha256);
    return true;
  };
  for (const resource of [...resources, ...commands.flatMap((command) => command.resources)]) {
    if (resource.action !== "execute" || resource.kind !== "path") continue;
    if (resource.value === undefined) return undefined;
    if (!add(facts.resolve(cwd, resource.base ?? "."), resource.value)) return undefined;
  }
  for (const command of commands) {
    const program = command.argv[0].value;
    const base = facts.resolve(cwd, command.cwd ?? ".");
    // A program that is named by a path is itself a file that runs; a bare name is the machine's own.
    if (program?.includes("/") === true && !add(base, program)) return undefined;
    if (command.program === undefined) continue;
    // These may name no file at all; where they do, its content counts.
    const operands = INTERPRETERS.has(command.program)
      ? command.operands.slice(0, 1)
      : STARTERS.has(command.program)
        ? command.operands
        : [];
    for (const { value } of operands) if (value !== undefined) add(base, value);
    for (const name of MANIFESTS.get(command.program) ?? []) {
      add(base, name);
      if (root !== undefined) add(root, name);
    }
  }
  return [...files].map(([path, sha256]) => ({ path, sha256 })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

export function sameFiles(a: readonly GrantedFile[], b: readonly GrantedFile[]): boolean {
  return (
    a.length === b.length &&
    a.every((file, index) => file.path === b[index]?.path && file.sha256 === b[index]?.sha256)
  );
}

/** Where a grant will count, for the person who gives it. */
export function boundInWords(binding: GrantBinding): string {
  const where = `${binding.repository ? "in the repository" : "in the folder"} ${shorten(binding.folder)}`;
  if (binding.files.length === 0) return where;
  return `${where}, while ${binding.files.map((file) => shorten(file.path)).join(", ")} stays as it is`;
}
