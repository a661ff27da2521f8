/** The script cannot begin: its options line is wrong. */
export class ScriptSourceError extends Error {
  override readonly name = "ScriptSourceError";
  readonly code = "script";
}
