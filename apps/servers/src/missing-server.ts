/** Programs that the system does not have; the message says which, and how to have them. */
export class MissingServer extends Error {
  override readonly name = "MissingServer";
  readonly code = "missing_server";
}

export const isMissingServer = (error: unknown): error is MissingServer =>
  error instanceof Error && "code" in error && error.code === "missing_server";
