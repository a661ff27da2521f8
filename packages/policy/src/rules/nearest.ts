/** Longer ones are no slips of a finger in a key. */
const MAX_CHARS = 40;

/** The one of `known` that was most likely meant by `written`; `undefined` where none is near. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  if (written.length > MAX_CHARS) return undefined;
  const most = Math.max(1, Math.floor(written.length / 3));
  const found = known
    .map((name) => ({ name, steps: stepsBetween(written.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.steps - b.steps)[0];
  return found !== undefined && found.steps <= most ? found.name : undefined;
}

/** Characters put in, taken out or replaced to make one text of the other. */
function stepsBetween(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 0; row < from.length; row += 1) {
    const line = [row + 1];
    for (let at = 1; at <= to.length; at += 1) {
      const replaced = (above[at - 1] ?? 0) + (from[row] === to[at - 1] ? 0 : 1);
      line.push(Math.min(replaced, (above[at] ?? 0) + 1, (line[at - 1] ?? 0) + 1));
    }
    above = line;
  }
  return above[to.length] ?? 0;
}
