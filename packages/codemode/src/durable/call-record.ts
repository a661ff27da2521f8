import { shorten, type JsonValue, type ToolCallOutcome } from "@nestbox/tool";
import { canonicalJson } from "../shared/canonical-json.ts";
import { isRecord } from "../shared/guards.ts";
import { sha256 } from "./hash.ts";
import { packValue, unpackValue } from "./pack.ts";

/** Characters of the arguments that stand in the journal beside their hash, for the one who reads a divergence. */
const MAX_ARGS_CHARS = 500;

/** What a call was: its name, the hash of its arguments, and their beginning. */
export interface CallIdentity {
  readonly name: string;
  readonly hash: string;
  readonly args: string;
  readonly line?: number;
}

/** How one attempt at a call ended. */
export type CallEnd =
  | { readonly kind: "outcome"; readonly outcome: ToolCallOutcome }
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "thrown"; readonly name: string; readonly message: string }
  /** It has not run: a person is to decide first. */
  | { readonly kind: "asked"; readonly question: JsonValue };

export interface CallRecord {
  readonly call: CallIdentity;
  /** When the attempt began; for the one who looks at it, absent in older journals. */
  readonly begunAt?: number;
  readonly at: number;
  readonly end: CallEnd;
}

export async function identify(name: string, args: unknown, line: number | undefined): Promise<CallIdentity> {
  const text = canonicalJson(args);
  return {
    name,
    hash: await sha256(text),
    args: shorten(text, MAX_ARGS_CHARS),
    ...(line === undefined ? {} : { line }),
  };
}

export const callText = ({ name, args }: Pick<CallIdentity, "name" | "args">): string => `${name}(${args})`;

/** What is kept of a call as it begins. */
export const writeBegun = (call: CallIdentity, begunAt: number): JsonValue => ({
  call: writeIdentity(call),
  from: begunAt,
});

export function readBegun(value: unknown): Pick<CallRecord, "call" | "begunAt"> | undefined {
  const call = isRecord(value) ? readIdentity(value["call"]) : undefined;
  if (!isRecord(value) || call === undefined) return undefined;
  const from = value["from"];
  return { call, ...(typeof from === "number" ? { begunAt: from } : {}) };
}

function writeIdentity({ name, hash, args, line }: CallIdentity) {
  return { name, hash, args, ...(line === undefined ? {} : { line }) };
}

function readIdentity(value: unknown): CallIdentity | undefined {
  if (!isRecord(value)) return undefined;
  const { name, hash, args, line } = value;
  if (typeof name !== "string" || typeof hash !== "string" || typeof args !== "string") return undefined;
  return { name, hash, args, ...(typeof line === "number" ? { line } : {}) };
}

export function writeCall({ call, begunAt, at, end }: CallRecord): JsonValue {
  return {
    call: writeIdentity(call),
    ...(begunAt === undefined ? {} : { from: begunAt }),
    at,
    end:
      end.kind === "outcome"
        ? { kind: "outcome", outcome: packValue(end.outcome) }
        : end.kind === "value"
          ? { kind: "value", value: packValue(end.value) }
          : end.kind === "asked"
            ? { kind: "asked", question: end.question }
            : { kind: "thrown", name: end.name, message: end.message },
  };
}

/** `undefined` for what is no record of a call. */
export function readCall(value: unknown): CallRecord | undefined {
  const begun = readBegun(value);
  if (begun === undefined || !isRecord(value) || typeof value["at"] !== "number") return undefined;
  const end = readEnd(value["end"]);
  return end === undefined ? undefined : { ...begun, at: value["at"], end };
}

function readEnd(value: unknown): CallEnd | undefined {
  if (!isRecord(value)) return undefined;
  if (value["kind"] === "asked") return { kind: "asked", question: (value["question"] ?? null) as JsonValue };
  if (value["kind"] === "value") return { kind: "value", value: unpackValue(value["value"]) };
  if (value["kind"] === "thrown") {
    const { name, message } = value;
    return typeof name === "string" && typeof message === "string"
      ? { kind: "thrown", name, message }
      : undefined;
  }
  if (value["kind"] !== "outcome") return undefined;
  const outcome = unpackValue(value["outcome"]);
  const isOutcome = isRecord(outcome) && isRecord(outcome["result"]) && isRecord(outcome["toolCall"]);
  // Packed by `writeCall`, which takes nothing but outcomes.
  return isOutcome ? { kind: "outcome", outcome: outcome as unknown as ToolCallOutcome } : undefined;
}
