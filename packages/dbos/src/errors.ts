export type DbosErrorCode =
  /** The database did not answer in time. */
  | "unreachable"
  /** The database has answered that it will not do it. */
  | "refused"
  /** Another process has taken the run over. */
  | "lost"
  /** What the journal gave back cannot be read, or a limit of it is reached. */
  | "journal"
  /** A large value is not there, or not the one whose hash the journal has. */
  | "blob"
  | "misuse";

export class DbosError extends Error {
  readonly code: DbosErrorCode;

  constructor(code: DbosErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DbosError";
    this.code = code;
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
