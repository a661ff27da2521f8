import { isSafeRole, type Role } from "../programs/spec.ts";
import type { Doubt, ResourceFact } from "../subject.ts";
import type { Analysis, Folders, Outcome, Scope } from "./analysis.ts";
import type { ParsedArguments } from "./arguments.ts";
import { hostFact, hostOf, pathFacts, type PathOptions } from "./resources.ts";
import { literalWord, mayBeOption, unknownWord, wordTail, type ShellWord } from "./shell-word.ts";

/** What one command does, while it is being found out. */
export class Effects {
  readonly resources: ResourceFact[] = [];
  readonly doubts: { readonly kind: Doubt["kind"]; readonly message: string }[] = [];
  /** Reads of scripts and words inside it, to be done once the command has its place in the list. */
  readonly later: (() => void)[] = [];
  readOnly: boolean;
  opaque: string | undefined;
  outcome: Outcome | undefined;
  wrapper: "plain" | "changes" | undefined;
  /** Folders that its paths are relative to. */
  base: Folders;

  constructor(readOnly: boolean, base: Folders) {
    this.readOnly = readOnly;
    this.base = base;
  }

  doubt(kind: Doubt["kind"], message: string): void {
    this.doubts.push({ kind, message });
    this.readOnly = false;
  }

  /** It runs code that nobody can see into. */
  hide(reason: string): void {
    this.opaque ??= reason;
    this.doubt("opaque", reason);
  }

  path(action: ResourceFact["action"], word: ShellWord, origin: string, options?: PathOptions): void {
    if (action !== "read") this.readOnly = false;
    // Many programs that read and write files take a URL for one.
    if (/^[a-z][a-z0-9+.-]+:\/\//i.test(word.value ?? word.prefix) && !/^file:/i.test(word.value ?? ""))
      this.resources.push({ ...hostFact(word, origin), possible: true });
    if (action === "execute" && isDescriptor(word)) this.hide(`${origin} runs what it is fed`);
    this.resources.push(...pathFacts(action, word, this.base, origin, options));
  }

  /** It writes some of what is below a folder, and only the program knows which. */
  within(folder: ShellWord, origin: string): void {
    this.readOnly = false;
    // What a glob of the program's own stands for is below its first wildcard.
    const start = folder.value?.search(/[^/]*[*?[{]/) ?? -1;
    const word = start === -1 ? folder : literalWord(folder.value?.slice(0, start) || ".");
    this.resources.push(...pathFacts("write", word, this.base, origin, { within: true }));
  }
}

/** The file is what a descriptor is connected to: code that no file holds. */
export function isDescriptor(word: ShellWord): boolean {
  return /^\/+(dev\/+(stdin|fd\/+\d+)|proc\/+(self|\d+)\/+fd\/+\d+)$/.test(word.value ?? "");
}

/** One command that is being judged. */
export interface CommandCall {
  readonly analysis: Analysis;
  readonly scope: Scope;
  readonly folders: Folders;
  readonly program: string;
  /** argv, program first. */
  readonly words: readonly ShellWord[];
  readonly parsed: ParsedArguments;
  readonly effects: Effects;
  readonly env: readonly { readonly name: string; readonly value: ShellWord }[];
}

/** The scope of what a command starts. */
export function innerScope(call: CommandCall): Scope {
  return {
    ...call.scope,
    wrappers: [...call.scope.wrappers, call.program],
    depth: call.scope.depth + 1,
  };
}

/**
 * A word is a shell line of its own: it is read, or nobody can see into it. With `here` it runs in this very shell
 * and can change its folder.
 */
export function runLine(call: CommandCall, word: ShellWord | undefined, origin: string, here = false): void {
  const { analysis, effects } = call;
  effects.readOnly = false;
  if (word === undefined) return;
  const text = word.value;
  if (text === undefined) effects.hide(`${origin} is a command line that is not known before it runs`);
  // What can be guessed of it is read as well: a deny of what is plainly there must hold.
  const guess = text ?? word.guess;
  if (guess !== undefined) {
    effects.later.push(() => {
      const outcome = analysis.runText(guess, innerScope(call), effects.base);
      if (here) effects.outcome = text === undefined ? { ok: [undefined], fail: [undefined] } : outcome;
    });
  } else if (here) effects.outcome = { ok: [undefined], fail: [undefined] };
}

/** What a word in a given role does. */
export function applyRole(
  call: CommandCall,
  role: Role,
  word: ShellWord | undefined,
  origin: string,
  tree = false,
): void {
  const { effects } = call;
  if (!isSafeRole(role)) effects.readOnly = false;
  if (word === undefined) return;
  if (word.value === "-" && role === "execute")
    effects.hide(`${origin} runs what it reads from standard input`);
  if (word.value === "-" && role !== "text" && role !== "command") return;
  switch (role) {
    case "text":
    case "rest":
    case "cwd":
    case "name":
      return;
    case "read":
    case "write":
    case "delete":
      effects.path(role, word, origin, { tree });
      return;
    case "read-tree":
      effects.path("read", word, origin, { tree: true });
      return;
    case "write-tree":
      effects.path("write", word, origin, { tree: true });
      return;
    case "write-within":
      effects.path("read", word, origin);
      effects.within(word, origin);
      return;
    case "delete-tree":
      effects.path("delete", word, origin, { tree: true });
      return;
    case "move":
      effects.path("read", word, origin, { tree: true });
      effects.path("delete", word, origin, { tree: true });
      return;
    case "execute":
      if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word.value ?? word.prefix) && !/^file:/i.test(word.value ?? "")) {
        effects.hide(`${origin} runs code of another machine`);
        effects.resources.push(hostFact(word, origin));
        return;
      }
      effects.path("execute", word, origin);
      effects.path("read", word, origin);
      return;
    case "program":
      if (/\s/.test(word.value ?? word.prefix)) runLine(call, word, origin);
      else if (/[\\/]/.test(word.value ?? "") && !/^(\/usr)?\/s?bin\/[^/]+$/.test(word.value ?? "")) {
        effects.path("execute", word, origin);
        effects.path("read", word, origin);
      } else
        effects.later.push(() => {
          call.analysis.runWords([word, unknownWord("…")], innerScope(call), effects.base);
        });
      return;
    case "command":
      runLine(call, word, origin);
      return;
    case "code":
      effects.hide(`${origin} runs code`);
      return;
    case "url":
      if (/^file:/i.test(word.value ?? "")) {
        effects.path(
          "read",
          wordTail(word, /^file:(\/\/(localhost)?)?/i.exec(word.value ?? "")?.[0].length ?? 0),
          origin,
        );
      } else effects.resources.push(hostFact(word, origin));
      return;
    case "host":
      effects.resources.push(hostFact(word, origin));
      return;
    case "remote-read":
    case "remote-write": {
      const text = word.value ?? word.prefix;
      const remote = /^(?:[^/:]*@)?(\[[^\]]*\]|[^/:]+):/.exec(text) ?? /^[a-z]+:\/\/\S/i.exec(text);
      if (remote !== null) effects.resources.push({ ...hostFact(word, origin), value: hostOf(text) });
      else {
        effects.path(role === "remote-read" ? "read" : "write", word, origin, { tree: true });
        if (word.value === undefined) effects.resources.push(hostFact(word, origin));
      }
      return;
    }
    case "at-read": {
      const text = word.value ?? word.prefix;
      const at = /^(?:[^=@<]*=)?[@<]/.exec(text);
      if (at !== null) effects.path("read", wordTail(word, at[0].length), origin, { tree });
      else if (word.value === undefined && mayBeOption(word)) effects.path("read", word, origin);
      return;
    }
    case "environment":
      effects.doubt("environment", `${origin} decides which configuration or code is used`);
      if (/^(\.{0,2}\/|~\/)[^=]*$/.test(word.value ?? word.prefix)) effects.path("read", word, origin);
      return;
  }
}
