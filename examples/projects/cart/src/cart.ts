export interface Line {
  readonly name: string;
  readonly cents: number;
  readonly count: number;
}

/** Sum of a cart in cents. */
export function total(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + line.cents * line.count, 0);
}
