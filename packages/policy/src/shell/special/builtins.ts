import { homeOf, type Folders } from "../analysis.ts";
import { checkArithmetic } from "../arithmetic.ts";
import type { CommandCall } from "../effects.ts";
import { runLine } from "../effects.ts";
import { assign, isDangerousVariable, namesCommand } from "../environment.ts";
import { joinPath, unite } from "../folders.ts";
import { pathValue } from "../resources.ts";
import { literalWord, wordTail, type ShellWord } from "../shell-word.ts";
import { has } from "./has.ts";

/** A variable's name as a word: its subscript, if it has one, is evaluated. */
function checkVariable(call: CommandCall, word: ShellWord | undefined): void {
  if (word === undefined) return;
  const text = word.value;
  const name = /^[A-Za-z_]\w*/.exec(text ?? word.prefix)?.[0];
  if (name === "HOME") call.analysis.homeChanged = true;
  if (name !== undefined && isDangerousVariable(name))
    call.effects.doubt("environment", `${name} is set, which can change what runs`);
  // A name that is not spelled out hides which variable is set.
  if (text !== undefined && text !== word.raw) call.analysis.variablesLost = true;
  if (text !== undefined && /^[A-Za-z_]\w*(\[(\d+|[@*])\])?$/.test(text)) return;
  if (text !== undefined && !text.includes("[")) return;
  call.effects.doubt("evaluates-argument", `${word.raw} is evaluated as a variable, subscript included`);
}

function readCd(call: CommandCall): void {
  const { parsed, effects, folders, analysis } = call;
  const word = parsed.operands[0];
  let next: Folders;
  if (word === undefined) {
    const home = homeOf(analysis);
    next = [home ?? (analysis.homeChanged ? undefined : "~")];
  } else if (
    word.value === undefined ||
    word.value === "-" ||
    word.glob === true ||
    parsed.operands.length > 1
  )
    next = [undefined];
  else {
    const value = pathValue(word) ?? "";
    effects.path("read", word, `cd ${word.raw}`);
    // Physically, `..` leads out of wherever a link went.
    const physical = has(call, "-P") && /(^|\/)\.\.(\/|$)/.test(value);
    next = physical
      ? [undefined]
      : unite(folders.map((folder) => (word.tilde === true ? value : joinPath(folder, value))));
  }
  if (word !== undefined && word.value === undefined) effects.path("read", word, `cd ${word.raw}`);
  effects.outcome = { ok: next, fail: surelyThere(call, next) ? [] : folders };
}

/** The folder exists, and nothing before in the text can have taken it away. */
function surelyThere({ analysis }: CommandCall, [folder, ...others]: Folders): boolean {
  return (
    folder?.startsWith("/") === true &&
    others.length === 0 &&
    analysis.commands.every(({ readOnly }) => readOnly) &&
    analysis.options.isFolder?.(folder) === true
  );
}

function readPushd(call: CommandCall): void {
  const { words, folders, effects, parsed } = call;
  if (words[0]?.value === "dirs") return;
  if (words[0]?.value === "pushd" && parsed.operands.length === 1) {
    readCd(call);
    return;
  }
  effects.outcome = { ok: [undefined], fail: folders };
}

function readTest(call: CommandCall): void {
  const { words } = call;
  words.forEach((word, index) => {
    const text = word.value;
    if (text === "-v" || text === "-R") checkVariable(call, words[index + 1]);
    // An operator that is not known before it runs could be `-v`.
    if (
      text === undefined &&
      index === 1 &&
      words.length > 3 &&
      call.program === "test" &&
      word.splits === true
    ) {
      call.effects.doubt("evaluates-argument", `${word.raw} decides what test evaluates`);
    }
    if (text !== undefined && /^-[a-hkprstuwxGLNOS]$/.test(text) && index > 0) {
      const file = words[index + 1];
      if (file?.value !== undefined && file.value !== "]")
        call.effects.path("read", file, `${call.program} ${text}`, { possible: true });
    }
  });
  call.effects.readOnly = call.effects.doubts.length === 0;
}

function readLet(call: CommandCall): void {
  call.analysis.variablesLost = true;
  for (const word of call.words.slice(1)) {
    checkArithmetic(call.analysis, word.value ?? word.raw, call.scope.text);
    checkSet(call, word);
  }
}

function checkSet(call: CommandCall, word: ShellWord): void {
  const name = /^([A-Za-z_]\w*)\s*[+\-*/%]?=/.exec(word.value ?? word.prefix)?.[1];
  if (name !== undefined) assign(call.analysis, name, "shell", call.analysis.commands.length);
}

function readDeclare(call: CommandCall): void {
  const { parsed, words, analysis, scope, effects } = call;
  const program = words[0]?.value;
  const exported = program === "export" || has(call, "-x");
  const integer = has(call, "-i");
  if (has(call, "-n")) effects.doubt("evaluates-argument", "a name reference is evaluated where it is used");
  for (const word of parsed.operands) {
    const text = word.value ?? word.prefix;
    const equals = text.indexOf("=");
    const name = /^[A-Za-z_]\w*/.exec(text)?.[0];
    if (equals === -1) {
      checkVariable(call, word.value === undefined ? word : literalWord(text));
      if (word.value === undefined)
        effects.doubt("dynamic-word", `${word.raw} decides which variable is set`);
      continue;
    }
    const target = text.slice(0, equals).replace(/\+$/, "");
    if (!word.raw.startsWith(target)) analysis.variablesLost = true;
    if (!/^[A-Za-z_]\w*$/.test(target)) checkVariable(call, literalWord(target));
    if (name !== undefined) assign(analysis, name, exported ? "export" : "shell", analysis.commands.length);
    if (namesCommand(target)) runLine(call, wordTail(word, equals + 1), `${program} ${word.raw}`);
    if (integer) {
      const value = wordTail(word, equals + 1);
      checkArithmetic(analysis, value.value ?? value.raw, scope.text);
    }
  }
}

function readNames(call: CommandCall): void {
  if (has(call, "-C")) call.analysis.variablesLost = true;
  for (const word of call.parsed.operands) checkVariable(call, word);
  for (const flag of call.parsed.flags) if (flag.option?.role === "name") checkVariable(call, flag.value);
}

/** `wait -p name`: the operands are no names. */
function readFlagNames(call: CommandCall): void {
  for (const flag of call.parsed.flags) if (flag.option?.role === "name") checkVariable(call, flag.value);
}

function readPrintf(call: CommandCall): void {
  for (const flag of call.parsed.flags) if (flag.name === "-v") checkVariable(call, flag.value);
  if (call.parsed.uncertain !== undefined && call.parsed.operands[0] === call.parsed.uncertain) {
    call.effects.doubt("dynamic-word", `${call.parsed.uncertain.raw} may turn out to be an option of printf`);
  }
}

function readGetopts(call: CommandCall): void {
  checkVariable(call, call.parsed.operands[1]);
}

function readRedefinition(call: CommandCall): void {
  const { program, parsed, effects, words } = call;
  const lists =
    words.length === 1 ||
    (program === "hash" &&
      parsed.flags.every((flag) => flag.name === "-r" || flag.name === "-l" || flag.name === "-t")) ||
    (parsed.operands.length === 0 && has(call, "-p"));
  const sets =
    program === "alias"
      ? parsed.operands.some((word) => (word.value ?? word.prefix).includes("=") || word.value === undefined)
      : !lists;
  if (sets) effects.doubt("redefinition", `${program} changes what later names mean`);
  else effects.readOnly = true;
}

function readTrap(call: CommandCall): void {
  call.analysis.variablesLost = true;
  const { parsed, effects } = call;
  const [action, ...signals] = parsed.operands;
  if (action === undefined || has(call, "-l", "-p")) {
    effects.readOnly = true;
    return;
  }
  if (signals.length === 0 || action.value === "-" || action.value === "") return;
  runLine(call, action, "trap");
}

function readHistory(call: CommandCall): void {
  const { parsed, effects } = call;
  if (parsed.flags.length === 0) effects.readOnly = parsed.operands.length === 0;
  const file = parsed.operands[0] ?? { ...literalWord("~/.bash_history"), tilde: true };
  for (const flag of parsed.flags) {
    if (flag.name === "-a" || flag.name === "-w") effects.path("write", file, `history ${flag.name}`);
    if (flag.name === "-r" || flag.name === "-n") effects.path("read", file, `history ${flag.name}`);
  }
  if (call.program === "fc") effects.hide("fc runs commands of the history");
}

/** A signal to a process that is not named by a literal number, or to the host's group. */
function readKill(call: CommandCall): void {
  const { words, effects, program } = call;
  effects.readOnly = false;
  const rest = words.slice(1);
  if (
    program === "kill" &&
    rest.length > 0 &&
    rest.every((word) => /^-(l|L|-list|-table)/.test(word.value ?? "") || /^\d+$/.test(word.value ?? "")) &&
    rest[0]?.value?.startsWith("-l") === true
  ) {
    effects.readOnly = true;
    return;
  }
  if (program === "fuser" && !rest.some((word) => /^-\w*k/.test(word.value ?? word.prefix))) {
    effects.readOnly = true;
    return;
  }
  let signalSeen = false;
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index];
    const text = word?.value;
    if (word === undefined) continue;
    if (text === "-s" || text === "-n" || text === "--signal") {
      index++;
      signalSeen = true;
      continue;
    }
    if (text === "--") {
      signalSeen = true;
      continue;
    }
    if (text !== undefined && !signalSeen && /^-[A-Za-z0-9]/.test(text)) {
      signalSeen = true;
      continue;
    }
    if (
      program === "kill" &&
      text !== undefined &&
      (/^[1-9]\d*$/.test(text) || text.startsWith("%")) &&
      text !== "1" &&
      call.analysis.options.protectedPids?.includes(Number(text)) !== true
    )
      continue;
    effects.doubt("dynamic-word", `${program} ${word.raw} may end the host`);
  }
}

function readSet(call: CommandCall): void {
  const texts = call.words.map((word) => word.value ?? word.prefix);
  if (texts.some((text) => /^[-+]\w*[kB]/.test(text) && text !== "--"))
    call.effects.doubt("redefinition", "set changes how words are read");
  if (call.words.slice(1).some((word) => word.value === "-o" || word.value === "+o")) {
    const names = texts.filter((text) => /^[a-z]+$/.test(text));
    if (
      names.some((name) =>
        ["keyword", "braceexpand", "posix", "alias", "expand_aliases", "allexport"].includes(name),
      )
    ) {
      call.effects.doubt("redefinition", "set changes how words are read");
    }
  }
  if (texts.some((text) => /^-\w*a/.test(text)))
    call.effects.doubt("environment", "set -a hands every variable to later commands");
}

function readShopt(call: CommandCall): void {
  if (has(call, "-s", "-u")) call.effects.doubt("redefinition", "shopt changes how words are read");
}

function readExit(call: CommandCall): void {
  call.effects.outcome = { ok: [], fail: [] };
}

function readUnset(call: CommandCall): void {
  readNames(call);
}

function readDate(call: CommandCall): void {
  // An operand without `+` sets the clock.
  if (call.parsed.operands.some((word) => !(word.value ?? word.prefix).startsWith("+")) && !has(call, "-j"))
    call.effects.readOnly = false;
}

function readNoOperands(call: CommandCall): void {
  if (call.parsed.operands.length > 0) call.effects.readOnly = false;
}

export const builtinSpecials: readonly (readonly [string, (call: CommandCall) => void])[] = [
  ["cd", readCd],
  ["pushd", readPushd],
  ["test", readTest],
  ["let", readLet],
  ["declare", readDeclare],
  ["read-names", readNames],
  ["printf", readPrintf],
  ["flag-names", readFlagNames],
  ["getopts", readGetopts],
  ["redefine", readRedefinition],
  ["trap", readTrap],
  ["history", readHistory],
  ["kill", readKill],
  ["set", readSet],
  ["shopt", readShopt],
  ["exit", readExit],
  ["unset", readUnset],
  ["date", readDate],
  ["no-operands", readNoOperands],
];
