import { CodemodeError } from "./errors.ts";

const MAX_CHARS = 100;

/**
 * Throws {@link CodemodeError} `misuse` for a zone or a locale that is none. Whoever submits a script names them, and
 * they go into the environment of the sandbox's process: what is none there must not be tried.
 */
export function checkPlace(
  place: { readonly timeZone?: string | undefined; readonly locale?: string | undefined } = {},
): void {
  const { timeZone, locale } = place;
  if (timeZone !== undefined && timeZone !== "UTC" && !holds(timeZone, isTimeZone))
    throw new CodemodeError("misuse", `This is no time zone: ${shown(timeZone)}`);
  if (locale !== undefined && locale !== "en-US" && !holds(locale, isLocale))
    throw new CodemodeError("misuse", `This is no locale: ${shown(locale)}`);
}

/** Of a submission: whatever its type says, it may be anything. */
function holds(name: unknown, isOne: (name: string) => boolean): boolean {
  if (typeof name !== "string" || name === "" || name.length > MAX_CHARS) return false;
  try {
    return isOne(name);
  } catch {
    return false;
  }
}

const isTimeZone = (name: string): boolean =>
  new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone !== "";

const isLocale = (name: string): boolean => Intl.getCanonicalLocales(name).length === 1;

const shown = (name: unknown): string =>
  typeof name === "string" ? JSON.stringify(name.slice(0, MAX_CHARS)) : typeof name;
