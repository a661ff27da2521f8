import type { CallRequest } from "@nestbox/tool";

import type { CallHistory, PartDecision } from "../decision.ts";
import { showText } from "../explain/escape.ts";
import { isInside } from "../paths/normalize.ts";
import type { PathResolver } from "../paths/resolve.ts";
import type { Resource } from "../rules/compiled-match.ts";

/**
 * A path that another call may be changing right now: that call was approved and has not finished. What the path
 * leads to when this call runs is not what was looked at, so it asks.
 */
export function judgeBatch(
  request: CallRequest,
  resources: readonly Resource[],
  history: CallHistory | undefined,
  resolver: () => PathResolver,
): readonly PartDecision[] {
  const outer = new Set(request.chain.map(({ callId }) => callId));
  const running =
    history?.calls.filter(
      (call) =>
        call.state === "approved" &&
        call.writes.length > 0 &&
        call.callId !== request.callId &&
        !outer.has(call.callId),
    ) ?? [];
  if (running.length === 0) return [];
  const paths = resolver();
  const writes = running.flatMap((call) =>
    call.writes.flatMap((path) =>
      (paths.resolve(path, request.cwd)?.identities ?? [path]).map((identity) => ({
        path: paths.fold(identity, "loose"),
        call,
      })),
    ),
  );
  for (const { path: subject } of resources) {
    if (subject === undefined) continue;
    for (const { text } of subject.identities("loose")) {
      const hit = writes.find(({ path }) => isInside(text, path) || isInside(path, text));
      if (hit === undefined) continue;
      return [
        {
          effect: "ask",
          rule: "batch.sibling",
          layer: "built-in",
          matched: showText(subject.resolved?.path ?? text),
          reason: `The call ${showText(hit.call.toolName)} may be changing it and has not finished, so what it leads to is not known`,
        },
      ];
    }
  }
  return [];
}
