import { type Line, total } from "./cart.ts";

/** One line of text a line of the cart, then the sum. */
export function receipt(lines: readonly Line[]): string {
  const rows = lines.map((line) => `${line.count} x ${line.name}`);
  return [...rows, `Total ${(total(lines) / 100).toFixed(2)}`].join("\n");
}
