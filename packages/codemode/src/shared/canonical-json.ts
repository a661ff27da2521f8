import { isRecord } from "./guards.ts";

/** The same text for the same data, whatever order members were written in; empty where there is no JSON of it. */
export function canonicalJson(value: unknown): string {
  const text = JSON.stringify(value, (_, item: unknown) =>
    isRecord(item) ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1))) : item,
  ) as string | undefined;
  return text ?? "";
}
