/**
 * What clients and workers say to each other through the server. Both ends parse it: they may be of different
 * versions, and the journal of a run outlives both.
 */
import { RestateError } from "./errors.ts";
import { isIndex, isRecord } from "./guards.ts";
import { readSealed, type Sealed } from "./seal.ts";

/** A virtual object a run: it keeps the run's steps and what has been woken. */
export const JOURNAL_OBJECT = "nestbox-journal";
/** A workflow a run: it carries the run on until it ends. */
export const RUN_WORKFLOW = "nestbox-run";

/** Of the step that a run ends with, and of the wake that tells of it. */
export const END = "end";

/** Entries in one answer, and woken values that are told with a claim. */
export const PAGE = 200;

export type EntryState = "begun" | "done" | "interrupted" | "dropped";

/** One step, at its place in the journal. */
export interface Entry {
  readonly key: string;
  readonly state: EntryState;
  readonly value?: Sealed;
}

export interface ClaimAnswer {
  readonly epoch: number;
  readonly count: number;
  readonly entries: readonly Entry[];
  /** What has been woken; absent when it is too much for one answer. */
  readonly woken?: Readonly<Record<string, Sealed>>;
}

export interface WriteRequest {
  readonly epoch: number;
  readonly entries: readonly (readonly [place: number, entry: Entry])[];
}

export interface WaitRequest {
  readonly key: string;
  readonly question: Sealed;
  readonly at: number;
}

export interface WakeRequest {
  readonly key: string;
  readonly value: Sealed;
  readonly token: string;
}

export interface ParkRequest {
  readonly awakeable: string;
  readonly keys: readonly string[];
  /** It waits for room on a worker, and for nobody. */
  readonly room?: true;
}

/** What a run ends with, as the workflow returns it. */
export type RunEnd = { readonly outcome: Sealed };

const STATES: readonly string[] = ["begun", "done", "interrupted", "dropped"];
const MAX_KEY_CHARS = 1_000;

export function readEntry(value: unknown): Entry {
  if (!isRecord(value)) return unreadable("entry");
  const { key, state } = value;
  if (!isKey(key) || typeof state !== "string" || !STATES.includes(state)) return unreadable("entry");
  const sealed = readSealed(value["value"]);
  if (state === "done" && sealed === undefined) return unreadable("entry");
  return { key, state: state as EntryState, ...(sealed === undefined ? {} : { value: sealed }) };
}

export function readEntries(value: unknown): readonly Entry[] {
  return Array.isArray(value) && value.length <= PAGE ? value.map(readEntry) : unreadable("list of entries");
}

export function readClaim(value: unknown): ClaimAnswer {
  if (!isRecord(value) || !isIndex(value["epoch"]) || !isIndex(value["count"])) return unreadable("claim");
  const { epoch, count, woken } = value;
  return {
    epoch,
    count,
    entries: readEntries(value["entries"]),
    ...(woken === undefined ? {} : { woken: readWoken(woken) }),
  };
}

export function readWoken(value: unknown): Readonly<Record<string, Sealed>> {
  if (!isRecord(value)) return unreadable("list of what was woken");
  return Object.fromEntries(
    Object.entries(value).map(([key, sealed]) => [key, readSealed(sealed) ?? unreadable("value")]),
  );
}

export function readWrite(value: unknown): WriteRequest {
  if (!isRecord(value) || !isIndex(value["epoch"]) || !Array.isArray(value["entries"]))
    return unreadable("write");
  const entries = (value["entries"] as unknown[]).map((pair) => {
    if (!Array.isArray(pair) || !isIndex(pair[0])) return unreadable("write");
    return [pair[0], readEntry(pair[1])] as const;
  });
  return entries.length <= PAGE ? { epoch: value["epoch"], entries } : unreadable("write");
}

export function readWait(value: unknown): WaitRequest {
  const question = isRecord(value) ? readSealed(value["question"]) : undefined;
  if (!isRecord(value) || question === undefined || !isKey(value["key"]) || typeof value["at"] !== "number")
    return unreadable("wait");
  return { key: value["key"], question, at: value["at"] };
}

export function readWake(value: unknown): WakeRequest {
  const sealed = isRecord(value) ? readSealed(value["value"]) : undefined;
  if (!isRecord(value) || sealed === undefined || !isKey(value["key"]) || typeof value["token"] !== "string")
    return unreadable("wake");
  return { key: value["key"], value: sealed, token: value["token"] };
}

export function readKeys(value: unknown): readonly string[] {
  return Array.isArray(value) && value.every(isKey) ? value : unreadable("list of keys");
}

/** Of a client that claims: a claim that is sent twice counts once. */
export function readToken(value: unknown): string {
  return isRecord(value) && typeof value["token"] === "string" && value["token"] !== ""
    ? value["token"]
    : unreadable("claim");
}

export function readEnd(value: unknown): RunEnd {
  const outcome = isRecord(value) ? readSealed(value["outcome"]) : undefined;
  return outcome === undefined ? unreadable("end of a run") : { outcome };
}

export function unreadable(what: string): never {
  throw new RestateError("journal", `This is no ${what} that this version can read`);
}

const isKey = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= MAX_KEY_CHARS;

const RUN_ID = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}$/;

/** A name that is the same in an address, in a message and in a folder. */
export function checkRunId(runId: string): void {
  if (RUN_ID.test(runId)) return;
  const message =
    "A run's id is 1 to 200 letters, digits, _ . : or -, and does not begin with one of the last three";
  throw new RestateError("misuse", message);
}
