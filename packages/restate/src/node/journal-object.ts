/**
 * The virtual object that keeps one run. The server lets one writing handler of it run at a time and keeps what it
 * sets all at once, so that each handler is a transaction.
 */
import * as restate from "@restatedev/restate-sdk";
import { isIndex, isRecord } from "../guards.ts";
import {
  type ClaimAnswer,
  END,
  type Entry,
  JOURNAL_OBJECT,
  PAGE,
  type ParkRequest,
  readKeys,
  readToken,
  readWait,
  readWake,
  readWrite,
} from "../protocol.ts";
import { readSealed, type Sealed } from "../seal.ts";

interface Meta {
  readonly format: 1;
  /** Grows whenever a process takes the run over; whoever holds an older one can keep nothing. */
  readonly epoch: number;
  readonly token: string;
}

interface Woken {
  readonly value: Sealed;
  readonly token: string;
}

interface Question {
  readonly question: Sealed;
  readonly at: number;
}

type State = {
  meta: Meta;
  /** The run that waits to be carried on, and for what. */
  parked: ParkRequest;
} & Record<`s/${number}`, Entry> &
  Record<`w/${string}`, Woken> &
  Record<`q/${string}`, Question>;

type Ctx = restate.ObjectContext<State>;
type SharedCtx = restate.ObjectSharedContext<State>;

/** Kept is what the handlers set; how they came to it need not be. */
const EAGER = { enableLazyState: false, journalRetention: 0 } as const;
/** The state stays where it is, and is asked for key by key. */
const LAZY = { enableLazyState: true, journalRetention: 0 } as const;

export type JournalObject = typeof journalObject;

export const journalObject = restate.object({
  name: JOURNAL_OBJECT,
  handlers: {
    claim: exclusive(LAZY, async (ctx, input): Promise<ClaimAnswer> => {
      const token = readToken(input);
      const meta = await ctx.get("meta");
      const keys = await ctx.stateKeys();
      const isSame = meta?.token === token;
      const epoch = (meta?.epoch ?? 0) + (isSame ? 0 : 1);
      if (!isSame) ctx.set("meta", { format: readFormat(meta), epoch, token });
      const wokenKeys = keys.flatMap((key) => (key.startsWith("w/") ? [key.slice(2)] : []));
      const count = countOf(keys);
      const entries = await entriesFrom(ctx, 0, count);
      return wokenKeys.length > PAGE
        ? { epoch, count, entries }
        : { epoch, count, entries, woken: await wokenOf(ctx, wokenKeys) };
    }),

    read: shared(
      LAZY,
      async (ctx, from) => await entriesFrom(ctx, isIndex(from) ? from : 0, countOf(await ctx.stateKeys())),
    ),

    write: exclusive(EAGER, write),
    /** The same for a run of many steps, whose state is not sent along. */
    append: exclusive(LAZY, write),

    /** Forgets a run that has no step. */
    forget: exclusive(LAZY, async (ctx, input): Promise<void> => {
      const meta = await ctx.get("meta");
      if (meta === null || !isRecord(input) || meta.epoch !== input["epoch"]) return;
      for (const key of await ctx.stateKeys()) if (key.startsWith("s/")) ctx.clear(key as `s/${number}`);
      ctx.clear("meta");
    }),

    wait: exclusive(LAZY, async (ctx, input): Promise<{ readonly value?: Sealed }> => {
      const { key, question, at } = readWait(input);
      const woken = await ctx.get(`w/${key}`);
      if (woken !== null) return { value: woken.value };
      const asked = await ctx.get(`q/${key}`);
      ctx.set(`q/${key}`, { question, at: asked?.at ?? at });
      return {};
    }),

    wake: exclusive(LAZY, async (ctx, input) => {
      const { key, value, token } = readWake(input);
      const woken = await ctx.get(`w/${key}`);
      if (woken !== null && woken.token !== token) return { kind: "already", value: woken.value };
      const parked = await ctx.get("parked");
      // The value first; whoever parks after this finds it, whoever has parked before is told.
      ctx.set(`w/${key}`, { value, token });
      if (parked?.keys.includes(key) === true) {
        ctx.clear("parked");
        ctx.resolveAwakeable(parked.awakeable, key);
      }
      return { kind: "stored" };
    }),

    look: shared(LAZY, async (ctx, input) => await wokenOf(ctx, readKeys(input).slice(0, PAGE))),

    /** Says whether one of the keys has been woken; if not, the awakeable is resolved when one is. */
    park: exclusive(LAZY, async (ctx, input): Promise<boolean> => {
      if (!isRecord(input) || typeof input["awakeable"] !== "string")
        throw new restate.TerminalError("This is no request to park", { errorCode: 422 });
      const keys = readKeys(input["keys"]);
      const woken = await together(keys.map((key) => ctx.get(`w/${key}`)));
      if (woken.some((one) => one !== null)) return true;
      const room = input["room"] === true ? ({ room: true } as const) : {};
      ctx.set("parked", { awakeable: input["awakeable"], keys, ...room });
      return false;
    }),

    /** Removes a run that has ended. */
    remove: exclusive(LAZY, async (ctx): Promise<boolean> => {
      if ((await ctx.get(`w/${END}`)) === null) return false;
      ctx.clearAll();
      return true;
    }),
  },
});

async function write(ctx: Ctx, input: unknown): Promise<{ readonly kind: "kept" | "lost" }> {
  const { epoch, entries } = readWrite(input);
  const meta = await ctx.get("meta");
  if (meta?.epoch !== epoch) return { kind: "lost" };
  for (const [place, entry] of entries) ctx.set(`s/${place}`, entry);
  return { kind: "kept" };
}

/** How many places there are: the highest is the last that was written. */
function countOf(keys: readonly string[]): number {
  let count = 0;
  for (const key of keys) if (key.startsWith("s/")) count = Math.max(count, Number(key.slice(2)) + 1);
  return count;
}

async function entriesFrom(ctx: SharedCtx, from: number, count: number): Promise<readonly Entry[]> {
  const places = Array.from(
    { length: Math.max(0, Math.min(count - from, PAGE)) },
    (_, index) => from + index,
  );
  const entries = await together(places.map((place) => ctx.get(`s/${place}`)));
  // A place that was never written belongs to a write that was lost: nobody has seen it.
  return entries.map((entry, index) => entry ?? { key: `lost/${from + index}`, state: "dropped" });
}

async function wokenOf(ctx: SharedCtx, keys: readonly string[]): Promise<Readonly<Record<string, Sealed>>> {
  const found = await together(keys.map((key) => ctx.get(`w/${key}`)));
  return Object.fromEntries(
    keys.flatMap((key, index) => {
      const value = readSealed(found[index]?.value);
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}

/** Asks for all at once: only the SDK's own `all` can wait for several of its promises. */
async function together<T>(gets: readonly Promise<T>[]): Promise<readonly T[]> {
  if (gets.length === 0) return [];
  return gets.every(isRestate) ? await restate.RestatePromise.all(gets) : await Promise.all(gets);
}

/** The type of `get` does not say that it gives one. */
const isRestate = <T>(promise: Promise<T>): promise is restate.RestatePromise<T> =>
  restate.isRestatePromise(promise);

function readFormat(meta: Meta | null): 1 {
  if (meta === null || meta.format === 1) return 1;
  throw new restate.TerminalError("The journal of this run is of another version", { errorCode: 422 });
}

/** What cannot be read will not be readable the next time: no retry. */
function asTerminalError(error: unknown): restate.TerminalError | undefined {
  const isOurs = isRecord(error) && error["name"] === "RestateError" && typeof error["code"] === "string";
  return isOurs ? new restate.TerminalError(String(error["message"]), { errorCode: 422 }) : undefined;
}

function exclusive<O>(
  options: typeof EAGER | typeof LAZY,
  handler: (ctx: Ctx, input: unknown) => Promise<O>,
) {
  return restate.handlers.object.exclusive<O, unknown, State>({ ...options, asTerminalError }, handler);
}

function shared<O>(options: typeof LAZY, handler: (ctx: SharedCtx, input: unknown) => Promise<O>) {
  return restate.handlers.object.shared<O, unknown, State>({ ...options, asTerminalError }, handler);
}
