/** Time to read a source, which is not the script's own: some, and more for each thousand characters. */
const PREPARE_MS = 1_000;
const PREPARE_MS_PER_THOUSAND = 20;
const MAX_PREPARE_MS = 5_000;

export const prepareMs = (code: string): number =>
  Math.min(MAX_PREPARE_MS, PREPARE_MS + (code.length / 1_000) * PREPARE_MS_PER_THOUSAND);
