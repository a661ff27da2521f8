/** What a script leaves in its store: texts by key, and the keys that it removed. */
export function storeWrites(writes: readonly (readonly [string, string?])[]): {
  set: Readonly<Record<string, string>>;
  delete: readonly string[];
} {
  const set: Record<string, string> = Object.create(null) as Record<string, string>;
  const removed: string[] = [];
  for (const [key, json] of writes) {
    if (json === undefined) removed.push(key);
    else set[key] = json;
  }
  return { set, delete: removed };
}
