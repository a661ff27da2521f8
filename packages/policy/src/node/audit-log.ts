import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, mkdirSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";

import type { JsonValue } from "@nestbox/tool";

import { CHAIN_START, chainLine, type AuditRecord, type AuditSink } from "../gate/audit.ts";
import { toPlainJson } from "../gate/fingerprint.ts";

/** Limits of an audit log, with their defaults. */
export const AUDIT_LIMITS = {
  /** A file that has grown to this is left, and the chain goes on in the next one. */
  maxFileBytes: 8 * 1024 * 1024,
  /** Most files of one session. One more line than fits cannot be written, and its call is denied. */
  maxFiles: 64,
  /** Longest line; a record that is larger is kept without its arguments. */
  maxLineBytes: 256 * 1024,
} as const;

export interface AuditLogOptions {
  /** Folder of the logs. Created, readable by its owner only. */
  readonly dir: string;
  /** Names the session in the file name; anything but letters, digits and `-` is left out. */
  readonly session: string;
  readonly clock?: () => number;
  readonly ids?: () => string;
  readonly limits?: Partial<Record<keyof typeof AUDIT_LIMITS, number>>;
}

export interface AuditLog extends AuditSink {
  write(record: AuditRecord): void;
  /** The files of this session, oldest first. Empty until something was written. */
  readonly files: readonly string[];
  close(): void;
}

/**
 * The audit of one session: JSON lines, appended only, each chained to the one before. Every opening starts a chain of
 * its own in a file that nobody else has, so two processes never share one. A write that fails throws.
 */
export function openAuditLog(options: AuditLogOptions): AuditLog {
  const limits = { ...AUDIT_LIMITS, ...options.limits };
  const clock = options.clock ?? Date.now;
  const unique = (options.ids ?? randomUUID)()
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .slice(0, 12);
  const session = options.session.replaceAll(/[^A-Za-z0-9-]/g, "").slice(0, 64) || "session";
  const started = new Date(clock()).toISOString().replaceAll(/[:.]/g, "-");
  const stem = `${started}_${session}_${unique}`;
  const files: string[] = [];
  let file: number | undefined;
  let bytes = 0;
  let seq = 0;
  let prev = CHAIN_START;
  let closed = false;

  const open = (): number => {
    if (files.length >= limits.maxFiles)
      throw new Error(`the audit of this session has filled ${limits.maxFiles} files`);
    mkdirSync(options.dir, { recursive: true, mode: 0o700 });
    const path = join(options.dir, `${stem}.${String(files.length).padStart(3, "0")}.jsonl`);
    const opened = openSync(path, "ax", 0o600);
    files.push(path);
    bytes = 0;
    return opened;
  };

  return {
    get files() {
      return files;
    },
    write(record) {
      if (closed) throw new Error("the audit log is closed");
      const value = recordValue(record);
      let made = chainLine(value, seq, prev);
      if (Buffer.byteLength(made.line) > limits.maxLineBytes)
        made = chainLine(withoutInput(value), seq, prev);
      const line = Buffer.from(`${made.line}\n`);
      if (file !== undefined && bytes > 0 && bytes + line.length > limits.maxFileBytes) {
        closeSync(file);
        file = undefined;
      }
      file ??= open();
      try {
        checkFile(file, files.at(-1), bytes);
        for (let done = 0; done < line.length;) done += writeSync(file, line, done);
      } catch (error) {
        // The next line starts a new file: behind half a line it could not be read.
        const broken = file;
        file = undefined;
        closeSync(broken);
        throw error;
      }
      bytes += line.length;
      seq += 1;
      prev = made.hash;
    },
    close() {
      closed = true;
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/**
 * A file that was taken away while it was open would swallow every further line unseen, and one that somebody else
 * wrote to or cut is no record of this session. The next line then starts another file.
 */
function checkFile(file: number, path: string | undefined, bytes: number): void {
  const open = fstatSync(file);
  const named = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  if (open.nlink === 0 || named === undefined) throw new Error("the audit log was deleted");
  if (named.ino !== open.ino || named.dev !== open.dev) throw new Error("the audit log was replaced");
  if (open.size !== bytes) throw new Error("the audit log was changed by somebody else");
}

function recordValue(record: AuditRecord): JsonValue {
  const plain = toPlainJson(record);
  if (!plain.ok) throw new Error(`the record is not plain data: ${plain.message}`);
  return plain.value;
}

function withoutInput(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== "input" && key !== "chain");
  return { ...Object.fromEntries(entries), cut: true };
}
