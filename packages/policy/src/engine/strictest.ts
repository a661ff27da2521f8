import type { Effect, PartDecision } from "../decision.ts";

const weight: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/** How strict an effect is: deny over ask over allow. */
export function effectWeight(effect: Effect): number {
  return weight[effect];
}

/** The part that decides: the first of the strictest, and among asks one that only a person answers. */
export function strictest(parts: readonly PartDecision[]): PartDecision | undefined {
  let found: PartDecision | undefined;
  for (const part of parts) {
    if (found === undefined || weight[part.effect] > weight[found.effect]) found = part;
    else if (part.effect === found.effect && part.personOnly === true && found.personOnly !== true)
      found = part;
  }
  return found;
}
