import type { CallRequest } from "@nestbox/tool";

import type { Decision, PartDecision } from "../decision.ts";
import type { CommandFact } from "../subject.ts";
import type { Remember } from "./approver.ts";
import { type CommandPattern, FED, parsePattern, writeWord } from "./command-pattern.ts";
import { MAX_SHOWN_CHARS, showText } from "../explain/escape.ts";
import { matchesPaths, pathPatternProblem, touchedPaths } from "./grant-path.ts";
import { bindingOf, boundInWords, sameFiles } from "./grant-binding.ts";
import { staysAsBound, writtenByLine } from "./grant-settled.ts";
import { shorten } from "./display.ts";
import type { Grant, GrantFacts, GrantOffer, GrantStore, GrantSubject } from "./grant.ts";

/** Most grants that a store in memory keeps; one more drops the oldest. */
export const MAX_GRANTS = 500;

/** A store that lives as long as the session. */
export function createMemoryGrants(initial: readonly Grant[] = []): GrantStore {
  const grants: Grant[] = [...initial];
  return {
    list: () => grants,
    add(grant) {
      grants.push(grant);
      if (grants.length > MAX_GRANTS) grants.shift();
    },
    revoke(id) {
      const index = grants.findIndex((grant) => grant.id === id);
      if (index < 0) return false;
      grants.splice(index, 1);
      return true;
    },
  };
}

/** One text per owner of a tool, so that namesakes are told apart. */
export function sourceKey(request: CallRequest): string {
  const source = request.tool.source;
  if (source === undefined) return "unknown";
  switch (source.kind) {
    case "mcp":
      return `mcp:${source.server}`;
    case "extension":
      return `extension:${source.id ?? ""}`;
    case "module":
      return `module:${source.path ?? ""}`;
    default:
      return source.kind;
  }
}

/** The parts of a call that nobody has answered yet. */
export function askingParts(decision: Decision): readonly PartDecision[] {
  const parts = decision.parts.filter((part) => part.effect === "ask");
  return parts.length > 0 ? parts : [decision];
}

/** What may be remembered for a call: exact first, then one line for each command that was asked about. */
export function grantOffers(subject: GrantSubject, facts: GrantFacts): readonly GrantOffer[] {
  const { decision, request } = subject;
  const asking = askingParts(decision);
  if (decision.personOnly === true || asking.some((part) => part.personOnly === true)) return [];
  // What nobody could read before it runs may be another thing the next time.
  if (decision.subject.doubts.length > 0) return [];
  const binding = bindingOf(subject, facts);
  if (binding === undefined) return [];
  const bound = boundInWords(binding);
  const offers: GrantOffer[] = [offer("exact", exactText(request, decision), bound)];
  for (const command of grantableCommands(subject, asking, facts) ?? []) {
    offers.push(offer("command", patternOf(command), bound));
  }
  const paths = touchedPaths(subject, binding.folder, facts);
  if (paths?.length === 1) offers.push(offer("path", paths.join(), bound));
  return offers;
}

function offer(kind: GrantOffer["kind"], pattern: string, bound: string): GrantOffer {
  return { kind, pattern, shown: shorten(pattern), editable: kind !== "exact", bound };
}

export type MadeGrant =
  | { readonly ok: true; readonly grant: Grant }
  | { readonly ok: false; readonly message: string };

/** Turns an answer into a grant, bound to what was asked. An edited pattern must still match the call that was shown. */
export function makeGrant(
  subject: GrantSubject,
  remember: Remember,
  facts: GrantFacts,
  made: { readonly id: string; readonly now: number },
): MadeGrant {
  const offers = grantOffers(subject, facts);
  const binding = bindingOf(subject, facts);
  if (offers.length === 0 || binding === undefined)
    return { ok: false, message: "this call cannot be remembered" };
  const asking = askingParts(subject.decision);
  const rules = [...new Set(asking.map(ruleKey))];
  const base = {
    id: made.id,
    scope: remember.kind,
    tool: subject.request.tool.name,
    source: sourceKey(subject.request),
    shown: shorten(remember.pattern),
    ...binding,
    rules,
    createdAt: made.now,
    ...(remember.kind === "time" ? { expiresAt: made.now + remember.forMs } : {}),
  };
  const exact =
    (remember.offer ?? "exact") === "exact" &&
    offers.some((item) => item.kind === "exact" && item.pattern === remember.pattern);
  if (exact) return { ok: true, grant: { ...base, kind: "exact", match: subject.fingerprint } };
  if (remember.offer === "path") {
    const problem = pathPatternProblem(remember.pattern);
    if (problem !== undefined) return { ok: false, message: problem };
    if (!matchesPaths(remember.pattern, touchedPaths(subject, binding.folder, facts) ?? [])) {
      return { ok: false, message: "the pattern does not match the files that were asked about" };
    }
    return { ok: true, grant: { ...base, kind: "path", match: remember.pattern } };
  }
  const words = parsePattern(remember.pattern);
  if (!words.ok) return words;
  const commands = grantableCommands(subject, asking, facts) ?? [];
  if (!commands.some((command) => matchesCommand(words, command))) {
    return { ok: false, message: "the pattern does not match the call that was asked about" };
  }
  return { ok: true, grant: { ...base, kind: "command", match: remember.pattern } };
}

/** One text per rule: another layer's rule of the same name is another rule. */
function ruleKey(part: PartDecision): string {
  return `${part.layer}/${part.rule}`;
}

/**
 * The grants that answer every asking part of a call, or none: expiry, folder and file contents are checked now.
 * `changing`: absolute paths that calls which have not ended may be writing.
 */
export function findGrants(
  grants: readonly Grant[],
  subject: GrantSubject,
  facts: GrantFacts,
  { now, changing = [] }: { readonly now: number; readonly changing?: readonly string[] },
): readonly Grant[] | undefined {
  const { decision, request } = subject;
  const asking = askingParts(decision);
  if (
    decision.effect !== "ask" ||
    decision.personOnly === true ||
    asking.some((part) => part.personOnly === true)
  ) {
    return undefined;
  }
  if (decision.subject.doubts.length > 0) return undefined;
  const source = sourceKey(request);
  const alive = grants.filter(
    (grant) =>
      grant.tool === request.tool.name &&
      grant.source === source &&
      (grant.scope !== "time" || isCurrent(grant, now)),
  );
  if (alive.length === 0) return undefined;
  const binding = bindingOf(subject, facts);
  if (binding === undefined) return undefined;
  const here = alive.filter(
    (grant) =>
      grant.folder === binding.folder &&
      grant.repository === binding.repository &&
      sameFiles(grant.files, binding.files),
  );
  if (!staysAsBound(binding.files, changing)) return undefined;
  const answers = (grant: Grant, part: PartDecision): boolean => grant.rules.includes(ruleKey(part));
  const exact = here.find(
    (grant) =>
      grant.kind === "exact" &&
      grant.match === subject.fingerprint &&
      asking.every((part) => answers(grant, part)),
  );
  if (exact !== undefined) return [exact];
  const paths = touchedPaths(subject, binding.folder, facts);
  if (paths !== undefined) {
    const all = (grant: Grant): boolean =>
      grant.kind === "path" &&
      matchesPaths(grant.match, paths) &&
      asking.every((part) => answers(grant, part));
    const covering = here.find(all);
    return covering === undefined ? undefined : [covering];
  }
  const commands = grantableCommands(subject, asking, facts);
  if (commands === undefined) return undefined;
  // The exact line was approved with all that it does; one command of it was not.
  const written = binding.files.length === 0 ? [] : writtenByLine(subject, facts);
  if (written === undefined || !staysAsBound(binding.files, written)) return undefined;
  const used: Grant[] = [];
  for (const [index, part] of asking.entries()) {
    const command = commands[index];
    if (command === undefined) return undefined;
    const grant = here.find((candidate) => {
      if (candidate.kind !== "command" || !answers(candidate, part)) return false;
      const words = parsePattern(candidate.match);
      return words.ok && matchesCommand(words, command);
    });
    if (grant === undefined) return undefined;
    used.push(grant);
  }
  return used;
}

/** A clock that was set back has not made the time that a person chose any longer. */
function isCurrent({ createdAt, expiresAt }: Grant, now: number): boolean {
  return expiresAt !== undefined && createdAt <= now && now < expiresAt;
}

/** The command behind each asking part, in their order; undefined when some part is more than a plain command. */
function grantableCommands(
  subject: GrantSubject,
  asking: readonly PartDecision[],
  facts: GrantFacts,
): readonly CommandFact[] | undefined {
  const { decision } = subject;
  const { cwd } = subject.request;
  const found: CommandFact[] = [];
  for (const part of asking) {
    const command = decision.subject.commands.find(
      (candidate) =>
        candidate.wrappers.length === 0 &&
        // Elsewhere the same words mean something else.
        candidate.cwd !== undefined &&
        facts.resolve(cwd, candidate.cwd) === facts.resolve(cwd, ".") &&
        // A source that was cut for display is no longer told from its twin.
        candidate.source.length <= MAX_SHOWN_CHARS &&
        showText(candidate.source) === part.matched,
    );
    if (command === undefined || !isPlain(command)) return undefined;
    found.push(command);
  }
  return found.length > 0 ? found : undefined;
}

/** Nothing about it is decided elsewhere than in its words. */
function isPlain(command: CommandFact): boolean {
  return (
    command.program !== undefined &&
    command.opaque === undefined &&
    command.env.length === 0 &&
    command.redirections.every(isHarmless) &&
    command.argv.every((word) => word.value !== undefined && word.glob !== true)
  );
}

/** Only joins two outputs, as `2>&1` does: a here-document or another input is part of what a command does. */
function isHarmless({ operator, action }: CommandFact["redirections"][number]): boolean {
  return action === "none" && !operator.includes("<");
}

/** Another command's output is its input: the same words may do anything with it. */
function isFed(command: CommandFact): boolean {
  return command.pipeline.index > 0;
}

function patternOf(command: CommandFact): string {
  const words = command.argv.map((word) => writeWord(word.value ?? "")).join(" ");
  return isFed(command) ? `${FED} ${words}` : words;
}

function exactText(request: CallRequest, decision: Decision): string {
  const command = decision.subject.commands.length > 0 ? request.input["command"] : undefined;
  return typeof command === "string" ? command : JSON.stringify(request.input);
}

function matchesCommand(
  { words: pattern, fed }: Extract<CommandPattern, { ok: true }>,
  command: CommandFact,
): boolean {
  if (!isPlain(command) || isFed(command) !== fed) return false;
  const argv = command.argv.map((word) => word.value);
  for (const [index, word] of pattern.entries()) {
    if (word.kind === "rest") return argv.length >= index;
    const value = argv[index];
    if (value === undefined) return false;
    if (word.kind === "word" && word.value !== value) return false;
  }
  return argv.length === pattern.length;
}
