import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { isRecord, isStringArray } from "../shared/guards.ts";
import { STORE_ENTRY_TYPE } from "./names.ts";

type Branch = ReturnType<ExtensionContext["sessionManager"]["getBranch"]>;

/** What one script wrote, as it stands in the session. */
export interface StoreEntry {
  readonly set: Readonly<Record<string, unknown>>;
  readonly delete: readonly string[];
}

/** What `load()` finds: JSON texts by key, folded over the entries of the branch from its root. */
export function readStore(branch: Branch): Readonly<Record<string, string>> {
  const store = new Map<string, string>();
  for (const entry of branch) {
    if (entry.type !== "custom" || entry.customType !== STORE_ENTRY_TYPE || !isRecord(entry.data)) continue;
    const { set, delete: deleted } = entry.data;
    if (!isRecord(set) || !isStringArray(deleted)) continue;
    for (const key of deleted) store.delete(key);
    for (const [key, value] of Object.entries(set)) {
      const json: string | undefined = JSON.stringify(value);
      if (json !== undefined) store.set(key, json);
    }
  }
  return Object.fromEntries(store);
}

/** The entry for what a script wrote; undefined when it wrote nothing. */
export function toStoreEntry(writes: {
  readonly set: Readonly<Record<string, string>>;
  readonly delete: readonly string[];
}): StoreEntry | undefined {
  const set = Object.entries(writes.set);
  if (set.length === 0 && writes.delete.length === 0) return undefined;
  return {
    set: Object.fromEntries(set.map(([key, json]) => [key, JSON.parse(json) as unknown])),
    delete: [...writes.delete],
  };
}
