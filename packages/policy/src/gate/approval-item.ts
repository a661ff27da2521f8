import type { CallRequest } from "@nestbox/tool";

import type { Decision } from "../decision.ts";
import type { ApprovalItem } from "./approver.ts";
import { shorten, showLines } from "./display.ts";
import { canonicalJson } from "./fingerprint.ts";
import type { GrantFacts, GrantSubject } from "./grant.ts";
import { askingParts, grantOffers } from "./grants.ts";

/** Makes what a person sees of a call: the exact arguments, escaped and shortened, with their real size. */
export function approvalItem(subject: GrantSubject, facts: GrantFacts): ApprovalItem {
  const { request, decision } = subject;
  const folder = facts.realPath(request.cwd);
  const input = canonicalJson(request.input);
  return {
    callId: request.callId,
    toolName: shorten(request.tool.name, 200),
    chain: [...request.chain.map((link) => shorten(link.toolName, 200)), shorten(request.tool.name, 200)],
    lines: linesOf(request, decision, facts),
    inputChars: input.length,
    folder:
      folder === undefined || folder === request.cwd
        ? shorten(request.cwd)
        : `${shorten(request.cwd)} → ${shorten(folder)}`,
    reason: shorten(decision.reason),
    rule: decision.rule,
    layer: decision.layer,
    fingerprint: subject.fingerprint,
    offers: grantOffers(subject, facts),
    request,
    decision,
  };
}

/** A shell call shows each line of its text; any other call one line an argument. Paths are shown as they resolve. */
function linesOf(request: CallRequest, decision: Decision, facts: GrantFacts): readonly string[] {
  const shell = Object.entries(request.input).find(
    ([, value]) =>
      typeof value === "string" && decision.subject.commands.length > 0 && holdsCommands(value, decision),
  );
  const lines: string[] = [];
  for (const [name, value] of Object.entries(request.input)) {
    if (name === shell?.[0] && typeof value === "string") lines.push(...value.split("\n"));
    else lines.push(`${name}: ${typeof value === "string" ? value : canonicalJson(value)}`);
  }
  const asked = askingParts(decision).map((part) => part.matched);
  if (decision.subject.commands.length > 1) for (const part of asked) lines.push(`asks about: ${part}`);
  for (const path of resolvedPaths(request, decision, facts)) lines.push(path);
  return showLines(lines);
}

function holdsCommands(value: string, decision: Decision): boolean {
  const first = decision.subject.commands[0];
  return first !== undefined && value.includes(first.argv[0].raw);
}

/** A path that is another one than it looks: through a link, or through `..`. */
function resolvedPaths(request: CallRequest, decision: Decision, facts: GrantFacts): readonly string[] {
  const shown = new Set<string>();
  for (const resource of decision.subject.resources) {
    if (resource.kind !== "path" || resource.value === undefined) continue;
    const path = facts.resolve(facts.resolve(request.cwd, resource.base ?? "."), resource.value);
    const real = facts.realPath(path);
    if (real !== undefined && real !== path) shown.add(`${resource.action}: ${path} → ${real}`);
    else if (resource.value.includes("..")) shown.add(`${resource.action}: ${path}`);
    if (shown.size >= 10) break;
  }
  return [...shown];
}
