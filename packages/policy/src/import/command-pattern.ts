import type { JsonObject } from "@nestbox/tool";

import { splitWords } from "../rules/words.ts";

/** How a wildcard over a whole command line reads as a statement about one parsed command. */
export type ReadPattern =
  | { readonly kind: "command"; readonly command: JsonObject }
  /** Every command. */
  | { readonly kind: "any" }
  | { readonly kind: "none"; readonly message: string };

/**
 * Reads `git push *` or `npm run test*`: no wildcard is exact, one wildcard after the last whole word is a prefix,
 * anything else a regular expression. A narrow pattern (of an allow, of an exception) whose program is not named in full
 * is refused: it could name any.
 */
export function readCommandPattern(pattern: string, care: "narrow" | "wide"): ReadPattern {
  const text = pattern.trim();
  if (text === "" || text === "*") return { kind: "any" };
  if (/[|&;<>()`$\n]/.test(text)) {
    return {
      kind: "none",
      message: "it speaks of several commands or of redirections; each command is judged apart here",
    };
  }
  const words = splitWords(text.replaceAll(/[*?]/g, "x"));
  const raw = text.split(/\s+/);
  if (words === undefined || words.length !== raw.length) {
    return { kind: "none", message: "its words cannot be told apart" };
  }
  const wild = raw.map((word) => /[*?]/.test(word));
  if (!wild.includes(true)) return { kind: "command", command: { exact: raw } };
  if (wild.indexOf(true) === raw.length - 1 && raw.at(-1) === "*") {
    return { kind: "command", command: { prefix: raw.slice(0, -1) } };
  }
  const program = raw[0] ?? "";
  if (care === "narrow" && wild[0] === true) {
    return { kind: "none", message: "what allows must name its program in full" };
  }
  return {
    kind: "command",
    command: {
      program: wild[0] === true ? "*" : baseName(program),
      regex: `^${wildcardRegex(text.replace(/\s+/g, " "))}$`,
    },
  };
}

function baseName(program: string): string {
  return program.split("/").at(-1) ?? program;
}

/** `*` is any characters, `?` one; a last ` *` is optional, as both tools have it. */
function wildcardRegex(text: string): string {
  const optionalTail = text.endsWith(" *");
  const body = optionalTail ? text.slice(0, -2) : text;
  const escaped = body
    .replaceAll(/[.+^${}()|[\]\\/]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return optionalTail ? `${escaped}( .*)?` : escaped;
}
