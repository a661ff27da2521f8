import type { CallDecision } from "@nestbox/tool";
import { canonicalJson } from "../shared/canonical-json.ts";

export interface Denial {
  readonly decision: CallDecision;
  readonly text: string;
}

const MAX_DENIALS = 1_000;
/** A longer text is known by its length and its sum: arguments can be large, and none of them is to stay in memory. */
const MAX_KEY_CHARS = 2_000;

/** The calls that a script was denied: the same call, arguments in whatever order, is not judged again. */
export class Denials {
  readonly #known = new Map<string, Denial>();

  find(name: string, args: unknown): Denial | undefined {
    return this.#known.size === 0 ? undefined : this.#known.get(keyOf(name, args));
  }

  add(name: string, args: unknown, denial: Denial): void {
    if (this.#known.size < MAX_DENIALS) this.#known.set(keyOf(name, args), denial);
  }
}

function keyOf(name: string, args: unknown): string {
  const json = canonicalJson(args);
  return `${name}\u0000${json.length > MAX_KEY_CHARS ? `${json.length}:${sumOf(json)}` : json}`;
}

/** Two sums of 32 bits. Whoever finds two texts with the same ones is denied more than was asked for, and never less. */
function sumOf(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul((b << 5) ^ (b >>> 27) ^ code, 0x85ebca6b);
  }
  return `${a >>> 0}:${b >>> 0}`;
}
