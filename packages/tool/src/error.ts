/** What went wrong, for programs; messages may be reworded, codes may not. */
export type ToolErrorCode =
  /** The schema cannot be compiled. */
  | "bad-schema"
  /** The name cannot be declared to a model, or collides with another. */
  | "bad-name"
  /** The arguments that reached `execute` do not match `parameters`. */
  | "bad-arguments"
  /** The tool refused: a rule of its own business. */
  | "refused"
  /** A path leaves the project, or cannot be held. */
  | "bad-path"
  /** The tool cannot be had through this route. */
  | "wrong-route"
  /** One tool name came from two places. */
  | "name-clash"
  /** A scripted session was used wrongly. */
  | "bad-script";

/** The base error of this package. Match on `code`, never on the message and never with `instanceof`. */
export class ToolError extends Error {
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "ToolError";
    this.code = code;
  }
}

/** Whether a value is a `ToolError` of this or of another copy of this package. */
export function isToolError(value: unknown): value is ToolError {
  return (
    value instanceof Error && value.name === "ToolError" && "code" in value && typeof value.code === "string"
  );
}
