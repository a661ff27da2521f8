/** Words that say nothing about a tool. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  "a an and are as at be by for from in is it of on or that the this to with".split(" "),
);

/** A plural folded onto its singular, roughly: `issues` meets `issue`, `queries` meets `query`, `cookies` `cookie`. */
function singular(word: string): string {
  const one = withoutS(word);
  return one.length > 3 && one.endsWith("ie") ? `${one.slice(0, -2)}y` : one;
}

function withoutS(word: string): string {
  if (word.length > 4 && /(?:ch|sh|ss|x|z)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith("s") && !word.endsWith("ss")) return word.slice(0, -1);
  return word;
}

const NAME = /\b[A-Z][a-z]+(?:[A-Z]+[a-z]*)+\b/g;

/** Words with a hump inside that may be one word elsewhere, in small letters: `GitHub` is `github` in names. */
export function humpedWords(text: string): string[] {
  return (text.match(NAME) ?? []).map((word) => word.toLowerCase());
}

/** The text with its humped words in small letters where `isKnown` knows them so. */
export function joinHumps(text: string, isKnown: (word: string) => boolean): string {
  return text.replace(NAME, (word) => {
    const joined = word.toLowerCase();
    return isKnown(joined) ? joined : word;
  });
}

/** The words of a text: identifiers are split at their humps, text without spaces by the rules of its script. */
export function tokenize(text: string): string[] {
  const spaced = text
    .normalize("NFC")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    // `URLs` are several of `URL`, and `HTTPServer` is two words.
    .replace(/(?<=[A-Z]{2})s(?![a-z])/g, "")
    .replace(/(?<=[A-Z])(?=[A-Z][a-z])/g, " ")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ");
  // The segmenter is slow, and for plain text it finds what stands between spaces.
  const isPlain = /^[a-z0-9 ]*$/.test(spaced);
  return (isPlain ? spaced.split(" ") : segment(spaced)).flatMap((word) => {
    if (word === "" || STOP_WORDS.has(word)) return [];
    return [/^[a-z0-9]+$/.test(word) ? singular(word) : word];
  });
}

function segment(text: string): string[] {
  const segmenter = new Intl.Segmenter("en", { granularity: "word" });
  return Array.from(segmenter.segment(text), (part) => (part.isWordLike === true ? part.segment : ""));
}
