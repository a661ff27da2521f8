import { runLine, type CommandCall } from "../effects.ts";
import { literalWord, unknownWord, wordTail, type ShellWord } from "../shell-word.ts";
import { startWords } from "../unwrap.ts";
import { has } from "./has.ts";

/** What `cmake -E` does, in the words of programs that are known. */
const cmakeTools: Readonly<Record<string, readonly string[]>> = {
  rm: ["rm"],
  remove: ["rm"],
  remove_directory: ["rm", "-r"],
  copy: ["cp", "-r"],
  copy_directory: ["cp", "-r"],
  copy_if_different: ["cp"],
  rename: ["mv"],
  touch: ["touch"],
  touch_nocreate: ["touch"],
  make_directory: ["mkdir", "-p"],
  create_symlink: ["ln", "-s"],
  create_hardlink: ["ln"],
  cat: ["cat"],
  tar: ["tar"],
  env: ["env"],
  time: ["time"],
  chdir: ["env", "-C"],
  echo: ["echo"],
  sleep: ["sleep"],
};

function readCmake(call: CommandCall): void {
  for (const { rest } of call.parsed.flags) {
    const [tool, ...words] = rest ?? [];
    if (tool === undefined) continue;
    const name = tool.value ?? "";
    const known = Object.hasOwn(cmakeTools, name) ? cmakeTools[name] : undefined;
    if (known !== undefined) startWords(call, [...known.map((word) => literalWord(word)), ...words]);
    else if (!/^(capabilities|compare_files|md5sum|sha\d+sum|environment)$/.test(name))
      call.effects.hide(`cmake -E ${tool.raw} is not known`);
  }
}

/** `-Dexec.executable=x`: a property that names a program. */
function readMvn(call: CommandCall): void {
  for (const word of call.words) {
    const program = /^-Dexec\.executable=/.exec(word.value ?? "")?.[0];
    if (program !== undefined) startWords(call, [wordTail(word, program.length), unknownWord("…")]);
    const folder = /^-D(outputDirectory|directory|buildDirectory)=/.exec(word.value ?? "")?.[0];
    if (folder !== undefined)
      call.effects.path("write", wordTail(word, folder.length), `mvn ${word.raw}`, { tree: true });
  }
}

/** Reads its first operands and writes what an option or, for some, the last one names. */
function readConverter(call: CommandCall): void {
  const { program, parsed, effects, words } = call;
  for (const word of words.slice(1)) {
    const folder = /^--\w+_out=(?:[^:]*:)?/.exec(word.value ?? "")?.[0];
    // Only the program knows which files it makes there.
    if (folder !== undefined) effects.within(wordTail(word, folder.length), `${program} ${word.raw}`);
    // `dot -oout`: glued, with one dash.
    const glued = /^-o(?=[^-=\s])/.exec(word.value ?? "");
    if (glued !== null && word.value !== "-output" && word.value !== "-out")
      effects.path("write", wordTail(word, 2), `${program} ${word.raw}`);
  }
  const writesLast = /^(sass|lessc|magick|convert|ffmpeg)$/.test(program);
  parsed.operands.forEach((word, index) => {
    effects.path("read", word, `${program} ${word.raw}`);
    if (writesLast && index === parsed.operands.length - 1)
      effects.path("write", word, `${program} ${word.raw}`);
  });
}

/** `--emit=obj=path` */
function readRustc(call: CommandCall): void {
  for (const { name, value } of call.parsed.flags) {
    const at = name === "--emit" ? (value?.value?.indexOf("=") ?? -1) : -1;
    if (at !== -1 && value !== undefined) call.effects.path("write", wordTail(value, at + 1), "rustc --emit");
    if ((name === "-C" || name === "--codegen") && /^linker=|^link-arg/.test(value?.value ?? ""))
      call.effects.doubt("environment", "rustc -C linker names a program that it runs");
  }
}

/** Installing a package of the system runs the scripts that it holds. */
function readSystemPackages(call: CommandCall): void {
  const { program, effects } = call;
  const changes = has(
    call,
    "--install",
    "--upgrade",
    "--freshen",
    "--unpack",
    "--configure",
    "--erase",
    "--remove",
    "--purge",
  );
  if (changes) effects.hide(`${program} runs the scripts of the package`);
}

/** Every operand is a shell line. */
function readLines(call: CommandCall): void {
  for (const word of call.parsed.operands) runLine(call, word, `${call.program} ${word.raw}`);
}

/** What such a client is fed are commands, and some of them start programs. */
function readClient(call: CommandCall): void {
  if (call.scope.input.kind !== "inherited")
    call.effects.hide(`${call.program} runs what it reads from standard input`);
}

/** `-g`: what is installed lies outside the project, where only the package manager knows. */
export function readGlobal(call: CommandCall): void {
  readSettings(call);
  const [name, second] = call.parsed.subcommand;
  const changes = /^(i|in|ins|install|add|un|uninstall|rm|remove|r|update|up|upgrade|link|ln|ci)$/;
  if (has(call, "--global") && changes.test(name ?? ""))
    call.effects.path("write", unknownWord("…"), `${call.program} ${name} -g`);
  if (call.program === "yarn" && name === "global" && second === undefined && call.parsed.operands.length > 0)
    call.effects.path("write", unknownWord("…"), "yarn global");
}

/** Modules that Python runs by name, in the words of programs that are known. */
export function moduleWords(
  words: readonly ShellWord[],
  module: ShellWord,
): readonly ShellWord[] | undefined {
  const at = words.findIndex((word) => word === module || word.value === `-m${module.value}`);
  return at === -1 ? undefined : [module, ...words.slice(at + 1)];
}

/** `java -cp a:b/*`: code that is run, wherever it lies. */
export function readClassPath(call: CommandCall): void {
  const action = call.program === "java" ? "execute" : "read";
  for (const { value, prefix } of call.words.slice(1))
    if (/^(-javaagent:|-agent(lib|path):|-Xbootclasspath|@)/.test(value ?? prefix) && action === "execute")
      call.effects.doubt("environment", `java ${prefix} decides which configuration or code is used`);
  for (const { name, value } of call.parsed.flags) {
    if (name !== "--class-path" || value === undefined) continue;
    const origin = `${call.program} -cp`;
    if (value.value === undefined) {
      call.effects.path(action, value, origin);
      continue;
    }
    for (const text of value.value.split(/[:;]/)) {
      if (text === "") continue;
      // `lib/*`: every archive in there.
      const entry = literalWord(text === "*" ? "." : text.replace(/\/\*$/, ""));
      call.effects.path(action, entry, origin);
      call.effects.path("read", entry, origin, { tree: true });
    }
  }
}

/** `gcc @file`: more words stand in a file. */
function readCompiler(call: CommandCall): void {
  for (const word of call.words.slice(1))
    if ((word.value ?? word.prefix).startsWith("@"))
      call.effects.path("read", wordTail(word, 1), `${call.program} ${word.raw}`);
  if (call.program === "javac") readClassPath(call);
}

/** `lerna exec -- x`: what stands behind the word is a command. */
function readExecWord(call: CommandCall): void {
  const at = call.words.findIndex(({ value }) => value === "exec");
  if (at === -1) {
    readWorkspace(call);
    return;
  }
  const behind = call.words.slice(at + 1);
  const dashes = behind.findIndex(({ value }) => value === "--");
  const first = behind.findIndex(({ value, prefix }) => !(value ?? prefix).startsWith("-"));
  const words = dashes === -1 ? behind.slice(first === -1 ? behind.length : first) : behind.slice(dashes + 1);
  if (words.length === 0) return;
  call.effects.readOnly = false;
  startWords(call, words);
}

/** `yarn workspace name publish` and `yarn workspaces foreach -A publish` are `yarn publish` elsewhere in the project. */
function readWorkspace(call: CommandCall): void {
  const { words, parsed, effects } = call;
  if (!call.program.startsWith("yarn")) return;
  const [first] = parsed.operands;
  const each = parsed.subcommand[0] === "workspaces";
  if (first === undefined || (each && first.value !== "foreach")) return;
  const behind = words.slice(words.indexOf(first) + 1);
  const start = each ? behind.findIndex(({ value, prefix }) => !(value ?? prefix).startsWith("-")) : 0;
  if (start === -1 || behind.length === 0) return;
  effects.readOnly = false;
  startWords(call, [literalWord("yarn"), ...behind.slice(start)]);
}

/** What it keeps for the person lies in the home folder. */
function readSettings(call: CommandCall): void {
  const { program, parsed } = call;
  const [name] = parsed.subcommand;
  const [verb] = parsed.operands;
  const home = (path: string): void => {
    const value = `~/${path}`;
    call.effects.path("write", { raw: value, value, prefix: value, tilde: true }, `${program} ${name}`);
  };
  if (program === "go" && name === "env" && has(call, "-w", "-u")) home(".config/go/env");
  const changes = /^(set|unset|delete|rm|edit|fix)$/.test(verb?.value ?? "") || verb?.value === undefined;
  const sets =
    (name === "set" && program === "npm") ||
    (/^(config|c)$/.test(name ?? "") && verb !== undefined && changes);
  if (!sets) return;
  if (program.startsWith("pip")) home(".config/pip/pip.conf");
  else if (/^p?npm$/.test(program) && call.words.some(({ value }) => value === "--location=project"))
    call.effects.path("write", literalWord(".npmrc"), `${program} ${name}`);
  else if (/^p?npm$/.test(program)) home(".npmrc");
}

export const buildSpecials: readonly (readonly [string, (call: CommandCall) => void])[] = [
  ["cmake", readCmake],
  ["mvn", readMvn],
  ["converter", readConverter],
  ["rustc", readRustc],
  ["system-packages", readSystemPackages],
  ["lines", readLines],
  ["client", readClient],
  ["global", readGlobal],
  ["settings", readSettings],
  ["compiler", readCompiler],
  ["exec-word", readExecWord],
];
