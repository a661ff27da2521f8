import { compileSpec, type CompiledSpec, type WrapSpec } from "../programs/spec.ts";
import type { Analysis } from "./analysis.ts";
import { innerScope, runLine, type CommandCall } from "./effects.ts";
import { assign } from "./environment.ts";
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
    if (rest.length > 0) effects.hide(`${call.program} runs a command somewhere else`);
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
  if (wraps.kind === "line") {
    const readOnly = effects.readOnly;
    runLine(call, joinWords(command), `${call.program} ${first.raw}`);
    effects.readOnly = readOnly && effects.opaque === undefined;
    return;
  }
  const appended = wraps.appends === true || end !== -1 ? [...command, unknownWord("…")] : command;
  startWords(call, appended, start.env);
}

/** Words that the command starts as a command of its own. */
export function startWords(
  call: CommandCall,
  words: readonly ShellWord[],
  env: readonly { readonly name: string; readonly value: ShellWord }[] = [],
): void {
  const { analysis, effects } = call;
  effects.wrapper ??= "plain";
  effects.later.push(() => {
    analysis.runWords(words, innerScope(call), effects.base, { env: [...call.env, ...env] });
  });
}

/** Several words that become one shell line, as `eval` and `watch` make one. */
export function joinWords(words: readonly ShellWord[]): ShellWord {
  const raw = words.map((word) => word.raw).join(" ");
  if (words.some((word) => word.value === undefined)) return unknownWord(raw);
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
    for (; index < call.parsed.operands.length; index++) {
      const word = call.parsed.operands[index];
      const name = /^([A-Za-z_]\w*)=/.exec(word?.value ?? word?.prefix ?? "")?.[1];
      if (word === undefined || name === undefined) break;
      env.push({ name, value: wordTail(word, name.length + 1) });
      assign(call.analysis, name, word, "command", call.analysis.commands.length);
    }
  }
  return { index: index + (wraps.skip ?? 0), env };
}
