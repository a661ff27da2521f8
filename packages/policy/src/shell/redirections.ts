import type { Redirection as ParsedRedirection } from "unbash";

import type { Redirection, ResourceFact } from "../subject.ts";
import { addDoubt, type StandardInput } from "./analysis.ts";
import { bodyText } from "./piped-text.ts";
import { isStream, pathFacts } from "./resources.ts";
import { literalWord, plainWord, unknownWord, type ShellWord } from "./shell-word.ts";
import { readWord, visitNested, type WordReader } from "./words.ts";

export interface ReadRedirections {
  readonly redirections: readonly Redirection[];
  readonly resources: readonly ResourceFact[];
  readonly input: StandardInput | undefined;
}

/** Redirections as facts; what their words substitute is analysed. */
export function readRedirections(reader: WordReader, parsed: readonly ParsedRedirection[]): ReadRedirections {
  const redirections: Redirection[] = [];
  const resources: ResourceFact[] = [];
  let input: StandardInput | undefined;
  for (const one of parsed) {
    const descriptor = one.descriptor;
    const fd =
      descriptor === undefined
        ? undefined
        : "value" in descriptor
          ? descriptor.value
          : `{${descriptor.name}}`;
    const add = (target: ShellWord, action: Redirection["action"]) => {
      redirections.push({
        operator: one.operator,
        ...(fd === undefined ? {} : { fd }),
        target: plainWord(target),
        action,
      });
    };
    const standardInput = fd === undefined || fd === 0;
    if (one.type === "HereDoc") {
      visitNested(reader, one.body);
      const text = bodyText(one.body.parts, one.body.text);
      add(literalWord(one.delimiter?.value ?? "", one.delimiter?.text ?? ""), "none");
      if (standardInput) input = { kind: "text", text, guess: one.body.text };
      continue;
    }
    const words = one.target === undefined ? [] : readWord(reader, one.target);
    const target = words[0];
    // In `> 2>&1` the digit is the next redirection's own, and the first one has no target.
    const next = one.target === undefined ? "" : reader.scope.text.charAt(one.target.end);
    if (/^\d+$/.test(one.target?.text ?? "") && (next === "<" || next === ">"))
      addDoubt(reader.analysis, "syntax", "a redirection without a target");
    if (target === undefined) {
      addDoubt(reader.analysis, "syntax", "a redirection without a target");
      continue;
    }
    if (one.type === "HereString") {
      add(target, "none");
      if (standardInput)
        input = {
          kind: "text",
          text: target.value,
          ...(target.guess === undefined ? {} : { guess: target.guess }),
        };
      continue;
    }
    const file = words.length > 1 ? unknownWord(target.raw) : target;
    const duplicate =
      (one.operator === ">&" || one.operator === "<&") && /^(\d+-?|-)$/.test(file.value ?? "");
    if (duplicate) {
      add(file, "none");
      continue;
    }
    const origin = `${one.operator} ${file.raw}`;
    if (one.operator === "<" || one.operator === "<&") {
      add(file, file.value !== undefined && isStream(file.value) ? "none" : "read");
      resources.push(...pathFacts("read", file, reader.folders, origin));
      if (standardInput) input = { kind: "file", word: file };
    } else {
      add(file, file.pipe === true || (file.value !== undefined && isStream(file.value)) ? "none" : "write");
      resources.push(...pathFacts("write", file, reader.folders, origin));
      if (one.operator === "<>") resources.push(...pathFacts("read", file, reader.folders, origin));
      if (one.operator === "<>" && standardInput) input = { kind: "file", word: file };
    }
  }
  return { redirections, resources: resources.map((one) => ({ ...one, redirected: true })), input };
}
