import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";

import type { Grant, GrantedFile, GrantStore } from "../gate/grant.ts";
import { createMemoryGrants, MAX_GRANTS } from "../gate/grants.ts";
import { readSmallFile, withLock, writeFileAtomic } from "./json-file.ts";
import { isRecord } from "../is-record.ts";

/** Largest grants file that is read. */
const MAX_GRANTS_BYTES = 4 * 1024 * 1024;

export interface GrantsFileOptions {
  /** Where lasting grants are kept. Created with its folder, readable by its owner only. */
  readonly path: string;
  readonly clock?: () => number;
  readonly ids?: () => string;
  /** Told when the file cannot be used; its grants then do not count. */
  readonly onProblem?: (message: string) => void;
}

/**
 * Keeps grants: those of a session in memory, timed and lasting ones in one file that all sessions share. A grant that
 * another session added or revoked counts from the next call on. A file that cannot be understood gives no grant.
 */
export function openGrants(options: GrantsFileOptions): GrantStore {
  const { path, onProblem } = options;
  const clock = options.clock ?? Date.now;
  const ids = options.ids ?? randomUUID;
  const session = createMemoryGrants();
  let stamp = "";
  let kept: readonly Grant[] = [];

  const read = (): readonly Grant[] => {
    const text = readSmallFile(path, MAX_GRANTS_BYTES);
    if (text === undefined) return [];
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || value["version"] !== 1 || !Array.isArray(value["grants"])) {
      throw new Error("it is not a list of grants");
    }
    const list: readonly unknown[] = value["grants"];
    return list.map((item) => {
      const grant = readGrant(item);
      if (grant === undefined) throw new Error("it holds something that is not a grant");
      return grant;
    });
  };

  const refresh = (): void => {
    const now = stampOf(path);
    if (now === stamp) return;
    stamp = now;
    try {
      kept = read();
    } catch (error) {
      kept = [];
      onProblem?.(
        `the remembered answers in ${path} do not count: ${error instanceof Error ? error.message : "unreadable"}`,
      );
    }
  };

  const change = async <T>(
    edit: (grants: readonly Grant[]) => { readonly grants: readonly Grant[]; readonly result: T },
  ) =>
    withLock(path, { waitMs: 2_000, staleMs: 10_000, clock: Date.now }, () => {
      const { grants, result } = edit(read());
      const now = clock();
      const alive = grants
        .filter((grant) => grant.expiresAt === undefined || now < grant.expiresAt)
        .slice(-MAX_GRANTS);
      writeFileAtomic(path, fileText(alive), ids());
      stamp = "";
      return result;
    });

  return {
    list() {
      refresh();
      return [...session.list(), ...kept];
    },
    async add(grant) {
      if (grant.scope === "session") await session.add(grant);
      else await change((grants) => ({ grants: [...grants, grant], result: undefined }));
    },
    async revoke(id) {
      if (await session.revoke(id)) return true;
      return change((grants) => {
        const rest = grants.filter((grant) => grant.id !== id);
        return { grants: rest, result: rest.length < grants.length };
      });
    },
  };
}

/** What is written can be read again: of more than a file may hold, the oldest are left out, never the newest. */
function fileText(grants: readonly Grant[]): string {
  const texts: string[] = [];
  let bytes = 100;
  for (const grant of grants.toReversed()) {
    const text = JSON.stringify(grant);
    bytes += Buffer.byteLength(text) + 2;
    if (bytes > MAX_GRANTS_BYTES) {
      if (texts.length === 0) throw new Error(`a grant is larger than ${MAX_GRANTS_BYTES} bytes`);
      break;
    }
    texts.unshift(text);
  }
  return `{ "version": 1, "grants": [\n${texts.join(",\n")}\n] }\n`;
}

function stampOf(path: string): string {
  try {
    const stats = statSync(path, { bigint: true });
    return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}`;
  } catch {
    return "none";
  }
}

function readGrant(value: unknown): Grant | undefined {
  if (!isRecord(value)) return undefined;
  const {
    id,
    scope,
    kind,
    tool,
    source,
    match,
    shown,
    folder,
    repository,
    files,
    rules,
    createdAt,
    expiresAt,
  } = value;
  if (scope !== "time" && scope !== "always") return undefined;
  if (kind !== "exact" && kind !== "command" && kind !== "path") return undefined;
  if (typeof id !== "string" || typeof tool !== "string" || typeof source !== "string") return undefined;
  if (typeof match !== "string" || typeof shown !== "string" || typeof folder !== "string") return undefined;
  if (typeof repository !== "boolean" || typeof createdAt !== "number") return undefined;
  if (!Array.isArray(files) || !Array.isArray(rules)) return undefined;
  if (scope === "time" ? typeof expiresAt !== "number" : expiresAt !== undefined) return undefined;
  const readFiles: GrantedFile[] = [];
  for (const file of files as readonly unknown[]) {
    if (!isRecord(file) || typeof file["path"] !== "string" || typeof file["sha256"] !== "string")
      return undefined;
    readFiles.push({ path: file["path"], sha256: file["sha256"] });
  }
  const readRules: string[] = [];
  for (const rule of rules as readonly unknown[]) {
    if (typeof rule !== "string") return undefined;
    readRules.push(rule);
  }
  return {
    id,
    scope,
    kind,
    tool,
    source,
    match,
    shown,
    folder,
    repository,
    files: readFiles,
    rules: readRules,
    createdAt,
    ...(typeof expiresAt === "number" ? { expiresAt } : {}),
  };
}
