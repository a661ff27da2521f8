/**
 * Splits `total` among those who want some of it: in equal parts, and what one does not need goes to the others. Where
 * it is not enough for one each, the first have it.
 */
export function shares(wanted: readonly number[], total: number): readonly number[] {
  const given: number[] = wanted.map(() => 0);
  let left = total;
  const order = wanted.map((want, index) => ({ want, index })).toSorted((a, b) => a.want - b.want);
  for (const [at, { want, index }] of order.entries()) {
    const share = Math.min(want, Math.ceil(left / (order.length - at)));
    given[index] = share;
    left -= share;
  }
  return given;
}
