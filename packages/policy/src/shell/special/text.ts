import { isDangerousVariable } from "../environment.ts";
import { applyRole, runLine, type CommandCall } from "../effects.ts";
import { literalWord, type ShellWord } from "../shell-word.ts";
import { linesOf, onlyPrints } from "./awk.ts";
import { readSedScript } from "./sed.ts";
import { has } from "./has.ts";

function values(call: CommandCall, ...names: readonly string[]): ShellWord[] {
  return call.parsed.flags.flatMap((flag) =>
    names.includes(flag.name) && flag.value !== undefined ? [flag.value] : [],
  );
}

function readSed(call: CommandCall): void {
  const { parsed, effects } = call;
  const scripts = values(call, "--expression");
  const files = [...parsed.operands];
  const inPlace = has(call, "-i", "--in-place", "-I");
  // `sed -i '' …`: on macOS and BSD the suffix is a word of its own.
  if (inPlace && (files[0]?.value === "" || call.analysis.options.platform === "darwin")) files.shift();
  const scriptFile = has(call, "--file");
  if (scriptFile) effects.hide("sed -f runs a script file, which can run commands");
  if (scripts.length === 0 && !scriptFile) {
    const script = files.shift();
    if (script !== undefined) scripts.push(script);
  }
  const texts = scripts.flatMap((script) => (script.value === undefined ? [] : [script.value]));
  if (texts.length < scripts.length)
    effects.hide("a sed script that is not known before it runs can run commands");
  // Several scripts are one, a line each.
  const read = readSedScript(texts.join("\n"));
  if (read === undefined) effects.hide("a sed script that could not be read");
  else {
    if (read.runs && !has(call, "--sandbox")) {
      effects.hide("the sed script runs a shell command");
      for (const line of read.lines) if (line !== "") runLine(call, literalWord(line), "sed e");
    }
    for (const path of read.reads) effects.path("read", literalWord(path), `sed r ${path}`);
    for (const path of read.writes) effects.path("write", literalWord(path), `sed w ${path}`);
  }
  for (const file of files) {
    effects.path("read", file, `sed ${file.raw}`);
    if (inPlace) effects.path("write", file, `sed -i ${file.raw}`);
  }
}

function readAwk(call: CommandCall): void {
  const { parsed, effects } = call;
  const programs = values(call, "--source");
  const operands = [...parsed.operands];
  if (has(call, "--file", "--exec")) effects.hide("an awk program file can run commands");
  else if (programs.length === 0) {
    const program = operands.shift();
    if (program !== undefined) programs.push(program);
  }
  for (const program of programs) {
    if (program.value === undefined)
      effects.hide("an awk program that is not known before it runs can run commands");
    else if (!onlyPrints(program.value)) {
      effects.hide("the awk program can run commands or write files");
      for (const line of linesOf(program.value)) runLine(call, literalWord(line), "awk");
    }
  }
  for (const file of operands) {
    if (!/^[A-Za-z_]\w*=/.test(file.value ?? "")) effects.path("read", file, `awk ${file.raw}`);
  }
}

function readJq(call: CommandCall): void {
  // `input_filename` and `env` only read; modules may be imported from -L.
  for (const flag of call.parsed.flags) {
    if (flag.name === "--slurpfile" || flag.name === "--rawfile") {
      const index = call.words.findIndex((word) => word.value === flag.value?.value);
      const path = call.words[index + 1];
      if (path !== undefined) call.effects.path("read", path, `jq ${flag.name}`);
    }
  }
}

function readYq(call: CommandCall): void {
  const { parsed, effects } = call;
  if (!has(call, "--inplace")) return;
  const files =
    parsed.operands.length > 1 && !has(call, "--from-file") ? parsed.operands.slice(1) : parsed.operands;
  for (const file of files) effects.path("write", file, `yq -i ${file.raw}`);
}

function readRg(call: CommandCall): void {
  const { analysis, effects } = call;
  readIncludes(call);
  if (has(call, "--no-config")) return;
  const name = "RIPGREP_CONFIG_PATH";
  const session = analysis.options.env;
  const own = call.env.some((one) => one.name === name) && isDangerousVariable(name);
  const inherited = session !== undefined && Object.hasOwn(session, name) && (session[name] ?? "") !== "";
  if (own || inherited)
    effects.doubt("environment", `${name} is set and can make rg run a program; --no-config ignores it`);
}

/** Of the trees that are searched only files of these names are read; what is named itself is read as it is. */
function narrowTrees({ effects, program }: CommandCall, names: readonly string[]): void {
  const { resources } = effects;
  for (const resource of resources.splice(0)) {
    const { kind, action, extent, value } = resource;
    if (kind !== "path" || action !== "read" || extent !== "tree" || value === undefined) {
      resources.push(resource);
      continue;
    }
    resources.push({ ...resource, extent: "exact" });
    for (const name of names) {
      const below = `${value.replace(/\/+$/, "")}/**/${name}`;
      resources.push({ ...resource, extent: "glob", value: below, origin: `${program} ${name}` });
    }
  }
}

/** `grep -r --include='*.ts'` and `rg -g '*.ts'`, where these alone say which files are read. */
function readIncludes(call: CommandCall): void {
  const rg = call.program === "rg";
  const flags = call.parsed.flags.filter(({ name }) =>
    rg ? /^--i?glob$/.test(name) : /^--(include|exclude)$/.test(name),
  );
  // With an exclusion first, grep reads all that no pattern matches.
  if (flags.length === 0 || flags[0]?.name === "--exclude" || flags.some(({ name }) => name === "--iglob"))
    return;
  if (has(call, "--dereference-recursive", "--follow", "--files")) return;
  const named = flags.filter(
    ({ name, value }) => name !== "--exclude" && value?.value?.startsWith("!") !== true,
  );
  const names = named.map(({ value }) => value?.value ?? "");
  // What is a folder to rg is read with all that is below.
  if (names.length === 0 || !names.every((name) => (rg ? /^\*\.\w+$/ : /^[\w.*?-]+$/).test(name))) return;
  narrowTrees(call, names);
}

function readGrep(call: CommandCall): void {
  const { parsed } = call;
  const recursive = has(call, "--recursive", "--dereference-recursive");
  const given = has(call, "--regexp", "--file") ? 0 : 1;
  if (recursive && parsed.operands.length <= given)
    applyRole(call, "read-tree", literalWord("."), call.program);
  if (recursive) readIncludes(call);
}

export const textSpecials: readonly (readonly [string, (call: CommandCall) => void])[] = [
  ["sed", readSed],
  ["awk", readAwk],
  ["jq", readJq],
  ["yq", readYq],
  ["rg", readRg],
  ["grep", readGrep],
];
