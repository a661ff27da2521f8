/** Longer ones are no slips of a finger. */
const maxNameLength = 40;

/**
 * The one of `known` that was most likely meant by `written`, whatever its case: at most a third of its characters
 * (one at least) put in, taken out, replaced or changed with a neighbour. `undefined` where none is near.
 */
export function nearestName(written: string, known: readonly string[]): string | undefined {
  if (written.length > maxNameLength) return undefined;
  let found: string | undefined;
  let fewest = Math.max(1, Math.floor(written.length / 3));
  for (const name of known) {
    const slips = slipsBetween(written.toLowerCase(), name.toLowerCase());
    // The first of several that are equally near.
    if (slips > fewest || (slips === fewest && found !== undefined)) continue;
    [found, fewest] = [name, slips];
  }
  return found;
}

function slipsBetween(from: string, to: string): number {
  let before: readonly number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row];
    for (let at = 1; at <= to.length; at += 1) {
      const same = from[row - 1] === to[at - 1];
      const swapped = from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      line.push(
        Math.min(
          (above[at - 1] ?? 0) + (same ? 0 : 1),
          (above[at] ?? 0) + 1,
          (line[at - 1] ?? 0) + 1,
          ...(swapped && row > 1 && at > 1 ? [(before[at - 2] ?? 0) + 1] : []),
        ),
      );
    }
    [before, above] = [above, line];
  }
  return above[to.length] ?? 0;
}
