import { applyRole, innerScope, isDescriptor, runLine, type CommandCall } from "../effects.ts";
import { parseArguments } from "../arguments.ts";
import { unite } from "../folders.ts";
import { hostFact } from "../resources.ts";
import { joinWords, startElsewhere, startWords } from "../unwrap.ts";
import { addDoubt } from "../analysis.ts";
import { literalWord, wordTail, type ShellWord } from "../shell-word.ts";
import { moduleWords, readClassPath } from "./build.ts";
import { has, isPi } from "./has.ts";

const informs = ["--version", "--help", "-V", "-v", "-h"] as const;

/** `bash -c text`, `bash file`, and a shell that reads its commands from standard input. */
function readShell(call: CommandCall): void {
  const { parsed, effects, analysis, scope, program } = call;
  const [first, ...rest] = parsed.operands;
  const readOnly = effects.readOnly;
  if (
    program !== "bash" &&
    program !== "sh" &&
    program !== "dash" &&
    program !== "ash" &&
    program !== "rbash"
  ) {
    effects.doubt("unknown-shell", `${program} may read its commands in another way than bash`);
  }
  if (has(call, "--command")) {
    if (first === undefined) return;
    effects.wrapper = "plain";
    if (parsed.uncertain === first)
      effects.doubt("dynamic-word", `${first.raw} decides what ${program} runs`);
    runLine(call, first, `${program} -c`);
    effects.readOnly = readOnly && effects.opaque === undefined;
    return;
  }
  if (first !== undefined && first.value !== "-" && !isStandardInput(first) && !has(call, "-s")) {
    effects.readOnly = false;
    if (first.pipe === true) effects.hide(`${program} runs what another command prints`);
    runPrinted(call, first);
    effects.path("execute", first, `${program} ${first.raw}`);
    effects.path("read", first, `${program} ${first.raw}`);
    for (const word of rest)
      if (word.value?.includes("/") === true)
        effects.path("read", word, `${program} ${word.raw}`, { possible: true });
    return;
  }
  if (parsed.operands.length === 0 && has(call, "--version", "--help")) return;
  const input = scope.input;
  const text = input.kind === "text" ? (input.text ?? input.guess) : undefined;
  if (text !== undefined) {
    effects.wrapper = "plain";
    if (input.kind === "text" && input.text === undefined)
      effects.hide(`${program} runs a text that is not known before it runs`);
    effects.later.push(() => {
      analysis.runText(
        text,
        { ...innerScope(call), redirections: [], redirected: [], input: { kind: "inherited" } },
        effects.base,
      );
    });
    return;
  }
  effects.readOnly = false;
  effects.hide(`${program} runs what it reads from standard input`);
}

/** `bash <(echo 'rm x')`: it asks all the same, and what is plainly there is read, so that a deny of it holds. */
function runPrinted(call: CommandCall, { prints }: ShellWord): void {
  if (prints === undefined) return;
  call.effects.later.push(() => {
    call.analysis.runText(prints, innerScope(call), call.effects.base);
  });
}

function isStandardInput(word: CommandCall["words"][number]): boolean {
  return isDescriptor(word) && /(stdin|fd\/+0)$/.test(word.value ?? "");
}

function readOtherShell(call: CommandCall): void {
  const { effects, program, parsed } = call;
  if (parsed.operands.length === 0 && parsed.flags.length > 0 && has(call, ...informs)) return;
  effects.doubt("unknown-shell", `${program} is a shell that is not read here`);
  effects.hide(`${program} runs code`);
}

/** An interpreter: code in an option, a script file, or standard input. */
function readInterpreter(call: CommandCall): void {
  const { parsed, effects, program } = call;
  const [script, ...rest] = parsed.operands;
  const onlyInforms =
    parsed.flags.length > 0 &&
    parsed.operands.length === 0 &&
    parsed.flags.every(
      (flag) => (informs as readonly string[]).includes(flag.name) || flag.name === "-version",
    );
  if (onlyInforms) {
    effects.readOnly = !parsed.unknown && effects.opaque === undefined;
    return;
  }
  effects.readOnly = false;
  // `perl -pi -e`: the files are rewritten.
  if ((program === "perl" || program === "ruby") && has(call, "-i")) {
    const files = effects.opaque === undefined ? rest : parsed.operands;
    for (const file of files) effects.path("write", file, `${program} -i ${file.raw}`);
  }
  const module = program.startsWith("py") ? parsed.flags.find(({ name }) => name === "-m")?.value : undefined;
  if (module?.value !== undefined) {
    const words = moduleWords(call.words, module);
    if (module.value === "twine" && words !== undefined) startWords(call, words);
    else if (module.value === "zipfile" || module.value === "tarfile") {
      for (const word of parsed.operands)
        effects.path("write", word, `${program} -m ${module.value}`, { tree: true });
    }
  }
  if (program === "java") readClassPath(call);
  if (module?.value === "http.server") readServer(call, module);
  startScript(call);
  const bare = parsed.flags.some(({ name, value }) => /^--env(-file)?$/.test(name) && value === undefined);
  if (program === "deno" && bare) effects.path("read", literalWord(".env"), "deno --env");
  if (effects.opaque !== undefined || has(call, "-m", "--run", "--test", "-jar")) {
    for (const word of parsed.operands) mentionPath(call, word);
    return;
  }
  if (script === undefined || script.value === "-") {
    if (has(call, "--check")) return;
    effects.hide(`${program} runs what it reads from standard input`);
    return;
  }
  if (script.pipe === true) effects.hide(`${program} runs what another command prints`);
  applyRole(call, "execute", script, `${program} ${script.raw}`);
  for (const word of rest) mentionPath(call, word);
}

/** `python3 -m http.server` shows a folder to whoever asks. */
function readServer(call: CommandCall, module: CommandCall["words"][number]): void {
  const words = moduleWords(call.words, module) ?? [];
  const at = words.findIndex(({ value }) => value === "-d" || value === "--directory");
  const glued = words.find(({ prefix }) => prefix.startsWith("--directory="));
  const folder = glued === undefined ? words[at + 1] : wordTail(glued, "--directory=".length);
  const shown = at === -1 && glued === undefined ? literalWord(".") : folder;
  if (shown !== undefined)
    call.effects.path("read", shown, `${call.program} -m http.server`, { tree: true, follow: true });
}

/** `node node_modules/.bin/x`: a script that goes by the name of a program which is forbidden, or of Pi, is that program. */
function startScript(call: CommandCall): void {
  const [script, ...rest] = call.parsed.operands;
  const path = script?.value;
  if (path === undefined || call.effects.opaque !== undefined) return;
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.([cm]?[jt]s|py|rb|pl|php)$/, "");
  const pi =
    isPi(path.slice(path.lastIndexOf("/") + 1)) || /\/pi-coding-agent\/.*cli\.[cm]?[jt]s$/.test(path);
  if (!pi && call.analysis.options.isForbidden?.(name) !== true) return;
  startWords(call, [literalWord(pi ? "pi" : name), ...rest]);
}

/** An argument of code that is not read here: if it looks like a path, the code may do anything to it. */
function mentionPath(call: CommandCall, word: CommandCall["words"][number]): void {
  const text = word.value ?? word.prefix;
  if (!/[\\/]|^\.|^~/.test(text) || text.startsWith("-") || /^[a-z]+:\/\//i.test(text)) return;
  call.effects.path("read", word, `${call.program} ${word.raw}`, { possible: true });
  call.effects.path("write", word, `${call.program} ${word.raw}`, { possible: true });
}

function readSource(call: CommandCall): void {
  const { effects, folders, parsed } = call;
  call.analysis.variablesLost = true;
  effects.doubt("redefinition", "a file that is read into the shell can change what names mean");
  const [file] = parsed.operands;
  if (file?.pipe === true) effects.hide("the shell runs what another command prints");
  if (file !== undefined) runPrinted(call, file);
  const anywhere = unite(folders, [undefined]);
  effects.outcome = { ok: anywhere, fail: anywhere };
}

function readEval(call: CommandCall): void {
  const { effects, parsed, words } = call;
  call.analysis.variablesLost = true;
  if (words.length < 2) return;
  effects.wrapper = "plain";
  // `eval -- text`; options are no part of eval.
  const readOnly = effects.readOnly;
  runLine(call, joinWords(parsed.flags.length === 0 ? parsed.operands : words.slice(1)), "eval", true);
  effects.readOnly = readOnly && effects.opaque === undefined;
}

function readExec(call: CommandCall): void {
  // Without a command it only applies its redirections; with one it does not come back.
  if (call.parsed.operands.length > 0) call.effects.outcome = { ok: [], fail: call.folders };
}

/** `sudo -e file` edits; `sudo -s` and `sudo -i` start a shell. */
function readSudo(call: CommandCall): void {
  const { parsed, effects, program } = call;
  effects.readOnly = false;
  if (has(call, "--edit")) {
    for (const word of parsed.operands) effects.path("write", word, `${program} -e ${word.raw}`);
  } else if (has(call, "--shell", "--login")) {
    if (parsed.operands.length === 0) effects.hide(`${program} starts a shell`);
  }
}

function readSsh(call: CommandCall): void {
  const { parsed, effects } = call;
  // Behind the host come more options, and only then the command.
  const behind = parsed.operands.slice(1);
  const late = (behind[0]?.value ?? "").startsWith("-") ? parseArguments(parsed.spec, behind) : undefined;
  if (late !== undefined) effects.doubt("environment", "options of ssh behind the host");
  for (const flag of [...parsed.flags, ...(late?.flags ?? [])]) {
    const option = flag.name === "-o" ? (flag.value?.value ?? "") : "";
    if (/^\s*(proxycommand|localcommand|permitlocalcommand|knownhostscommand)/i.test(option))
      effects.hide("ssh -o runs a command here");
    const line = /^\s*(?:proxy|local|knownhosts)command(?:\s*=\s*|\s+)/i.exec(option)?.[0];
    if (line !== undefined && flag.value !== undefined)
      runLine(call, wordTail(flag.value, line.length), `ssh -o ${line.trim()}`);
    // `-L port:host:hostport`: what is reached from there.
    if (flag.name !== "-L" && flag.name !== "-R") continue;
    const target = /(?:^|:)(\[[^\]]*\]|[^:/\s]+):\d+$/.exec(flag.value?.value ?? "")?.[1];
    if (target !== undefined) effects.resources.push(hostFact(literalWord(target), `ssh ${flag.name}`));
  }
  effects.readOnly = false;
  const command = late?.operands ?? behind;
  if (command.length > 0) {
    effects.hide("a command on another machine");
    startElsewhere(call, command, true);
    return;
  }
  const { input } = call.scope;
  if (input.kind === "inherited" || parsed.operands.length === 0 || has(call, "-N", "-n", "-W")) return;
  // Without a command it is a shell that reads its own.
  effects.hide("another machine runs what ssh reads from standard input");
  const text = input.kind === "text" ? (input.text ?? input.guess) : undefined;
  if (text !== undefined) startElsewhere(call, [literalWord(text)], true);
}

function readParallel(call: CommandCall): void {
  const { parsed, effects } = call;
  effects.readOnly = false;
  const first = parsed.operands[0]?.value;
  if (parsed.operands.length === 0 || first?.startsWith(":::") === true)
    effects.hide("parallel runs the lines that it reads");
  else if (call.words.some((word) => word.value?.startsWith("::::") === true)) effects.readOnly = false;
}

/** Its own options are not in the table: any later word may be where its command starts. */
function readRestLine(call: CommandCall): void {
  call.effects.readOnly = false;
  if (call.parsed.unknown)
    addDoubt(
      call.analysis,
      "unknown-wrapper",
      `the options of ${call.program} are not known, so neither is what it runs`,
      call.analysis.commands.length,
    );
}

/** An option that takes the words of a command. */
function readRestCommand(call: CommandCall): void {
  for (const { rest } of call.parsed.flags) {
    if (rest !== undefined && rest.length > 0) startWords(call, rest);
  }
}

/** `go run`: files of the project, or a module that is fetched from the host that its path begins with. */
function readGoRun(call: CommandCall): void {
  const [target] = call.parsed.operands;
  const { effects } = call;
  if (target === undefined) return;
  const text = target.value ?? target.prefix;
  if (/\.go$|^\.{0,2}\/|^\.$/.test(text) || target.value === undefined) {
    effects.path("execute", target, `go run ${target.raw}`);
    effects.path("read", target, `go run ${target.raw}`);
  } else if (/^[\w-]+(\.[\w-]+)+\//.test(text))
    effects.resources.push(hostFact(target, `go run ${target.raw}`));
}

function readFlock(call: CommandCall): void {
  // `flock file -c 'line'`: after the file, `-c` starts a shell.
  const { parsed, effects } = call;
  const second = parsed.operands[1];
  if (second?.value !== "-c" && second?.value !== "--command") return;
  effects.later.length = 0;
  effects.wrapper = "plain";
  runLine(call, parsed.operands[2], "flock -c");
}

export const codeSpecials: readonly (readonly [string, (call: CommandCall) => void])[] = [
  ["shell", readShell],
  ["other-shell", readOtherShell],
  ["interpreter", readInterpreter],
  ["source", readSource],
  ["eval", readEval],
  ["exec", readExec],
  ["sudo", readSudo],
  ["ssh", readSsh],
  ["parallel", readParallel],
  ["rest-line", readRestLine],
  ["flock", readFlock],
  ["go-run", readGoRun],
  ["rest-command", readRestCommand],
];
