/** What scripts of one server keep with `store` and find with `load`, as JSON texts by key. */
export interface ScriptStore {
  values(): Readonly<Record<string, string>>;
  /** `false`: it would be more than the limit, and nothing is kept of it. */
  write(writes: {
    readonly set: Readonly<Record<string, string>>;
    readonly delete: readonly string[];
  }): boolean;
}

/** Keeps values in memory, keys and values together up to `maxChars`. */
export function createScriptStore(maxChars: number): ScriptStore {
  let kept = new Map<string, string>();
  return {
    values: () => Object.fromEntries(kept),
    write(writes) {
      const next = new Map(kept);
      for (const key of writes.delete) next.delete(key);
      for (const [key, value] of Object.entries(writes.set)) next.set(key, value);
      let chars = 0;
      for (const [key, value] of next) chars += key.length + value.length;
      if (chars > maxChars) return false;
      kept = next;
      return true;
    },
  };
}
