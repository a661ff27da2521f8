import type { CallRequest } from "@nestbox/tool";

import type { Decision } from "../decision.ts";

/** A pattern that could be remembered for one call, as it is shown and edited. */
export interface GrantOffer {
  /**
   * `exact`: this call with these arguments. `command`: one command line of a shell call. `path`: any call of this tool
   * of Pi's own that touches only these files.
   */
  readonly kind: "exact" | "command" | "path";
  /** What is saved unless it is edited. */
  readonly pattern: string;
  /** The pattern, escaped and shortened for display. */
  readonly shown: string;
  /** May the text be changed? An exact call has nothing to edit. */
  readonly editable: boolean;
  /** Where it will count, in words: `in the repository /w/app`. */
  readonly bound: string;
}

/** A file that a granted call runs, and what it contained. */
export interface GrantedFile {
  readonly path: string;
  readonly sha256: string;
}

/** An answer that was remembered. Plain data: it is stored as JSON. */
export interface Grant {
  readonly id: string;
  readonly scope: "session" | "time" | "always";
  readonly kind: "exact" | "command" | "path";
  /** Tool it counts for, with its source, so that a namesake of another owner is not meant. */
  readonly tool: string;
  readonly source: string;
  /** `exact`: the arguments' fingerprint. `command`: the pattern, word by word. `path`: a glob below the folder. */
  readonly match: string;
  /** What the person saw, escaped. */
  readonly shown: string;
  /** Folder, or root of the repository for programs whose meaning a repository decides. */
  readonly folder: string;
  readonly repository: boolean;
  readonly files: readonly GrantedFile[];
  /** The rules whose question was answered: it answers no other rule's. */
  readonly rules: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt?: number;
}

/** Keeps grants. `list` gives all that were not revoked; whether one still counts is checked at use. */
export interface GrantStore {
  list(): readonly Grant[];
  add(grant: Grant): Promise<void> | void;
  revoke(id: string): Promise<boolean> | boolean;
}

/** Facts about the machine that bind a grant; without them only answers for one time are offered. */
export interface GrantFacts {
  /** Folder with symlinks resolved; `undefined` when it does not exist. */
  realPath(path: string): string | undefined;
  /** Root of the repository that holds the folder, symlinks resolved; `undefined` outside one. */
  repositoryOf(folder: string): string | undefined;
  /** SHA-256 of a regular file in hex; `undefined` when there is none. */
  hashFile(path: string): string | undefined;
  /** Joins a relative path to a folder the way the platform does. */
  resolve(folder: string, path: string): string;
}

/** What the grant logic looks at. */
export interface GrantSubject {
  readonly request: CallRequest;
  readonly decision: Decision;
  readonly fingerprint: string;
}
