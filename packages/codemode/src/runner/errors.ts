/** Misuse, or a machine on which no script can run. A script's own failure is never one of these. */
export type CodemodeErrorCode = "closed" | "misuse" | "no-node" | "no-sandbox" | "journal";

export class CodemodeError extends Error {
  override readonly name = "CodemodeError";
  readonly code: CodemodeErrorCode;

  constructor(code: CodemodeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
