import { messageOf } from "../shared/guards.ts";

/** What a signal's reason says of an abort. It may be anything, and is asked inside an event of the host's: never throws. */
export function abortMessage(reason: unknown): string {
  try {
    if (reason instanceof Error && reason.name !== "AbortError") return messageOf(reason);
  } catch {
    // It does not let itself be read.
  }
  return "Execution aborted";
}
