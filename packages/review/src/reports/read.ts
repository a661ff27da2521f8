/** Reading foreign data: own properties of the wanted type, or `undefined`. */
export type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

export function own(value: unknown, key: string): unknown {
  const object = fields(value);
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

export function list(value: unknown, key: string): readonly unknown[] {
  const found = own(value, key);
  return Array.isArray(found) ? found : [];
}

export function text(value: unknown, key: string): string | undefined {
  const found = own(value, key);
  return typeof found === "string" ? found : undefined;
}

/** A whole number that is not negative, also when it is written as text. */
export function count(value: unknown, key: string): number | undefined {
  const found = own(value, key);
  const number = typeof found === "string" && /^\d{1,15}$/.test(found) ? Number(found) : found;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** A value out of a report as a person reads it: text as it is, everything else as JSON. */
export function shown(value: unknown): string | undefined {
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

export function parseJson(
  source: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false } {
  try {
    return { ok: true, value: JSON.parse(source) };
  } catch {
    return { ok: false };
  }
}
