/** One thing that is wrong with a script, found before it runs. */
export interface ScriptDiagnostic {
  /** 1-based, in the script as it was handed in. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The text of the line. */
  readonly lineText: string;
}

/** What checking a script found out. "Not checked" is no verdict: such a script may run. */
export type CheckOutcome =
  | { readonly kind: "clean" }
  | { readonly kind: "faulty"; readonly diagnostics: readonly ScriptDiagnostic[] }
  | { readonly kind: "not-checked"; readonly reason: string };
