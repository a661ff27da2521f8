import type { CallRequest } from "@nestbox/tool";

import {
  type Answer,
  compilePathMatch,
  type PathScope,
  type PathTest,
  pathMatchProblem,
} from "../paths/match.ts";
import type { PathSubject } from "../paths/subject.ts";
import type { CommandFact, ResourceFact } from "../subject.ts";
import { type CallTest, compileCallFilter } from "./call-filter.ts";
import { type CommandTest, type CommandWorld, compileCommandMatch } from "./command-match.ts";
import type { RuleMatch, Trust } from "./types.ts";
import { anyWildcard, type TextTest, wildcard } from "./wildcard.ts";

/** One resource of a call, ready for rules. */
export interface Resource {
  readonly fact: ResourceFact;
  /** Only for a path. */
  readonly path: PathSubject | undefined;
}

/** One part of a call: the tool, a command with its resources, or one resource with the command it belongs to. */
export interface Part {
  readonly request: CallRequest;
  readonly command?: CommandFact;
  /** The resources of the command, or the one resource. */
  readonly resources: readonly Resource[];
}

/** What a rule or an exception looks at, ready to be asked about one part. */
export interface CompiledMatch {
  /** Whether the part may be meant; what a deny or ask asks. */
  loose(part: Part): Answer;
  /** Whether the part is surely and wholly meant; what an allow asks, and an exception from a deny. */
  strict(part: Part): boolean;
  readonly call: CallTest;
  readonly commands: readonly CommandTest[] | undefined;
}

export interface MatchWorld extends CommandWorld {
  readonly trust: Trust;
  /** The rule is built in: see `compilePathMatch`. */
  readonly soft: boolean;
}

/** Most project folders for which patterns are kept ready. */
const MAX_SCOPES = 8;

export function compileMatch(
  match: RuleMatch,
  world: MatchWorld,
  fail: (message: string) => void,
): CompiledMatch {
  const call = compileCallFilter(match, world.trust, fail);
  const commands = match.command?.map((one) => compileCommandMatch(one, world, fail));
  const problem = match.path === undefined ? undefined : pathMatchProblem(match.path);
  if (problem !== undefined) fail(problem);
  const path = match.path;
  const scoped =
    path === undefined
      ? undefined
      : scopedPathTest((scope) => compilePathMatch(path, scope, { soft: world.soft }));
  const host = match.host === undefined ? undefined : anyWildcard(match.host, { foldCase: true });
  const { ref } = match;
  const refName = ref?.name === undefined ? undefined : refTest(ref.name.map(plainRef));

  const looseTests: ((part: Part) => Answer)[] = [];
  if (commands !== undefined)
    looseTests.push(({ command }) =>
      command === undefined ? "no" : surest(commands, (one) => one.loose(command)),
    );
  if (scoped !== undefined) {
    looseTests.push(({ resources }) =>
      surest(resources, ({ path: subject }) =>
        subject === undefined ? "no" : scoped(subject).loose(subject),
      ),
    );
  }
  if (host !== undefined)
    looseTests.push(({ resources }) => surest(resources, ({ fact }) => looseText(fact, "host", host)));
  if (ref !== undefined)
    looseTests.push(({ resources }) => surest(resources, ({ fact }) => looseRef(fact, refName, ref.force)));

  return {
    call,
    commands,
    loose(part) {
      if (!call(part.request, "loose")) return "no";
      let found: Answer = "yes";
      for (const test of looseTests) {
        const answer = test(part);
        if (answer === "no") return "no";
        if (answer === "maybe") found = "maybe";
      }
      return found;
    },
    strict(part) {
      if (!call(part.request, "strict")) return false;
      const { command } = part;
      if (commands !== undefined && (command === undefined || !commands.some((one) => one.strict(command))))
        return false;
      if (
        scoped !== undefined &&
        !every(
          part.resources.filter(({ path: subject }) => subject !== undefined && !subject.harmless),
          ({ path: subject }) => subject !== undefined && scoped(subject).strict(subject),
        )
      )
        return false;
      if (
        host !== undefined &&
        !every(ofKind(part, "host"), ({ fact }) => fact.value !== undefined && host(fact.value))
      )
        return false;
      return (
        ref === undefined || every(ofKind(part, "ref"), ({ fact }) => strictRef(fact, refName, ref.force))
      );
    },
  };
}

/** Compiled once a project folder: patterns are relative to it. */
function scopedPathTest(compile: (scope: PathScope) => PathTest): (subject: PathSubject) => PathTest {
  const held = new Map<string, PathTest>();
  let last: { readonly key: string; readonly test: PathTest } | undefined;
  return ({ resolver }) => {
    if (last !== undefined && last.key === resolver.scopeKey) return last.test;
    const test = held.get(resolver.scopeKey) ?? compile(resolver);
    if (held.size >= MAX_SCOPES) held.clear();
    held.set(resolver.scopeKey, test);
    last = { key: resolver.scopeKey, test };
    return test;
  };
}

function ofKind(part: Part, kind: ResourceFact["kind"]): readonly Resource[] {
  return part.resources.filter(({ fact }) => fact.kind === kind);
}

function looseText(fact: ResourceFact, kind: ResourceFact["kind"], test: TextTest): Answer {
  if (fact.kind !== kind) return "no";
  if (fact.value === undefined) return "maybe";
  // A dot at the end names the same host.
  return test(fact.value.replace(/\.$/, "")) ? "yes" : "no";
}

interface RefTest {
  readonly test: TextTest;
  /** Whether a refspec with a `*` may reach one of the names. */
  readonly mayReach: (pattern: string) => boolean;
}

function refTest(names: readonly string[]): RefTest {
  const test = anyWildcard(names);
  return {
    test,
    mayReach: (pattern) => {
      const reaches = wildcard(pattern);
      return test(pattern) || names.some((name) => /[*?]/.test(name) || reaches(name));
    },
  };
}

function looseRef(fact: ResourceFact, name: RefTest | undefined, force: boolean | undefined): Answer {
  if (fact.kind !== "ref" || fact.action === "read") return "no";
  // What is forced here stays here: no push, and others keep what they have.
  if (force === true && fact.local === true) return "no";
  if (force !== undefined && (fact.force ?? false) !== force) return "no";
  // Nothing shows that it happens: whoever forbids it is asked.
  const sure: Answer = fact.possible === true ? "maybe" : "yes";
  if (name === undefined) return sure;
  if (fact.value === undefined) return "maybe";
  const value = plainRef(fact.value);
  if (value.includes("*")) return name.mayReach(value) ? "maybe" : "no";
  return name.test(value) ? sure : "no";
}

function strictRef(fact: ResourceFact, name: RefTest | undefined, force: boolean | undefined): boolean {
  if (force !== undefined && (fact.force ?? false) !== force) return false;
  return name === undefined || (fact.value !== undefined && name.test(plainRef(fact.value)));
}

/** A ref without the prefixes that git lets one leave out. */
function plainRef(ref: string): string {
  return ref.replace(/^refs\/heads\/|^heads\//, "");
}

function every<T>(items: readonly T[], test: (item: T) => boolean): boolean {
  return items.length > 0 && items.every(test);
}

/** The surest answer about any of several. */
function surest<T>(items: readonly T[], ask: (item: T) => Answer): Answer {
  let found: Answer = "no";
  for (const item of items) {
    const answer = ask(item);
    if (answer === "yes") return "yes";
    if (answer === "maybe") found = "maybe";
  }
  return found;
}
