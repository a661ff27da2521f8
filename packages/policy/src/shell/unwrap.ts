import { compileSpec, type CompiledSpec, type WrapSpec } from "../programs/spec.ts";
import type { Analysis, Folders, Scope } from "./analysis.ts";
import { innerScope, runLine, type CommandCall } from "./effects.ts";
import { assign } from "./environment.ts";
import { addedWords, textWords } from "./listing.ts";
import { unknownWord, wordTail, type ShellWord } from "./shell-word.ts";

/** The entry of a program that the options declare to be a wrapper. */
export function declaredWrapper(analysis: Analysis, program: string): CompiledSpec | undefined {
  for (const one of analysis.options.wrappers ?? []) {
    const declared = typeof one === "string" ? { name: one } : one;
    if (declared.name !== program) continue;
    const options = (declared.valueOptions ?? []).filter((name) => /^-[\w-]+$/.test(name));
    return compileSpec({
      options: options.map((name) => `${name}=text`).join(" "),
      posix: true,
      wraps: { kind: "argv", skip: declared.skip ?? 0 },
    });
  }
  return undefined;
}

/** If the command starts another one, that one is read as well. */
export function unwrap(call: CommandCall, spec: CompiledSpec | undefined): void {
  const wraps = spec?.wraps;
  if (wraps === undefined) return;
  const { parsed, effects } = call;
  const has = (names: readonly string[]) => parsed.flags.some((flag) => names.includes(flag.name));
  if (wraps.unless !== undefined && has(wraps.unless)) return;
  if (wraps.only !== undefined && !has(wraps.only)) return;
  const start = skipToCommand(call, wraps);
  const rest = parsed.operands.slice(start.index);
  if (wraps.kind === "opaque") {
    effects.readOnly = false;
    if (rest.length === 0) return;
    effects.hide(`${call.program} runs a command somewhere else`);
    startElsewhere(call, wraps.place === true ? afterPlace(rest) : rest);
    return;
  }
  const end =
    wraps.until === undefined
      ? -1
      : rest.findIndex((word) => wraps.until?.includes(word.value ?? "") === true);
  const command = end === -1 ? rest : rest.slice(0, end);
  const first = command[0];
  if (first === undefined) {
    if (wraps.changes === true) effects.wrapper = "changes";
    return;
  }
  effects.wrapper = wraps.changes === true ? "changes" : "plain";
  if (wraps.changes === true) effects.readOnly = false;
  if (
    parsed.uncertain !== undefined &&
    parsed.operands.slice(0, start.index + 1).includes(parsed.uncertain)
  ) {
    effects.doubt("dynamic-word", `${parsed.uncertain.raw} may turn out to be an option of ${call.program}`);
  }
  // `parallel 'rm {}'` is a line; `parallel rm` are words.
  const isLine =
    wraps.appends !== true || (command.length === 1 && /\s/.test(first.value ?? first.guess ?? ""));
  if (wraps.kind === "line" && isLine) {
    const readOnly = effects.readOnly;
    const line = joinWords(command);
    runLine(call, wraps.appends === true ? replaceMarker(line, "{}") : line, `${call.program} ${first.raw}`);
    effects.readOnly = readOnly && effects.opaque === undefined;
    return;
  }
  const marker = wraps.appends === true ? replacedMarker(call) : undefined;
  const added = wraps.appends === true ? readNames(call) : [];
  if (marker !== undefined) {
    // In place of the marker stands one name as it is: the command is read once for each that is known.
    for (const name of added.some(({ value }) => value !== undefined) ? added : [undefined]) {
      startWords(
        call,
        command.map((word) =>
          name !== undefined && word.value === marker ? name : replaceMarker(word, marker),
        ),
        start.env,
      );
    }
  } else startWords(call, [...command, ...added], start.env);
}

/** `kubectl exec pod -c x -- ls`, `docker exec name ls`: what stands behind the name of the place. */
function afterPlace(words: readonly ShellWord[]): readonly ShellWord[] {
  const dashes = words.findIndex(({ value }) => value === "--");
  return words.slice(dashes === -1 ? 1 : dashes + 1);
}

/**
 * Words that run as a command on another machine or in a container. Nobody sees what is there, so it asks all the
 * same; what is plainly forbidden is forbidden there too.
 */
export function startElsewhere(call: CommandCall, words: readonly ShellWord[], line = false): void {
  if (words.length === 0) return;
  call.effects.later.push(() => {
    const scope: Scope = { ...innerScope(call), elsewhere: true, variables: new Map(), steady: false };
    const joined = joinWords(words);
    const text = joined.value ?? joined.guess;
    if (!line) call.analysis.runWords(words, scope, [undefined]);
    else if (text !== undefined)
      call.analysis.runText(text, { ...scope, redirections: [], redirected: [] }, [undefined]);
  });
}

/** What `xargs` adds to the command: names that are listed in this line, its own text, or something unseen. */
function readNames(call: CommandCall): readonly ShellWord[] {
  const { input } = call.scope;
  const has = (...names: readonly string[]) => call.parsed.flags.some((flag) => names.includes(flag.name));
  const unseen = [unknownWord("…")];
  if (call.program === "parallel" || has("--arg-file", "--delimiter", "-E", "--eof", "-e")) return unseen;
  if (input.kind === "names") return addedWords(input.listing, has("--null"));
  const text = input.kind === "text" && !has("--null") ? input.text : undefined;
  return (text === undefined ? undefined : textWords(text)) ?? unseen;
}

/** Words that the command starts as a command of its own, in `folders` or where the command itself works. */
export function startWords(
  call: CommandCall,
  words: readonly ShellWord[],
  env: readonly { readonly name: string; readonly value: ShellWord }[] = [],
  folders: Folders = call.effects.base,
): void {
  const { analysis, effects } = call;
  effects.wrapper ??= "plain";
  effects.later.push(() => {
    const outcome = analysis.runWords(words, innerScope(call), folders, { env: [...call.env, ...env] });
    // `builtin cd x` moves this very shell.
    if (sameShell.has(call.program)) effects.outcome = outcome;
  });
}

/** `xargs -I R`: the text that is replaced in the words, instead of words being added. */
function replacedMarker(call: CommandCall): string | undefined {
  for (const flag of call.parsed.flags) {
    if (flag.name === "-I" || flag.name === "-J") return flag.value?.value ?? "{}";
    if (flag.name === "-i" || flag.name === "--replace") return flag.value?.value ?? "{}";
  }
  // What `parallel` replaces without being told.
  if (call.parsed.spec?.wraps?.kind === "line" && call.words.some((word) => word.value?.includes("{}")))
    return "{}";
  return undefined;
}

/** A word in which a text is replaced by something that nobody has seen. */
export function replaceMarker(word: ShellWord, marker: string): ShellWord {
  const text = word.value ?? word.guess ?? word.raw;
  const at = marker === "" ? 0 : text.indexOf(marker);
  if (at === -1) return word;
  const prefix = word.value === undefined ? "" : word.value.slice(0, at);
  const parts =
    word.value === undefined ? word.parts : word.value.split(marker).filter((part) => part !== "");
  return { raw: word.raw, value: undefined, prefix, guess: text, ...(parts === undefined ? {} : { parts }) };
}

const sameShell: ReadonlySet<string> = new Set(["builtin", "command", "nocorrect", "noglob"]);

/** Several words that become one shell line, as `eval` and `watch` make one. */
export function joinWords(words: readonly ShellWord[]): ShellWord {
  const raw = words.map((word) => word.raw).join(" ");
  if (words.some((word) => word.value === undefined)) {
    return {
      ...unknownWord(raw),
      guess: words.map((word) => word.value ?? word.guess ?? word.raw).join(" "),
    };
  }
  const value = words.map((word) => word.value).join(" ");
  return { raw, value, prefix: value };
}

function skipToCommand(
  call: CommandCall,
  wraps: WrapSpec,
): { readonly index: number; readonly env: { readonly name: string; readonly value: ShellWord }[] } {
  const env: { readonly name: string; readonly value: ShellWord }[] = [];
  let index = 0;
  if (wraps.assignments === true) {
    // `env - x` is `env -i x`.
    if (call.parsed.operands[0]?.value === "-") index += 1;
    for (; index < call.parsed.operands.length; index++) {
      const word = call.parsed.operands[index];
      const name = /^([A-Za-z_]\w*)=/.exec(word?.value ?? word?.prefix ?? "")?.[1];
      if (word === undefined || name === undefined) break;
      env.push({ name, value: wordTail(word, name.length + 1) });
      assign(call.analysis, name, "command", call.analysis.commands.length);
    }
  }
  const skip = wraps.skip ?? 0;
  index += skip;
  if (skip > 0 && call.parsed.operands[index]?.value === "--") index += 1;
  return { index, env };
}
