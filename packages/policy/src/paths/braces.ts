/** Most alternatives that the braces of one pattern may stand for. */
export const MAX_ALTERNATIVES = 64;

/**
 * Writes out the braces of a glob: `{a,b}/c` is `a/c` and `b/c`. Braces without a comma stand for themselves.
 * `undefined` when there would be more than {@link MAX_ALTERNATIVES}.
 */
export function expandBraces(pattern: string): readonly string[] | undefined {
  const done: string[] = [];
  const pending = [pattern];
  while (pending.length > 0) {
    const next = pending.pop();
    if (next === undefined) break;
    const group = firstGroup(next);
    if (group === undefined) {
      done.push(next);
    } else {
      for (const option of group.options)
        pending.push(next.slice(0, group.start) + option + next.slice(group.end));
    }
    if (done.length + pending.length > MAX_ALTERNATIVES) return undefined;
  }
  return done;
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly options: readonly string[];
}

/** The first group with a comma that closes; those inside its options are found in a later round. */
function firstGroup(pattern: string): Group | undefined {
  const open: { readonly start: number; readonly commas: number[] }[] = [];
  for (let index = 0; index < pattern.length; index += 1) {
    const char = pattern.charAt(index);
    if (char === "\\") index += 1;
    else if (char === "{") open.push({ start: index, commas: [] });
    else if (char === ",") open.at(-1)?.commas.push(index);
    else if (char === "}") {
      const group = open.pop();
      if (group === undefined || group.commas.length === 0) continue;
      const edges = [group.start, ...group.commas, index];
      const options = edges.slice(1).map((edge, at) => pattern.slice((edges[at] ?? 0) + 1, edge));
      return { start: group.start, end: index + 1, options };
    }
  }
  return undefined;
}
