import { messageOf } from "@nestbox/tool";

/** One line of the doctor. A `problem` keeps something from working; a `note` is worth knowing. */
export interface Finding {
  readonly id: string;
  readonly status: "ok" | "note" | "problem" | "skipped";
  /** What was looked at and found, on one line. */
  readonly found: string;
  /** Why it is so. With every note and problem. */
  readonly cause?: string;
  /** What to do about it. With every note and problem. */
  readonly fix?: string;
}

export type Check = () => Finding | Promise<Finding>;

/** What is thrown inside a check is a finding too: a doctor that stops at the first surprise is none. */
export async function examine(id: string, check: Check): Promise<Finding> {
  try {
    return await check();
  } catch (error) {
    return {
      id,
      status: "problem",
      found: "could not be looked at",
      cause: messageOf(error),
      fix: "Report it with the output of: nestbox doctor --json",
    };
  }
}

export function codeOf(error: unknown): string | undefined {
  const code: unknown =
    typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
