import type { CommandFact } from "../subject.ts";
import { shorten } from "./display.ts";
import type { GrantedFile, GrantFacts, GrantSubject } from "./grant.ts";

/**
 * Programs that mean the same everywhere in a repository: their grants count in all of it. Those that build or run what
 * a folder holds mean another thing in each folder, so the folder binds them.
 */
const REPOSITORY_PROGRAMS: ReadonlySet<string> = new Set(["git", "gh", "glab", "hg", "jj", "svn"]);

/** Programs that run the file which their first operand names. */
const INTERPRETERS: ReadonlySet<string> = new Set([
  "node", "tsx", "ts-node", "python", "python3", "bash", "sh", "dash", "zsh", "ksh", "ruby", "perl", "php", "lua",
  "Rscript", "osascript", "source", ".",
]); // prettier-ignore

/** Programs that start others: any file that their words name may be the one that runs. */
const STARTERS: ReadonlySet<string> = new Set([
  "npx", "pnpx", "bunx", "npm", "pnpm", "yarn", "bun", "deno", "go", "uv", "uvx", "poetry", "bundle", "dotnet", "make",
  "just", "task", "rake", "cargo", "turbo", "nx", "gradle", "gradlew", "mvn", "bazel", "composer", "mix",
]); // prettier-ignore

/** Most words of such a program; with more a call cannot be remembered. */
const MAX_WORDS = 200;
/** Most folders above a call in which the files that say what runs are looked for. */
const MAX_PARENTS = 64;

/** Files that say what a program runs: where it is called, in any folder above, or where its words point to. */
const MANIFESTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["npm", ["package.json"]],
  ["npx", ["package.json"]],
  ["pnpm", ["package.json", "pnpm-workspace.yaml"]],
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
  ["cargo", ["Cargo.toml", "build.rs", ".cargo/config.toml"]],
  ["go", ["go.mod"]],
  ["turbo", ["turbo.json", "package.json"]],
  ["nx", ["nx.json", "project.json", "package.json"]],
  ["gradle", ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"]],
  ["gradlew", ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"]],
  ["mvn", ["pom.xml"]],
  ["bundle", ["Gemfile"]],
  ["mix", ["mix.exs"]],
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
    const started = STARTERS.has(command.program);
    const words = started
      ? command.argv.slice(1).flatMap(({ value }) => (value === undefined ? [] : pathsIn(value)))
      : INTERPRETERS.has(command.program)
        ? command.operands.slice(0, 1).flatMap(({ value }) => value ?? [])
        : [];
    if (words.length > MAX_WORDS) return undefined;
    for (const word of words) add(base, word);
    for (const name of MANIFESTS.get(command.program) ?? []) {
      for (const folder of foldersUp(base, root, facts)) add(folder, name);
      // `--prefix sub`, `-C sub`: the folder that a word names may be the one that counts.
      for (const word of words) add(facts.resolve(base, word), name);
    }
  }
  return [...files].map(([path, sha256]) => ({ path, sha256 })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A word as a path, and what stands behind its `=`. */
function pathsIn(word: string): readonly string[] {
  const at = word.indexOf("=");
  return at < 0 ? [word] : [word, word.slice(at + 1)];
}

/** The folder and those above it, up to the root of the repository, or of the machine where there is none. */
function foldersUp(folder: string, root: string | undefined, facts: GrantFacts): readonly string[] {
  const folders: string[] = [];
  let current = facts.realPath(folder) ?? folder;
  for (let depth = 0; depth < MAX_PARENTS; depth += 1) {
    folders.push(current);
    const parent = facts.resolve(current, "..");
    if (current === root || parent === current) break;
    current = parent;
  }
  return folders;
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
