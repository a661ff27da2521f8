import type { ScriptEvent, ScriptRequest } from "../types.ts";

/** Tells a listener what happens. Its failure is its own, whether it throws or rejects. */
export function tellEvent(listener: ScriptRequest["onEvent"], event: ScriptEvent): void {
  try {
    const told: unknown = listener?.(event);
    if (told instanceof Promise) told.catch(() => undefined);
  } catch {
    // As said.
  }
}
