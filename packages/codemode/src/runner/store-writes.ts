/** What the bridge keeps to as well, keys that are removed aside: they may have any length. */
export const MAX_WRITTEN_CHARS = 1024 * 1024;

/** Whether all keys and texts are within the quota of a store. */
export function fitsStore(writes: readonly (readonly [string, string?])[]): boolean {
  let chars = 0;
  for (const [key, json = ""] of writes) chars += key.length + json.length;
  return chars <= MAX_WRITTEN_CHARS;
}

/** What a script leaves in its store: texts by key, and the keys that it removed. */
export function storeWrites(writes: readonly (readonly [string, string?])[]): {
  set: Readonly<Record<string, string>>;
  delete: readonly string[];
} {
  const set: Record<string, string> = Object.create(null) as Record<string, string>;
  const removed: string[] = [];
  // The last word about a key counts, however often it is named.
  for (const [key, json] of new Map(writes.map(([name, text]) => [name, text]))) {
    if (json === undefined) removed.push(key);
    else set[key] = json;
  }
  return { set, delete: removed };
}
