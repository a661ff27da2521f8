/** Chance from a seed: the same numbers on every machine. */
export type Random = () => number;

/** Uniform in [0, 1), by a 32-bit counter that is mixed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

export function exponential(random: Random, mean: number): number {
  return mean === 0 ? 0 : -Math.log(1 - random()) * mean;
}

/** `sigma` is that of the logarithm: 0 is always the median. */
export function logNormal(random: Random, median: number, sigma: number): number {
  if (sigma === 0) return median;
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return median * Math.exp(sigma * normal);
}
