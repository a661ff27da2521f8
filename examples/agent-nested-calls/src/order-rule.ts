/** Why a call is refused: the one rule of the warehouse, for every host. */
export function refusedOrder(name: string, args: unknown): string | undefined {
  if (name !== "order" || piecesOf(args) <= 10) return undefined;
  return "More than 10 pieces are ordered by a person. Order fewer, or ask for it.";
}

/** What is not a number of pieces counts as too many. */
function piecesOf(args: unknown): number {
  const pieces = typeof args === "object" && args !== null && "pieces" in args ? args.pieces : undefined;
  return typeof pieces === "number" ? pieces : Number.POSITIVE_INFINITY;
}
