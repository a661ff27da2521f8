/** What scripts keep with `store` and find with `load`, as JSON texts by key. */
export interface ScriptStore {
  values(): Readonly<Record<string, string>>;
  /** Takes what one script wrote, all of it or nothing; `false`: it would be more than the limit. */
  write(writes: {
    readonly set: Readonly<Record<string, string>>;
    readonly delete: readonly string[];
  }): boolean;
}

/** Keeps values in memory, keys and texts together up to `maxChars` characters. */
export function createScriptStore(maxChars = 1_048_576): ScriptStore {
  let kept: ReadonlyMap<string, string> = new Map();
  return {
    values: () => Object.fromEntries(kept),
    write(writes) {
      const next = new Map(kept);
      for (const key of writes.delete) next.delete(key);
      for (const [key, json] of Object.entries(writes.set)) next.set(key, json);
      let chars = 0;
      for (const [key, json] of next) chars += key.length + json.length;
      if (chars > maxChars) return false;
      kept = next;
      return true;
    },
  };
}
