/** A compiled wildcard: `*` is any run of characters, `?` one; everything else stands for itself. */
export type TextTest = (value: string) => boolean;

/** Compiles a wildcard over a whole text. Linear in pattern × text, whatever either holds. */
export function wildcard(pattern: string, options: { readonly foldCase?: boolean } = {}): TextTest {
  const fold = options.foldCase === true;
  const wanted = fold ? pattern.toLowerCase() : pattern;
  if (!/[*?]/.test(wanted)) return (value) => (fold ? value.toLowerCase() : value) === wanted;
  if (wanted === "*") return () => true;
  return (value) => matches(wanted, fold ? value.toLowerCase() : value);
}

/** Any of several. */
export function anyWildcard(
  patterns: readonly string[],
  options: { readonly foldCase?: boolean } = {},
): TextTest {
  const tests = patterns.map((pattern) => wildcard(pattern, options));
  return (value) => tests.some((test) => test(value));
}

// The classic greedy match with one point of return: no backtracking beyond the last star.
function matches(pattern: string, value: string): boolean {
  let at = 0;
  let index = 0;
  let star = -1;
  let mark = 0;
  while (index < value.length) {
    const want = pattern.charAt(at);
    if (want === "*") {
      star = at;
      mark = index;
      at += 1;
    } else if (at < pattern.length && (want === "?" || want === value.charAt(index))) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      mark += 1;
      index = mark;
    } else {
      return false;
    }
  }
  while (pattern.charAt(at) === "*") at += 1;
  return at === pattern.length;
}
