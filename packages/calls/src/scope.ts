import { cancelled } from "./cancellation.ts";
import type { Counter, Numbering, Scope } from "./host-core.ts";

/**
 * Ends a scope: calls that nobody awaited are cancelled, and are over when this settles (at most `cancelGraceMs`
 * later). From then on the scope makes no call.
 */
export async function closeScope(scope: Scope): Promise<void> {
  scope.open = false;
  while (scope.running.size > 0) {
    const reason = cancelled("The calling tool ended before this call did");
    for (const call of scope.running) call.abort(reason);
    await Promise.all([...scope.running].map((call) => call.outcome));
  }
}

/**
 * Remembers how far each id got after its call has ended, so that no nested id is given twice. A scope keeps its
 * counter while it is open, whatever is forgotten meanwhile.
 */
export function createNumbering(maxRemembered: number): Numbering {
  const counters = new Map<string, Counter>();
  return {
    counterOf(callId) {
      const counter = counters.get(callId) ?? { last: 0 };
      // Deleting first moves the id to the end, so the one forgotten is the one unused for longest.
      counters.delete(callId);
      counters.set(callId, counter);
      if (counters.size > maxRemembered) {
        const oldest = counters.keys().next();
        if (oldest.done !== true) counters.delete(oldest.value);
      }
      return counter;
    },
  };
}
