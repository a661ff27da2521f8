export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
