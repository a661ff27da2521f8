/**
 * Freezes a tree of plain JSON in place, so that no later handler can change what was judged. Returns false when some
 * part could not be frozen (a typed array, a Proxy that refuses): the caller then compares fingerprints instead.
 */
export function deepFreeze(value: unknown): boolean {
  const pending: unknown[] = [value];
  let complete = true;
  while (pending.length > 0) {
    const item = pending.pop();
    if (typeof item !== "object" || item === null || Object.isFrozen(item)) continue;
    try {
      Object.freeze(item);
      for (const key of Object.keys(item)) {
        pending.push(Object.getOwnPropertyDescriptor(item, key)?.value);
      }
    } catch {
      complete = false;
    }
  }
  return complete;
}
