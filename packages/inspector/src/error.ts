export type InspectorErrorCode =
  /** The port is taken. */
  | "port-in-use"
  /** The system does not let this program listen there. */
  | "port-refused"
  /** A trace cannot be read, or is no trace. */
  | "unreadable-trace"
  /** The page's own files are missing: the package was not built. */
  | "no-page"
  /** An option that cannot be. */
  | "misuse";

/** What this package throws; match on `code`. */
export class InspectorError extends Error {
  override readonly name = "InspectorError";
  readonly code: InspectorErrorCode;

  constructor(code: InspectorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
