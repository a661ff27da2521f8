import type { CallRequest } from "@nestbox/tool";

import type { PartDecision } from "../decision.ts";
import { showText } from "../explain/escape.ts";
import type { MappedCall } from "../mapping/subject.ts";
import { pathSubject } from "../paths/subject.ts";
import { noFiles } from "../paths/fs.ts";
import { createResolver, type PathResolver } from "../paths/resolve.ts";
import type { CommandFact, Doubt, ResourceAction } from "../subject.ts";
import { findProgram } from "../programs/table.ts";
import { analyzeCommand } from "../shell/analyze.ts";
import { quoteWord } from "../rules/words.ts";
import { askRule, partOf } from "./ask-rule.ts";
import type { CompiledRule, EngineParts } from "./parts.ts";

/** Doubts that may hide whole commands: then every raw word is held against the denies. */
const hiding: ReadonlySet<Doubt["kind"]> = new Set(["syntax", "limit", "unknown-shell", "dynamic-program"]);
/** Doubts that may hide what an opaque text does to files. */
const opaque: ReadonlySet<Doubt["kind"]> = new Set(["opaque", "evaluates-argument", "unknown-wrapper"]);
/** Words after a raw program that are read as its arguments. */
const RAW_ARGUMENTS = 24;
/** Most raw words that are read with their arguments; a later one counts by its name alone, which is stricter. */
const MAX_RAW_COMMANDS = 300;
/** Most raw words that are looked up on disk; a later one counts as it is written. */
const MAX_RAW_LOOKUPS = 500;

/** Whether a command line would be allowed if it stood alone in that folder. */
export type AllowedAlone = (line: string, cwd: string) => boolean;

/** Every doubt asks; and where a doubt may hide something, the raw words are still held against the denies. */
export function judgeDoubts(
  engine: EngineParts,
  request: CallRequest,
  call: MappedCall,
  env: readonly (readonly string[])[],
  resolver: () => PathResolver,
  allowed: AllowedAlone,
  otherwise: PartDecision,
): readonly PartDecision[] {
  const parts: PartDecision[] = [];
  const doubts = call.doubts.filter(
    (doubt) =>
      !(doubt.mild === true && otherwise.effect === "allow") &&
      !isWaived(doubt, call.commands, env) &&
      !startsAllowed(engine, doubt, call.commands, allowed),
  );
  for (const doubt of doubts) {
    const source = doubt.command === undefined ? undefined : call.commands[doubt.command]?.source;
    parts.push({
      effect: "ask",
      rule: `doubt.${doubt.kind}`,
      layer: "built-in",
      matched: showText(source ?? request.tool.name),
      reason: showText(doubt.message),
    });
  }
  if (doubts.some(({ kind }) => hiding.has(kind))) {
    parts.push(...rawCommands(engine, request, call.rawWords));
    parts.push(...rawPaths(engine, request, call.rawWords, resolver, "deny"));
  } else if (
    doubts.some(({ kind }) => opaque.has(kind)) ||
    call.commands.some((command) => command.opaque !== undefined)
  ) {
    parts.push(...rawPaths(engine, request, call.rawWords, resolver, "ask"));
  }
  return parts;
}

/** A doubt about a variable that the rule which allows the command lets stand there. */
function isWaived(
  doubt: Doubt,
  commands: readonly CommandFact[],
  env: readonly (readonly string[])[],
): boolean {
  if (doubt.kind !== "environment" || doubt.command === undefined) return false;
  const command = commands[doubt.command];
  const allowed = env[doubt.command] ?? [];
  return (
    command !== undefined &&
    allowed.length > 0 &&
    command.env.length > 0 &&
    command.env.every(({ name }) => allowed.includes(name))
  );
}

/** Most words of an unknown program behind which a command of its own may begin. */
const MAX_STARTS = 4;

/** An unknown program that may start what its later words name, where all of it would be allowed without it. */
function startsAllowed(
  engine: EngineParts,
  doubt: Doubt,
  commands: readonly CommandFact[],
  allowed: AllowedAlone,
): boolean {
  if (doubt.kind !== "unknown-wrapper" || doubt.command === undefined) return false;
  const command = commands[doubt.command];
  // One that is known to start programs says where they begin.
  if (command === undefined || command.known || command.cwd === undefined) return false;
  const { cwd } = command;
  const words = command.argv.map(({ value, glob }) => (glob === true ? undefined : value));
  const lines = words.flatMap((word, index) => {
    if (index === 0 || word === undefined) return [];
    const program = programOf(word);
    const known = findProgram(program) !== undefined || engine.commandRules.byProgram.has(program);
    return known ? [words.slice(index)] : [];
  });
  if (lines.length === 0 || lines.length > MAX_STARTS) return false;
  return lines.every(
    (line) =>
      line.every((word) => word !== undefined) &&
      allowed(line.map((word) => quoteWord(word ?? "")).join(" "), cwd),
  );
}

function rawCommands(
  engine: EngineParts,
  request: CallRequest,
  words: readonly string[],
): readonly PartDecision[] {
  const parts: PartDecision[] = [];
  const seen = new Set<string>();
  let read = 0;
  for (const [index, word] of words.entries()) {
    const named = engine.commandRules.byProgram.get(programOf(word)) ?? [];
    const rules = [...named, ...engine.commandRules.open].filter(
      ({ effect, id }) => effect === "deny" && !seen.has(id),
    );
    if (rules.length === 0) continue;
    read += 1;
    for (const rule of read > MAX_RAW_COMMANDS ? named : rules) {
      if (rule.effect !== "deny" || seen.has(rule.id)) continue;
      const part =
        read > MAX_RAW_COMMANDS
          ? partOf(rule, showText(word))
          : rawCommand(engine, request, rule, words.slice(index, index + RAW_ARGUMENTS));
      if (part === undefined) continue;
      seen.add(rule.id);
      parts.push({
        ...part,
        reason: `${part.reason}; the text could not be read as a whole, so its words were`,
      });
    }
  }
  return parts;
}

function rawCommand(
  engine: EngineParts,
  request: CallRequest,
  rule: CompiledRule,
  words: readonly string[],
): PartDecision | undefined {
  const [command] = analyzeCommand(words.map(quoteWord).join(" "), {
    cwd: request.cwd,
    home: engine.options.home,
  }).commands;
  if (command === undefined) return undefined;
  const resources = command.resources.map((fact) => ({ fact, path: undefined }));
  const part = askRule(rule, { request, command, resources }, () => showText(words[0] ?? ""));
  return part?.effect === "deny" ? part : undefined;
}

/**
 * Words, and pieces of words that look like paths, held against the denies of paths. In a text that could not be read
 * they deny; in code that nobody can see into they ask, and only a person answers where it is the leash.
 */
function rawPaths(
  engine: EngineParts,
  request: CallRequest,
  words: readonly string[],
  resolver: () => PathResolver,
  effect: "ask" | "deny",
): readonly PartDecision[] {
  const denies = engine.pathRules.filter(
    (rule) => rule.effect === "deny" && rule.rule.path?.glob !== undefined,
  );
  if (denies.length === 0) return [];
  const parts: PartDecision[] = [];
  const seen = new Set<string>();
  const candidates = new Set(words.flatMap((word) => [word, ...pathPieces(word)]));
  const { world, roots } = resolver();
  const lexical = createResolver(noFiles, world, roots[0] ?? request.cwd);
  let looked = 0;
  for (const value of candidates) {
    looked += 1;
    const paths = looked > MAX_RAW_LOOKUPS ? lexical : resolver();
    for (const rule of denies) {
      if (seen.has(rule.id)) continue;
      const action = actionOf(rule);
      const path = pathSubject(
        paths,
        { action, kind: "path", value, base: request.cwd, origin: "word" },
        request.cwd,
      );
      const part = askRule(
        rule,
        { request, resources: [{ fact: { action, kind: "path", value, origin: "word" }, path }] },
        () => showText(value),
      );
      if (part?.effect !== "deny") continue;
      seen.add(rule.id);
      parts.push({
        ...part,
        effect,
        reason: `${part.reason}; the words name it, and what is done to it cannot be seen`,
        ...(rule.id.startsWith("leash.") ? { personOnly: true } : {}),
      });
    }
  }
  return parts;
}

/** What the rule forbids to do; any of it will do, since what is done is not known. */
function actionOf(rule: CompiledRule): ResourceAction {
  return rule.rule.path?.action?.[0] ?? "read";
}

/** Pieces that may be paths: what stands in quotes or between characters that are rare in paths. */
function pathPieces(word: string): readonly string[] {
  if (word.length > 65_536) return [];
  return word.split(/[\s'"`()[\]{}<>|;,=&]+/).filter((piece) => piece.length > 1 && piece !== word);
}

function programOf(word: string): string {
  return word
    .slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1)
    .replace(/\.(exe|cmd|bat|com)$/i, "")
    .toLowerCase();
}
