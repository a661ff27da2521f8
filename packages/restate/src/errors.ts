export type RestateErrorCode =
  /** The server, or a worker behind it, did not answer in time. */
  | "unreachable"
  /** The server has answered that it will not do it. */
  | "refused"
  /** Another process has taken the run over. */
  | "lost"
  /** What the journal gave back cannot be read, or a limit of it is reached. */
  | "journal"
  /** A large value is not there, or not the one whose hash the journal has. */
  | "blob"
  | "misuse";

export class RestateError extends Error {
  readonly code: RestateErrorCode;

  constructor(code: RestateErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RestateError";
    this.code = code;
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
