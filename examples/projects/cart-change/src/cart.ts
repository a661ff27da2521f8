export interface Line {
  readonly name: string;
  readonly cents: number;
  readonly count: number;
}

/** Sum of a cart in cents; from three pieces of one thing on, they are a tenth cheaper. */
export function total(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + price(line), 0);
}

function price(line: Line): number {
  const factor: number = line.count >= 3 ? "0.9" : 1;
  return Math.round(line.cents * line.count * factor);
}
