/** What a test runner said, before paths are made project-relative. */
export interface ParsedReport {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly ParsedFailure[];
  /** What went wrong outside of any test: an unhandled error, a coverage threshold, a failed global setup. */
  readonly errors: readonly string[];
  /** The report says that it stops before its end, as after a crash. */
  readonly incomplete?: boolean;
}

/**
 * `assertion`: a value was not the expected one. `error`: the test threw. `load`: a file or a package could not be
 * loaded or built, so its tests did not run.
 */
export type FailureKind = "assertion" | "error" | "load";

export interface ParsedFailure {
  /** As the runner names it: absolute, `file:` URL, or relative to where it ran. */
  readonly file?: string | undefined;
  /** Suites and test, joined with ` > `. */
  readonly name: string;
  readonly kind: FailureKind;
  readonly message: string;
  readonly expected?: string | undefined;
  readonly actual?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly stack?: string | undefined;
}

export const emptyReport: ParsedReport = { passed: 0, failed: 0, skipped: 0, failures: [], errors: [] };

/** The report of a run: every failure was found, so their number is that of the failed. */
export function reportOf(
  found: Omit<ParsedReport, "failed" | "errors" | "incomplete"> & {
    readonly errors?: readonly string[];
    readonly incomplete?: boolean;
  },
): { readonly ok: true; readonly report: ParsedReport } {
  const { passed, skipped, failures, errors = [], incomplete = false } = found;
  return {
    ok: true,
    report: {
      passed,
      failed: failures.length,
      skipped,
      failures,
      errors,
      ...(incomplete ? { incomplete } : {}),
    },
  };
}

/** A report cannot be read: it is not of the format it should be. */
export type ReportResult =
  | { readonly ok: true; readonly report: ParsedReport }
  | { readonly ok: false; readonly reason: string };
