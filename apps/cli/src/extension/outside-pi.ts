/** Asked of a session that is not there. The message is what a script reads when a tool does so. */
export class OutsidePiError extends Error {
  override readonly name = "OutsidePiError";
  readonly code = "outside-pi";
}

/** A function that says what it would need. */
export function needsPi(member: string): () => never {
  return () => {
    throw new OutsidePiError(`${member} needs a session of Pi, and nestbox runs without one.`);
  };
}
