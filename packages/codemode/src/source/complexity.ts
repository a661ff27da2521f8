/**
 * A type stripper reads recursively, in memory of a fixed size; past its end it stays broken. How deep a text will
 * lead it is not known without reading it, so this is a bound from above: brackets that are open at once, and the
 * weight of everything that can nest without brackets since the last place where nothing is open. What stands in
 * brackets that are closed, and elements of a list in front of a comma, hold nothing of what follows.
 */
const MAX_BRACKETS = 250;
const MAX_PLACEHOLDERS = 500;
/** A quarter of what was measured to break it. */
const MAX_WEIGHT = 8_000;
const OPERATOR = 4;

const TOKEN =
  /(?<quote>["'`])|(?<comment>\/[/*])|(?<open>[([{])|(?<close>[)\]}])|(?<end>;|\n[ \t]*(?:const|let|var|return|import|export|interface|throw)\b)|(?<operator>[!~+\-*/%=?&|^<>]|\b(?:typeof|new|await|void|delete|keyof|else|if|for|while|do|extends|as|infer|class)\b)|(?<weak>[.:])|(?<comma>,)/g;
/** What may end a literal with this quote, or hide its end. */
const STOPS: Readonly<Record<string, RegExp>> = { '"': /["\\\n]/g, "'": /['\\\n]/g, "`": /[`\\]/g };

/** Whether a text may lead a stripper deeper than it can go. Reads every character a bounded number of times. */
export function isTooComplex(source: string): boolean {
  if (source.split("${").length > MAX_PLACEHOLDERS) return true;
  const token = new RegExp(TOKEN);
  /** Ends of lines up to which a quote is known not to be closed. */
  const unclosed: Record<string, number> = { '"': -1, "'": -1 };
  /** Where the last template ended: the next one right behind it takes it as its tag. */
  let template = -1;
  const follows = (end: number, start: number): boolean => end >= 0 && source.slice(end, start).trim() === "";
  /** For each open bracket what was outside of it. */
  const outside: { readonly weight: number; readonly base: number; readonly angle: boolean }[] = [];
  let weight = 0;
  /** The weight at the start of the list that a comma goes on with. */
  let base = 0;
  /** Lists of types nest across commas: `A<x, A<x, …`. */
  let angle = false;
  for (let match = token.exec(source); match !== null; match = token.exec(source)) {
    const { groups = {}, index } = match;
    const quote = groups["quote"];
    if (quote !== undefined) {
      if (index < (unclosed[quote] ?? -1)) continue;
      const { end, closed } = endOfLiteral(source, index + 1, quote);
      // One that is not closed in its line is no string. A template goes on to the end, so that one reading is enough.
      if (!closed && quote !== "`") {
        unclosed[quote] = end;
        continue;
      }
      token.lastIndex = end;
      if (quote !== "`") continue;
      if (follows(template, index)) weight += OPERATOR;
      template = end;
    } else if (groups["comment"] !== undefined) {
      const end = endOfComment(source, index);
      template = follows(template, index) ? end : -1;
      token.lastIndex = end;
    } else if (groups["end"] !== undefined) {
      weight = base = 0;
      angle = false;
    } else if (groups["operator"] !== undefined) {
      weight += OPERATOR;
      if (groups["operator"] === "<") angle = true;
    } else if (groups["weak"] !== undefined) weight++;
    else if (groups["comma"] !== undefined) {
      if (!angle) weight = base;
    } else if (groups["open"] !== undefined) {
      weight++;
      outside.push({ weight, base, angle });
      base = weight;
      angle = false;
    } else if (groups["close"] !== undefined)
      ({ weight, base, angle } = outside.pop() ?? { weight, base, angle });
    if (outside.length > MAX_BRACKETS || weight > MAX_WEIGHT) return true;
  }
  return false;
}

/** A search from stop to stop: a pattern that repeats itself would need memory for every character. */
function endOfLiteral(
  source: string,
  from: number,
  quote: string,
): { readonly end: number; readonly closed: boolean } {
  const stops = new RegExp(STOPS[quote] ?? /$/g);
  stops.lastIndex = from;
  for (let stop = stops.exec(source); stop !== null; stop = stops.exec(source)) {
    if (stop[0] === quote) return { end: stop.index + 1, closed: true };
    if (stop[0] !== "\\") return { end: stop.index, closed: false };
    stops.lastIndex = stop.index + 2;
  }
  return { end: source.length, closed: false };
}

function endOfComment(source: string, start: number): number {
  const block = source[start + 1] === "*";
  const end = source.indexOf(block ? "*/" : "\n", start + 2);
  return end === -1 ? source.length : block ? end + 2 : end;
}
