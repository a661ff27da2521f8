export type McpErrorCode =
  /** An HTTP server that others can reach needs a token. */
  | "unsafe-binding"
  /** The server's list of tools is too long, or cannot be read. */
  | "bad-server"
  /** An option is out of its range. */
  | "invalid-option";

/** Misuse of this package, or a server that cannot be imported. A tool's failure is never one of these. */
export class McpError extends Error {
  readonly code: McpErrorCode;

  constructor(code: McpErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "McpError";
    this.code = code;
  }
}
