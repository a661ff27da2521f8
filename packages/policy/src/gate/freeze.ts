/**
 * Freezes a tree of plain JSON in place, so that no later handler can change what was judged; what is frozen already is
 * looked into all the same. Returns false when some part could not be frozen (a typed array, a Proxy that refuses): the
 * caller then compares fingerprints instead.
 */
export function deepFreeze(value: unknown): boolean {
  const pending: unknown[] = [value];
  const seen = new Set<object>();
  let complete = true;
  while (pending.length > 0) {
    const item = pending.pop();
    if (typeof item !== "object" || item === null || seen.has(item)) continue;
    seen.add(item);
    try {
      Object.freeze(item);
      for (const key of Object.keys(item)) {
        const property = Object.getOwnPropertyDescriptor(item, key);
        // What a getter gives another time is not held by freezing it.
        if (property !== undefined && !("value" in property)) complete = false;
        pending.push(property?.value);
      }
    } catch {
      complete = false;
    }
  }
  return complete;
}
