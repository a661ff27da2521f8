import type { CallRequest } from "@nestbox/tool";

import type { PartDecision } from "../decision.ts";
import { showText } from "../explain/escape.ts";
import { pathSubject } from "../paths/subject.ts";
import type { PathResolver } from "../paths/resolve.ts";
import type { Part, Resource } from "../rules/compiled-match.ts";
import type { CommandFact, ResourceFact } from "../subject.ts";
import { askDefault, askRules, partOf } from "./ask-rule.ts";
import type { EngineParts } from "./parts.ts";

export function makeResource(
  resolver: () => PathResolver,
  request: CallRequest,
  fact: ResourceFact,
  options: { readonly hidden: boolean },
): Resource {
  return {
    fact,
    path: fact.kind === "path" ? pathSubject(resolver(), fact, request.cwd, options) : undefined,
  };
}

/** How far the permission of the command or tool that a resource belongs to reaches. */
export interface Reach {
  /** What holds for a resource that no rule names; `undefined`: something else was already held against its owner. */
  readonly otherwise: PartDecision | undefined;
  /** The owner's rule speaks about exactly this act: all that it does is meant. */
  readonly exact: boolean;
  /** A write of this resource is the owner's own business: an operand, not a redirection or an option's value. */
  readonly natural: boolean;
}

/** Judges one resource: its rules, else what holds for its owner, except where a default is stricter. */
export function judgeResource(
  engine: EngineParts,
  request: CallRequest,
  resource: Resource,
  command: CommandFact | undefined,
  reach: Reach,
): readonly PartDecision[] {
  const { fact, path } = resource;
  const matched = (): string => showResource(fact, command);
  const part: Part = { request, resources: [resource], ...(command === undefined ? {} : { command }) };
  const rules =
    fact.kind === "path" ? engine.pathRules : fact.kind === "host" ? engine.hostRules : engine.refRules;
  const { against, allows } = askRules(rules, part, matched);
  const [allow] = allows;
  if (against.length > 0) {
    // That nobody knows the path is the plainer reason, where it is the reason.
    const unknown =
      path !== undefined && path.resolved === undefined && against.every(({ effect }) => effect === "ask");
    return unknown ? [...one(askDefault(engine.defaults.unknown, part, matched)), ...against] : against;
  }
  const { otherwise } = reach;
  if (otherwise === undefined) return [];
  const unknown = path !== undefined && path.resolved === undefined;
  if (allow !== undefined && !unknown) return [partOf(allow, matched())];
  if (otherwise.effect !== "allow") return [{ ...otherwise, matched: matched() }];
  // `echo x > /dev/tcp/host/80`: the shell's own connection is no business of the command that is allowed.
  if (path === undefined && fact.redirected === true && !reach.exact && !reach.natural)
    return one(askDefault(engine.defaults.write, part, matched));
  if (path === undefined || path.harmless || reach.exact) return [];
  if (path.resolved === undefined)
    return fact.split === true ? [] : one(askDefault(engine.defaults.unknown, part, matched));
  const doubt = path.resolved.doubt ?? path.named.find((name) => name.doubt !== undefined)?.doubt;
  if (doubt !== undefined)
    return [
      {
        effect: "ask",
        rule: "doubt.path",
        layer: "built-in",
        matched: matched(),
        reason: `It may name another path: ${doubt}`,
      },
    ];
  if (path.isOutside()) return one(askDefault(engine.defaults.external, part, matched));
  // What it may do below a folder is what the program is for.
  if (fact.extent === "within") return [];
  if (fact.action !== "read" && !reach.natural) return one(askDefault(engine.defaults.write, part, matched));
  return [];
}

/** A resource as a person reads it: `write src/a.ts`, with where it stands; for a command that is all of it, as written. */
function showResource(fact: ResourceFact, command: CommandFact | undefined): string {
  const what = fact.value === undefined ? `an unknown ${fact.kind}` : showText(fact.value);
  const forced = fact.force === true ? "force " : "";
  const origin = fact.kind === "ref" && command !== undefined ? command.source : fact.origin;
  const where = fact.origin.startsWith("input.") ? "" : ` (${showText(origin, 120)})`;
  const act =
    fact.kind !== "ref"
      ? fact.action
      : fact.local === true
        ? `${fact.action} the ref`
        : fact.action === "delete"
          ? "push the removal of"
          : "push to";
  return `${forced}${act} ${what}${where}`;
}

function one(part: PartDecision | undefined): readonly PartDecision[] {
  return part === undefined ? [] : [part];
}
