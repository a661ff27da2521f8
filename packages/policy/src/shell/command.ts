import { isFormatter } from "../programs/formatters.ts";
import { findProgram } from "../programs/table.ts";
import type { CompiledSpec, OperandRoles, Role } from "../programs/spec.ts";
import type { CommandFact, Word } from "../subject.ts";
import {
  addDoubt,
  pastLimit,
  type Analysis,
  type CommandExtra,
  type Folders,
  type Outcome,
  type Scope,
} from "./analysis.ts";
import { parseArguments } from "./arguments.ts";
import { applyRole, Effects, runLine, type CommandCall } from "./effects.ts";
import { assign, namesCommand } from "./environment.ts";
import { joinPath, unite } from "./folders.ts";
import { hostFact, pathFacts } from "./resources.ts";
import { expandsToMany, literalWord, plainWord, wordTail, type ShellWord } from "./shell-word.ts";
import { isPi } from "./special/has.ts";
import { moduleWords } from "./special/build.ts";
import { specials } from "./special/table.ts";
import { declaredWrapper, startWords, unwrap } from "./unwrap.ts";

const splitsLines: ReadonlySet<string> = new Set(["read", "mapfile", "readarray"]);

/** Control and format characters, and blanks other than those of ASCII; a carriage return is told about the text. */
const odd = /(?!\r)[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}]/u;

const systemFolders = /^(\/usr\/local|\/usr|\/opt\/homebrew|)\/s?bin\/[^/]+$/;

/** The name a program is known by: the last part of its path, without the suffix of an executable. */
export function programName(word: ShellWord): string | undefined {
  if (word.value === undefined || (word.glob === true && word.value !== "[")) return undefined;
  const base = word.value.slice(Math.max(word.value.lastIndexOf("/"), word.value.lastIndexOf("\\")) + 1);
  return base.replace(/\.(exe|cmd|bat|com|ps1)$/i, "");
}

/** `RM` on a volume that folds case, and `python3.12`: read like the program they most likely are. */
function plainName(program: string): string {
  return program.toLowerCase().replace(/-?\d+(\.\d+)*$/, "");
}

/** Reads words as one simple command and adds its facts, and those of all it starts. */
export function readCommand(
  analysis: Analysis,
  allWords: readonly ShellWord[],
  scope: Scope,
  folders: Folders,
  extra: CommandExtra = {},
): Outcome {
  const stay: Outcome = { ok: folders, fail: folders };
  const head = allWords[0];
  if (head === undefined || pastLimit(analysis, scope.depth)) return stay;
  const index = analysis.commands.length;
  const { maxWords } = analysis.limits;
  const words = allWords.length > maxWords ? allWords.slice(0, maxWords) : allWords;
  if (words !== allWords) addDoubt(analysis, "limit", `a command of more than ${maxWords} words`, index);
  const program = programName(head);
  const trusted = head.value !== undefined && (!/[\\/]/.test(head.value) || systemFolders.test(head.value));
  const exact = program === undefined ? undefined : findProgram(program);
  const found = exact ?? (program === undefined ? undefined : findProgram(plainName(program)));
  const declared = program === undefined ? undefined : declaredWrapper(analysis, program);
  const spec = declared ?? found;
  const parsed = parseArguments(spec, words.slice(1));
  const leaf = parsed.spec;
  const env = extra.env ?? [];
  const known = exact !== undefined && trusted;
  const effects = new Effects(
    known && leaf?.readOnly === true && (leaf.anyOptions === true || !parsed.unknown),
    folders,
  );
  const call: CommandCall = { analysis, scope, folders, program: program ?? "", words, parsed, effects, env };

  if (program === undefined) effects.doubt("dynamic-program", `${head.raw} decides which program runs`);
  else if (!trusted) effects.path("execute", head, head.raw);
  // One shell may take for a blank what another takes for a letter.
  if (odd.test(program ?? ""))
    effects.doubt("dynamic-program", `${head.raw} holds a character that looks like nothing`);
  if (program !== undefined) {
    moveBase(call);
    applyFlags(call);
    applyOperands(call, leaf);
    unwrap(call, leaf);
    applyEntry(call, leaf, spec);
    if (leaf?.follows !== undefined) followLinks(call, leaf.follows);
    if (leaf?.tellsNames !== undefined) tellNames(call, leaf.tellsNames);
    if (leaf?.mayStart === true) startNamed(call);
    runModule(call);
    const dashed =
      found === undefined && declared === undefined ? /^git-(.+)$/.exec(program)?.[1] : undefined;
    // `git-push`, also by its path, is what `git push` runs.
    if (dashed !== undefined) startWords(call, [literalWord("git"), literalWord(dashed), ...words.slice(1)]);
    else if (declared === undefined && !known) readUnknown(call);
    readGlobs(call);
    for (const { name, value } of env)
      if (namesCommand(name) && !/^(cat|true|:|)$/.test(value.value ?? "?"))
        runLine(call, withoutPipe(value), `${name}=${value.raw}`);
  }

  const source = extra.source ?? words.map((word) => word.raw).join(" ");
  const resources = [...effects.resources, ...scope.redirected].filter(
    ({ kind }) => kind !== "path" || scope.elsewhere !== true,
  );
  const fact: CommandFact = {
    argv: [plainWord(head), ...words.slice(1).map(plainWord)],
    program,
    wrappers: scope.wrappers,
    env: env.map((one) => ({ name: one.name, value: plainWord(one.value) })),
    redirections: scope.redirections,
    pipeline: scope.pipeline,
    cwd: folders[0],
    subcommand: parsed.subcommand,
    flags: parsed.flags.map((flag) => flagFact(flag.name, flag.value)),
    operands: parsed.operands.map(plainWord),
    resources,
    ...(effects.opaque === undefined ? {} : { opaque: effects.opaque }),
    known,
    ...(effects.wrapper === undefined ? {} : { wrapper: effects.readOnly ? effects.wrapper : "changes" }),
    readOnly: effects.readOnly && scope.redirected.every((resource) => resource.action === "read"),
    source,
  };
  analysis.commands.push(fact);
  for (const doubt of effects.doubts) addDoubt(analysis, doubt.kind, doubt.message, index);
  for (const one of env) {
    // `IFS= read` splits a line; it changes nothing that runs.
    if (one.name === "IFS" && splitsLines.has(program ?? "")) continue;
    // `GIT_PAGER=cat`: whatever runs it then does nothing.
    if (namesCommand(one.name) && /^(cat|true|:|)$/.test(one.value.value ?? "?")) continue;
    assign(analysis, one.name, "command", index);
  }
  for (const run of effects.later) run();
  if (effects.outcome !== undefined) return effects.outcome;
  // A function that was defined before and that moves.
  if (program !== undefined && analysis.movers.has(program)) {
    const anywhere = unite(folders, [undefined]);
    return { ok: anywhere, fail: anywhere };
  }
  return stay;
}

function flagFact(
  name: string,
  value: ShellWord | undefined,
): { readonly name: string; readonly value?: Word } {
  return value === undefined ? { name } : { name, value: plainWord(value) };
}

/** `-C dir`: the folder that later paths are relative to. */
function moveBase(call: CommandCall): void {
  for (const flag of call.parsed.flags) {
    if (flag.option?.role !== "cwd" || flag.value === undefined) continue;
    const { value } = flag.value;
    call.effects.path("read", flag.value, `${call.program} ${flag.name}`);
    call.effects.base =
      value === undefined ? [undefined] : unite(call.effects.base.map((folder) => joinPath(folder, value)));
  }
}

function applyFlags(call: CommandCall): void {
  const { parsed, effects, program } = call;
  for (const flag of parsed.flags) {
    const origin = `${program} ${flag.name}`;
    if (flag.option !== undefined) {
      if (flag.option.unsafe) effects.readOnly = false;
      if (flag.option.takes === "nothing" && flag.value === undefined) {
        if (flag.option.role !== "text") applyRole(call, flag.option.role, undefined, origin);
      } else applyRole(call, flag.option.role, flag.value, origin);
      continue;
    }
    // The table does not know it: a path in it is judged as read and, for denies, as written.
    if (flag.value !== undefined) guessPath(call, flag.value, origin);
  }
  if (parsed.unknown) readGlued(call);
  // A word that may turn out to be an option matters where some option does harm, or where nobody knows.
  if (
    parsed.uncertain !== undefined &&
    parsed.spec?.hasUnsafe !== false &&
    call.effects.wrapper === undefined
  ) {
    effects.doubt(
      "dynamic-word",
      `${parsed.uncertain.raw} may turn out to be an option or a subcommand of ${program}`,
    );
  }
}

function applyOperands(call: CommandCall, spec: CompiledSpec | undefined): void {
  if (spec === undefined) return;
  const { operands, flags } = call.parsed;
  let roles: OperandRoles | undefined = spec.operands;
  for (const [flag, other] of Object.entries(spec.operandsWith ?? {})) {
    if (flags.some((one) => one.name === flag)) {
      roles = other;
      break;
    }
  }
  if (roles === undefined) {
    const ownReading = spec.special ?? spec.wraps ?? spec.anyOptions ?? spec.noOptions;
    if (ownReading === undefined)
      for (const word of operands) guessPath(call, word, `${call.program} ${word.raw}`);
    return;
  }
  const tree = spec.tree !== undefined && flags.some((flag) => spec.tree?.includes(flag.name) === true);
  let paths = 0;
  operands.forEach((word, index) => {
    for (const role of operandRoles(roles, word, index, operands.length)) {
      if (role !== "text") paths++;
      applyRole(call, role, word, `${call.program} ${word.raw}`, tree);
    }
  });
  if (paths === 0 && spec.otherwise !== undefined) {
    const word = { raw: spec.otherwise, value: spec.otherwise, prefix: spec.otherwise };
    applyRole(call, roles.rest ?? "read", word, call.program, tree);
  }
}

/** What an operand means by its place; a word that may become several takes the places after it as well. */
function operandRoles(roles: OperandRoles, word: ShellWord, index: number, count: number): ReadonlySet<Role> {
  const found = new Set<Role>();
  const add = (role: Role | undefined) => {
    if (role !== undefined) found.add(role);
  };
  add(operandRole(roles, index, count));
  if (expandsToMany(word)) {
    if (index === 0) add(roles.second);
    add(roles.rest);
    if (index === count - 1) add(roles.last);
  }
  return found;
}

function operandRole(roles: OperandRoles, index: number, count: number): Role | undefined {
  if (roles.last !== undefined && index === count - 1 && (count > 1 || roles.first === undefined))
    return roles.last;
  if (index === 0 && roles.first !== undefined) return roles.first;
  if (index === 1 && roles.second !== undefined) return roles.second;
  return roles.rest;
}

/** Writes below a folder that only the program knows in full. */
function applyWithin(call: CommandCall, spec: CompiledSpec): void {
  const { flags, operands } = call.parsed;
  const handedOn = spec.handsOn === true ? operands.map(({ value }) => value ?? "") : [];
  const has = (names: readonly string[]) =>
    flags.some((flag) => names.includes(flag.name)) || names.some((name) => handedOn.includes(name));
  if (spec.writesWith !== undefined && !has(spec.writesWith)) return;
  if (spec.writesUnless !== undefined && has(spec.writesUnless)) return;
  const chosen = flags.some((flag) => flag.option?.role === "cwd");
  if (spec.writesWithin === "chosen" && !chosen) return;
  const names = spec.writesNames?.split(" ") ?? ["."];
  const places =
    spec.writesWithin === "operands" && operands.length > 0
      ? operands
      : names.map((name) => literalWord(name));
  for (const place of places)
    call.effects.within(place, `${call.program} ${call.parsed.subcommand.join(" ")}`.trim());
}

/** `LESSOPEN='|x'` */
function withoutPipe(word: ShellWord): ShellWord {
  const pipe = /^\|+-?/.exec(word.value ?? "")?.[0] ?? "";
  return pipe === "" ? word : wordTail(word, pipe.length);
}

/** The shell itself lists folders to replace a glob, whatever the word means to the program. */
function readGlobs(call: CommandCall): void {
  const { program, effects, folders, words } = call;
  if (program === "[[" || program === "((") return;
  for (const word of words.slice(1)) {
    const { value } = word;
    if (word.glob !== true || value === undefined || word.listed === true) continue;
    // What `set` keeps is judged where it is used; names inside the project are no news.
    if (program === "set" && !/^[/~]|(^|\/)\.\.(\/|$)/.test(value)) continue;
    if (effects.resources.some((one) => one.kind === "path" && one.value === value)) continue;
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) continue;
    effects.resources.push(...pathFacts("read", word, folders, `${program} ${word.raw}`));
  }
}

function followLinks(call: CommandCall, follows: readonly string[] | "always"): void {
  if (follows !== "always" && !call.parsed.flags.some((flag) => follows.includes(flag.name))) return;
  const { resources } = call.effects;
  resources.forEach((resource, index) => {
    if (resource.action === "read" && resource.extent === "tree")
      resources[index] = { ...resource, follow: true };
  });
}

/** Names below a folder, and nothing of what the files hold. */
function tellNames(call: CommandCall, tells: readonly string[] | "always"): void {
  if (tells !== "always" && !call.parsed.flags.some((flag) => tells.includes(flag.name))) return;
  const { resources } = call.effects;
  resources.forEach((resource, index) => {
    if (resource.action === "read" && resource.extent === "tree")
      resources[index] = { ...resource, names: true };
  });
}

function applyEntry(call: CommandCall, leaf: CompiledSpec | undefined, root: CompiledSpec | undefined): void {
  const { effects, program } = call;
  if (leaf?.writesWithin !== undefined) applyWithin(call, leaf);
  if (leaf?.opaque !== undefined) effects.hide(leaf.opaque);
  if (leaf?.network === true) {
    effects.readOnly = false;
    if (!effects.resources.some((one) => one.kind === "host")) {
      effects.resources.push(hostFact(undefined, program));
    }
  }
  for (const name of new Set([root?.special, leaf?.special])) {
    if (name !== undefined) specials.get(name)?.(call);
  }
}

/** Words whose program is not known here: paths are read and may be written; a known program may be run. */
function readUnknown(call: CommandCall): void {
  const { words, effects, program, parsed } = call;
  effects.readOnly = false;
  if (parsed.spec === undefined) {
    for (const operand of parsed.operands) guessPath(call, operand, `${program} ${operand.raw}`);
  }
  const { isForbidden } = call.analysis.options;
  const runner = words
    .slice(1)
    .find(({ value }) => value !== undefined && (startsPrograms.has(value) || isForbidden?.(value) === true));
  if (runner !== undefined && parsed.spec === undefined) {
    effects.doubt("unknown-wrapper", `${program} is not known and may run ${runner.value}`);
  }
}

/** A name that is a script here, or a program: one that everybody has is read as the program. */
function startNamed(call: CommandCall): void {
  const { parsed } = call;
  const [script] = parsed.subcommand;
  // What is no command of a package manager's is the name of a script or of a program, as in `yarn eslint`.
  const named = script !== undefined && parsed.spec?.subcommands?.has(script) === false;
  const position = named ? call.words.findIndex(({ value }) => value === script) - 1 : parsed.positions[0];
  if (position === undefined) return;
  const words = call.words.slice(position + 1);
  const [first] = words;
  if (first?.value === undefined) return;
  const name = packagedName(first.value);
  const forbidden = call.analysis.options.isForbidden?.(name) === true;
  if (startsPrograms.has(first.value)) startWords(call, words);
  else if (isPi(name) || (forbidden && fetchesPrograms(call)))
    startWords(call, [literalWord(name), ...words.slice(1)]);
  else if (forbidden) call.effects.doubt("unknown-wrapper", `${call.program} may run ${name}`);
  else actAs(call, words);
}

/** The program that a package is named after: `@scope/name@1.2` is `name`. */
function packagedName(text: string): string {
  return text.replace(/(?<=.)@.*$/, "").replace(/^.*\//, "");
}

/** Its first word is a program and not the name of a script of the project. */
function fetchesPrograms(call: CommandCall): boolean {
  return /^(npx|bunx|pnpx)$/.test(call.program) || /^(dlx|x)$/.test(call.parsed.subcommand[0] ?? "");
}

const modules: ReadonlySet<string> = new Set(["pip", "pytest", "venv", "virtualenv", "nox", "tox", "invoke"]);

/** `python3 -m pip`: what the module does is what this command does. */
function runModule(call: CommandCall): void {
  if (!/^(python|pypy)/.test(call.program)) return;
  const module = call.parsed.flags.find(({ name }) => name === "-m")?.value;
  const words = module === undefined ? undefined : moduleWords(call.words, module);
  if (words !== undefined) actAs(call, words, modules);
}

const noOthers: ReadonlySet<string> = new Set();

/** What a formatter does with these words is what this command does: its name is that of a package here. */
function actAs(call: CommandCall, words: readonly ShellWord[], others: ReadonlySet<string> = noOthers): void {
  const name = words[0]?.value?.replace(/(?<=.)@.*$/, "") ?? "";
  const spec = isFormatter(name) || others.has(name) ? findProgram(name) : undefined;
  if (spec === undefined) return;
  const parsed = parseArguments(spec, words.slice(1));
  const inner: CommandCall = { ...call, program: name, words, parsed };
  applyFlags(inner);
  applyOperands(inner, parsed.spec);
  applyEntry(inner, parsed.spec, spec);
}

/** Names that, as a later word of an unknown program, look like a command that it runs. */
const startsPrograms: ReadonlySet<string> = new Set(
  (
    "rm rmdir mv cp dd ln chmod chown tee truncate shred git gh sh bash zsh dash ksh fish sudo doas env xargs eval " +
    "curl wget ssh scp rsync nc npm npx pnpm yarn bun bunx node deno python python3 perl ruby php docker podman kubectl " +
    "helm terraform aws gcloud az systemctl kill pkill killall crontab make sed awk tar reboot shutdown mkfs mount"
  ).split(" "),
);

/** `-f/etc/x`, `-I../x`: a path right behind the letter of an option that the table may not have. */
function readGlued(call: CommandCall): void {
  for (const word of call.words.slice(1)) {
    if (word.value === "--") return;
    const option = /^-[A-Za-z]\w*[=:]?(?=(?:~|\.{1,2})?\/.)/.exec(word.value ?? word.prefix)?.[0];
    if (option === undefined) continue;
    const path = wordTail(word, option.length);
    if (call.effects.resources.some(({ value }) => value !== undefined && value === path.value)) continue;
    guessPath(call, path, `${call.program} ${word.raw}`);
  }
}

function guessPath(call: CommandCall, word: ShellWord, origin: string): void {
  const text = word.value ?? word.prefix;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) && !/^file:/i.test(text)) {
    call.effects.resources.push({ ...hostFact(word, origin), possible: true });
    return;
  }
  const equals = /^[A-Za-z_][\w-]*=/.exec(text);
  const path = equals === null ? word : wordTail(word, equals[0].length);
  // `--dir=~/x`: the shell leaves it alone, and the program may not.
  if (path.tilde !== true && path.value?.startsWith("~/") === true)
    call.effects.path("read", { ...path, tilde: true }, origin, { possible: true });
  const name = path.value ?? path.prefix;
  if (!/[\\/]|^\.|^~/.test(name) && path.glob !== true && !/\.[A-Za-z0-9]{1,6}$/.test(name)) return;
  const { readOnly } = call.effects;
  call.effects.path("read", path, origin);
  if (!readOnly) call.effects.path("write", path, origin, { possible: true });
}
