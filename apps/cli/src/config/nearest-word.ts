/** The word that was probably meant: one that is at most two letters (added, lost or changed) away, case aside. */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  let near: string | undefined;
  let least = 3;
  for (const one of words) {
    const away = distance(word.slice(0, 100).toLowerCase(), one.toLowerCase());
    if (away >= least || away >= one.length) continue;
    least = away;
    near = one;
  }
  return near;
}

/** Letters to add, take away or change, to make one word of the other. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [i, letter] of left.split("").entries()) {
    const next = [i + 1];
    for (const [j, other] of right.split("").entries())
      next.push(
        Math.min((row[j] ?? 0) + (letter === other ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
