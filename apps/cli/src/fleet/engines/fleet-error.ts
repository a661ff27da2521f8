import { messageOf } from "@nestbox/tool";
import { FleetError, type FleetErrorCode } from "../engine.ts";
import { withoutPasswords } from "../redact.ts";

/** Codes that the errors of both engines have. */
const KINDS: Readonly<Record<string, FleetErrorCode>> = {
  unreachable: "unreachable",
  refused: "refused",
  journal: "unreadable",
  blob: "unreadable",
  misuse: "misuse",
};

/** The engine's error in our words; what is none of its own, an abort for example, is handed on. */
export function fleetError(error: unknown, urls: readonly string[]): unknown {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  const kind = typeof code === "string" && Object.hasOwn(KINDS, code) ? KINDS[code] : undefined;
  if (kind === undefined) return error;
  return new FleetError(kind, withoutPasswords(messageOf(error), urls), { cause: error });
}

/** Runs what may fail with an engine's error. */
export type Told = <T>(work: () => T | Promise<T>) => Promise<T>;

export function tellingWithout(urls: readonly string[]): Told {
  return async (work) => {
    try {
      return await work();
    } catch (error) {
      throw fleetError(error, urls);
    }
  };
}
