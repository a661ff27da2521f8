/**
 * A type stripper reads recursively, in memory of a fixed size; past its end it stays broken. How deep a text will
 * lead it is not known without reading it, so this is a bound from above: brackets that are open at once, and the
 * weight of everything that can nest without brackets since the last place where nothing is open.
 */
const MAX_BRACKETS = 250;
const MAX_PLACEHOLDERS = 500;
/** A quarter of what was measured to break it. */
const MAX_WEIGHT = 8_000;
const OPERATOR = 4;

/** What is never closed goes on to the end, so that one reading is enough. */
const TOKEN =
  /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'|`(?:[^`\\]|\\[^])*`?|\/\/[^\n]*|\/\*(?:[^]*?\*\/|[^]*)|(?<open>[([{])|(?<close>[)\]}])|(?<end>;|\n[ \t]*(?:const|let|var|return|import|export|interface|throw)\b)|(?<operator>[!~+\-*/%=?&|^<>]|\b(?:typeof|new|await|void|delete|keyof|else|if|for|while|do|extends|as|infer|class)\b)|(?<weak>[.:])/g;

/** Whether a text may lead a stripper deeper than it can go. */
export function isTooComplex(source: string): boolean {
  if (source.split("${").length > MAX_PLACEHOLDERS) return true;
  let depth = 0;
  let weight = 0;
  for (const { groups } of source.matchAll(TOKEN)) {
    if (groups === undefined) continue;
    if (groups["end"] !== undefined) weight = 0;
    else if (groups["operator"] !== undefined) weight += OPERATOR;
    else if (groups["weak"] !== undefined) weight++;
    else if (groups["open"] !== undefined) {
      depth++;
      weight++;
    } else if (groups["close"] !== undefined) depth--;
    if (depth > MAX_BRACKETS || weight > MAX_WEIGHT) return true;
  }
  return false;
}
