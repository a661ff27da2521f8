export type CallsErrorCode =
  /** The definition handed to `register` cannot be a tool. */
  | "invalid-tool"
  /** The name belongs to another source; registering it as `hidden` is allowed. */
  | "name-clash"
  /** A root call or a caller with this id is still running. */
  | "call-id-in-use"
  /** An option is out of its range. */
  | "invalid-option";

/** Misuse of this package. A tool's failure is never one of these: it is an outcome (contract A19). */
export class CallsError extends Error {
  readonly code: CallsErrorCode;

  constructor(code: CallsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CallsError";
    this.code = code;
  }
}
