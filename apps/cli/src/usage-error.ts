/** The command cannot be carried out as it was given. Its message is all that a person reads: what, where, what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "usage";
}
