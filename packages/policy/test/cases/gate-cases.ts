/** The cases whose decision needs the gate: no UI, grants, an approval and what happened since, other handlers. */
export const gateCases: readonly string[] = ["A03", "K02", "K04", "K06", "L10", "M02", "M04", "M06"];
