export type JournalErrorCode =
  /** Where the journal is, or what is behind it, did not answer in time. */
  | "unreachable"
  /** It has answered that it will not do it. */
  | "refused"
  /** Another process has taken the run over. */
  | "lost"
  /** What the journal gave back cannot be read, or a limit of it is reached. */
  | "journal"
  /** A large value is not there, or not the one whose hash the journal has. */
  | "blob"
  | "misuse";

/** Why an engine cannot keep or tell what a journal asks of it; engines name theirs in `name`. */
export class JournalError extends Error {
  override readonly name: string = "JournalError";
  readonly code: JournalErrorCode;

  constructor(code: JournalErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
