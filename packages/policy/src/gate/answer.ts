import type { JsonObject, JsonValue } from "@nestbox/tool";

import { isRecord } from "../is-record.ts";
import type { ApprovalAnswer, Remember } from "./approver.ts";
import { toPlainJson } from "./fingerprint.ts";

/** Longest pattern that is remembered, in characters. */
const MAX_PATTERN_CHARS = 1_000_000;

/**
 * An answer may come from anywhere (a remote side, a package of another version): it is read once into plain data, and
 * only what is clearly a yes is one. `undefined`: it is no answer at all.
 */
export function readAnswer(value: unknown): ApprovalAnswer | undefined {
  const plain = toPlainJson(value);
  if (!plain.ok || !isRecord(plain.value)) return undefined;
  const answer = plain.value;
  switch (own(answer, "kind")) {
    case "approved": {
      const wish = own(answer, "remember");
      const remember = wish === undefined ? undefined : readRemember(wish);
      const callIds = readIds(own(answer, "callIds"));
      if (callIds === undefined || (wish !== undefined && remember === undefined)) return undefined;
      return { kind: "approved", callIds, ...(remember === undefined ? {} : { remember }) };
    }
    case "declined": {
      const comment = own(answer, "comment");
      // A refusal stays one, whatever else is wrong with it.
      const callIds = readIds(own(answer, "callIds")) ?? [];
      return { kind: "declined", callIds, ...(typeof comment === "string" ? { comment } : {}) };
    }
    case "stop":
      return { kind: "stop" };
    case "unavailable": {
      const message = own(answer, "message");
      return { kind: "unavailable", ...(typeof message === "string" ? { message } : {}) };
    }
    default:
      return undefined;
  }
}

function readRemember(value: JsonValue): Remember | undefined {
  if (!isRecord(value)) return undefined;
  const [kind, pattern, offer] = [own(value, "kind"), own(value, "pattern"), own(value, "offer")];
  if (typeof pattern !== "string" || pattern.length > MAX_PATTERN_CHARS) return undefined;
  if (offer !== undefined && offer !== "exact" && offer !== "command" && offer !== "path") return undefined;
  const what: Pick<Remember, "pattern" | "offer"> = { pattern, ...(offer === undefined ? {} : { offer }) };
  if (kind === "session" || kind === "always") return { kind, ...what };
  const forMs = own(value, "forMs");
  if (kind !== "time" || typeof forMs !== "number" || !(forMs > 0)) return undefined;
  return { kind, forMs, ...what };
}

function readIds(value: JsonValue | undefined): readonly string[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return undefined;
  const items: readonly JsonValue[] = value;
  const ids = items.filter((item) => typeof item === "string");
  return ids.length === items.length ? ids : undefined;
}

function own(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
