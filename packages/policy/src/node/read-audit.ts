import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";

import type { JsonObject, JsonValue } from "@nestbox/tool";

import { CHAIN_START, verifyChain, type ChainProblem } from "../gate/audit.ts";
import { isRecord } from "../is-record.ts";

/** Largest log file that is read. */
const MAX_READ_BYTES = 64 * 1024 * 1024;

export interface ReadAuditOptions {
  readonly dir: string;
  /** Only logs whose file name contains this: a session's id, a day. */
  readonly session?: string;
  /** Ids of the rules that are in force, to tell which never fired. */
  readonly rules?: readonly string[];
}

export interface AuditProblem extends ChainProblem {
  readonly file: string;
}

/** One chain: what one opening of the log wrote. */
export interface AuditSession {
  readonly name: string;
  readonly files: readonly string[];
  /** Nothing was changed, added or taken out between its first and its last line. */
  readonly ok: boolean;
  readonly problems: readonly AuditProblem[];
  readonly records: readonly JsonObject[];
  /** Number and hash of the last line: kept elsewhere, they show later that lines are gone, or that all were made anew. */
  readonly last?: { readonly seq: number; readonly hash: string };
}

export interface RuleHits {
  readonly rule: string;
  /** Decisions that it decided. */
  readonly decided: number;
  /** Decisions in which some part matched it. */
  readonly matched: number;
}

export interface AuditReport {
  readonly ok: boolean;
  readonly sessions: readonly AuditSession[];
  readonly hits: readonly RuleHits[];
  /** Rules in force that no decision on record names. */
  readonly neverFired: readonly string[];
  readonly totals: {
    readonly allow: number;
    readonly deny: number;
    readonly asked: number;
    readonly changed: number;
  };
}

/**
 * Reads and verifies audit logs. The chain shows every change between its first and its last line; that the last lines
 * were cut off, or a whole log removed, only a copy elsewhere can show.
 */
export function readAudit(options: ReadAuditOptions): AuditReport {
  const groups = new Map<string, string[]>();
  for (const name of listLogs(options.dir)) {
    if (options.session !== undefined && !name.includes(options.session)) continue;
    const stem = name.replace(/\.\d+\.jsonl$/, "");
    const files = groups.get(stem) ?? [];
    files.push(join(options.dir, name));
    groups.set(stem, files);
  }
  const sessions = [...groups].map(([name, files]) => readSession(name, files));
  const records = sessions.flatMap((session) => session.records);
  const hits = countHits(records);
  const fired = new Set(hits.map((hit) => hit.rule));
  return {
    ok: sessions.every((session) => session.ok),
    sessions,
    hits,
    neverFired: (options.rules ?? []).filter((rule) => !fired.has(rule)),
    totals: {
      allow: records.filter((record) => effectOf(record) === "allow").length,
      deny: records.filter((record) => effectOf(record) === "deny").length,
      asked: records.filter((record) => record["type"] === "decision" && record["engine"] === "ask").length,
      changed: records.filter((record) => record["changed"] === true).length,
    },
  };
}

function listLogs(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
      .filter((name) => /\.\d+\.jsonl$/.test(name))
      .sort();
  } catch {
    return [];
  }
}

function readSession(name: string, files: readonly string[]): AuditSession {
  const problems: AuditProblem[] = [];
  const records: JsonObject[] = [];
  let last: { readonly hash: string; readonly seq: number } = { hash: CHAIN_START, seq: -1 };
  for (const [index, path] of files.entries()) {
    const file = basename(path);
    if (!file.endsWith(`.${String(index).padStart(3, "0")}.jsonl`)) {
      problems.push({ file, line: 1, kind: "link", message: "a file of this log is missing" });
    }
    const text = readLog(path);
    if (text === undefined) {
      problems.push({ file, line: 1, kind: "shape", message: "the file cannot be read" });
      continue;
    }
    const checked = verifyChain(text, last);
    last = checked.last ?? last;
    problems.push(...checked.problems.map((problem) => ({ ...problem, file })));
    records.push(...checked.records.filter((record) => isRecord(record)));
  }
  return {
    name,
    files,
    ok: problems.length === 0,
    problems,
    records,
    ...(last.seq < 0 ? {} : { last: { seq: last.seq, hash: last.hash } }),
  };
}

function readLog(path: string): string | undefined {
  try {
    const stats = statSync(path);
    // Reading from a pipe of that name would wait for ever.
    return !stats.isFile() || stats.size > MAX_READ_BYTES ? undefined : readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function effectOf(record: JsonObject): JsonValue | undefined {
  const decision = record["decision"];
  return decision !== undefined && isRecord(decision) ? decision["effect"] : undefined;
}

function countHits(records: readonly JsonObject[]): readonly RuleHits[] {
  const decided = new Map<string, number>();
  const matched = new Map<string, number>();
  const count = (map: Map<string, number>, rule: JsonValue | undefined): void => {
    if (typeof rule === "string") map.set(rule, (map.get(rule) ?? 0) + 1);
  };
  for (const record of records) {
    if (record["type"] !== "decision") continue;
    const decision = record["decision"];
    if (decision !== undefined && isRecord(decision)) count(decided, decision["rule"]);
    const rules = record["rules"];
    if (Array.isArray(rules)) for (const rule of rules) count(matched, rule);
  }
  return [...new Set([...decided.keys(), ...matched.keys()])]
    .map((rule) => ({ rule, decided: decided.get(rule) ?? 0, matched: matched.get(rule) ?? 0 }))
    .sort((a, b) => b.decided - a.decided || b.matched - a.matched || (a.rule < b.rule ? -1 : 1));
}
