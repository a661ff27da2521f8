import type { CallDecision, JsonValue } from "@nestbox/tool";

import { isRecord } from "../is-record.ts";
import { canonicalJson, sha256Hex } from "./fingerprint.ts";

/** How an `ask` was answered. */
export type AuditAnswer =
  | "approved"
  /** Another policy of the session asked a person about exactly this call. */
  | "approved-elsewhere"
  | "granted"
  | "declined"
  | "stopped"
  | "timeout"
  | "cancelled"
  | "no-approver"
  | "unavailable"
  | "remembered-denial"
  | "failed";

/** One decision: what was about to run, after every change that earlier handlers made. */
export interface AuditDecision {
  readonly type: "decision";
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly callId: string;
  /** The calls above it, root first. */
  readonly chain: readonly { readonly callId: string; readonly toolName: string }[];
  readonly actor: "agent" | "person";
  readonly tool: string;
  readonly source: string;
  readonly cwd: string;
  /** Redacted and cut. */
  readonly input: JsonValue;
  /** SHA-256 of the whole canonical arguments. */
  readonly inputHash: string;
  readonly decision: CallDecision;
  /** What the engine said before anybody was asked. */
  readonly engine: "allow" | "ask" | "deny" | "error";
  readonly answer?: AuditAnswer;
  readonly grant?: string;
  /** Every rule that had a part in it, for hit counts. */
  readonly rules: readonly string[];
  readonly reason: string;
  /** Dry run: what enforcing would have said. The call went on. */
  readonly wouldBe?: "deny";
}

/** How a call ended, with what really ran. */
export interface AuditEnd {
  readonly type: "end";
  readonly time: number;
  readonly callId: string;
  readonly tool: string;
  readonly inputHash: string;
  /** The arguments that ran are not those that were decided. */
  readonly changed: boolean;
  /** What ran, redacted, when it was changed. */
  readonly input?: JsonValue;
  readonly isError: boolean;
  readonly durationMs?: number;
}

/** Anything else worth a line: a reload, a grant, a changed policy file, a failed audit. */
export interface AuditNote {
  readonly type: "note";
  readonly time: number;
  readonly kind: string;
  readonly message: string;
}

export type AuditRecord = AuditDecision | AuditEnd | AuditNote;

/** Where records go. A write that throws or rejects means: not on record. */
export interface AuditSink {
  write(record: AuditRecord): Promise<void> | void;
}

/** Hash that the first line of a chain names as the one before it. */
export const CHAIN_START = "0".repeat(64);

export interface ChainedLine {
  readonly line: string;
  readonly hash: string;
}

/** Makes one line of the log: the record, its number, the hash of the line before, and its own. */
export function chainLine(record: JsonValue, seq: number, prev: string): ChainedLine {
  const body = { seq, prev, record };
  const hash = sha256Hex(canonicalJson(body));
  return { line: JSON.stringify({ ...body, hash }), hash };
}

export type ChainProblem = {
  /** 1-based line. */
  readonly line: number;
  readonly kind: "not-json" | "shape" | "hash" | "link" | "sequence" | "truncated";
  readonly message: string;
};

export interface ChainCheck {
  readonly ok: boolean;
  readonly records: readonly JsonValue[];
  readonly problems: readonly ChainProblem[];
  /** Hash and number of the last good line, for what follows in the next file. */
  readonly last: { readonly hash: string; readonly seq: number } | undefined;
}

/** Verifies a chain. Without `start` the first line's own `prev` is taken as given (a rotated file in the middle). */
export function verifyChain(
  text: string,
  start?: { readonly hash: string; readonly seq: number },
): ChainCheck {
  const problems: ChainProblem[] = [];
  const records: JsonValue[] = [];
  let last = start;
  const lines = text.split("\n");
  const ended = lines.at(-1) === "";
  if (ended) lines.pop();
  for (const [index, raw] of lines.entries()) {
    const line = index + 1;
    const parsed = parseLine(raw);
    if (parsed === undefined) {
      const cut = !ended && index === lines.length - 1;
      problems.push(
        cut
          ? { line, kind: "truncated", message: "the last line was not written to its end" }
          : { line, kind: "not-json", message: "not a line of this log" },
      );
      continue;
    }
    const { seq, prev, record, hash } = parsed;
    // Byte for byte: a second key of the same name, or one beside these, would be read by some and not by others.
    const written = chainLine(record, seq, prev);
    if (written.hash !== hash || written.line !== raw) {
      problems.push({ line, kind: "hash", message: "the line was changed after it was written" });
    }
    if (last !== undefined && prev !== last.hash) {
      problems.push({ line, kind: "link", message: "a line before this one was removed, changed or added" });
    }
    if (last !== undefined && seq !== last.seq + 1) {
      problems.push({ line, kind: "sequence", message: `number ${seq} follows number ${last.seq}` });
    }
    last = { hash, seq };
    records.push(record);
  }
  return { ok: problems.length === 0, records, problems, last };
}

function parseLine(
  raw: string,
):
  | { readonly seq: number; readonly prev: string; readonly record: JsonValue; readonly hash: string }
  | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(raw);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { seq, prev, record, hash } = value;
  if (
    typeof seq !== "number" ||
    typeof prev !== "string" ||
    typeof hash !== "string" ||
    record === undefined
  ) {
    return undefined;
  }
  return { seq, prev, record, hash };
}
