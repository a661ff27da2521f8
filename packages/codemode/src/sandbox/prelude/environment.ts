import type { Core } from "./core.ts";
import type { Primordials } from "./primordials.ts";

/** Asks the sandbox process for something that the isolate lacks; primitives and bytes only. */
export type Service = (operation: string, ...args: readonly unknown[]) => unknown;

export interface EnvironmentConfig {
  /** Present when the host injects the clock: milliseconds since the epoch at the start. */
  readonly now?: number;
  /** Present when the host injects randomness: an unsigned 32-bit integer. */
  readonly seed?: number;
}

/**
 * The one place inside the isolate where time and randomness come from. Without injection they are the real ones;
 * with it, `Date`, `performance`, `Math.random`, `crypto` and `Intl` defaults read the host's values, and what
 * depends on garbage collection is absent.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeEnvironment(P: Primordials, core: Core, service: Service) {
  "use strict";
  let virtual: number | undefined;
  let start = 0;
  let origin: number | undefined;
  let state: number | undefined;

  /** mulberry32: 32 bits a step. */
  function next32(): number {
    state = ((state as number) + 0x6d2b79f5) >>> 0;
    let x = state;
    x = imul(x ^ (x >>> 15), x | 1);
    x ^= x + imul(x ^ (x >>> 7), x | 61);
    return (x ^ (x >>> 14)) >>> 0;
  }
  const imul = Math.imul;

  /** Milliseconds since the script began, for `performance.now()` and timers. */
  function clock(): number {
    if (virtual !== undefined) return virtual - start;
    return (service("now") as number) - start;
  }

  function bytes(length: number): Uint8Array {
    if (state === undefined) return service("random", length) as Uint8Array;
    const out = new P.Uint8Array(length);
    for (let i = 0; i < length; i++) out[i] = next32() & 0xff;
    return out;
  }

  function installClock(): void {
    const RealDate = P.Date;
    const now = (): number => virtual as number;
    const FakeDate = function (this: unknown, ...args: unknown[]): unknown {
      if (new.target === undefined) return P.String(new RealDate(now()));
      const given = args.length === 0 ? P.list<unknown>() : args;
      if (args.length === 0) given[0] = now();
      return P.construct(RealDate, given, new.target === (FakeDate as unknown) ? RealDate : new.target);
    } as unknown as DateConstructor;
    core.define(FakeDate, "name", "Date", false);
    core.define(FakeDate, "length", 7, false);
    P.defineProperty(FakeDate, "prototype", core.descriptor(RealDate.prototype, false, false));
    core.define(FakeDate, "now", now, false);
    core.define(FakeDate, "parse", RealDate.parse, false);
    core.define(FakeDate, "UTC", RealDate.UTC, false);
    core.define(RealDate.prototype, "constructor", FakeDate, false);
    core.define(globalThis, "Date", FakeDate, false);
    installTemporal(now);
    core.define(globalThis, "WeakRef", undefined, false);
    core.define(globalThis, "FinalizationRegistry", undefined, false);
    const format = P.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, "format")?.get as () => (
      date?: unknown,
    ) => string;
    const bound = P.uncurry(format);
    const getter = P.create(null) as PropertyDescriptor;
    getter.get = function (this: unknown) {
      const real = bound(this);
      return (date?: unknown) => real(date === undefined ? now() : date);
    };
    getter.enumerable = false;
    getter.configurable = true;
    P.defineProperty(Intl.DateTimeFormat.prototype, "format", getter);
    // oxlint-disable-next-line typescript/unbound-method -- it is given its receiver by `uncurry`
    const { formatToParts } = Intl.DateTimeFormat.prototype;
    const parts = P.uncurry(formatToParts as (date?: unknown) => unknown);
    core.define(
      Intl.DateTimeFormat.prototype,
      "formatToParts",
      function (this: unknown, date?: unknown) {
        return parts(this, date === undefined ? now() : date);
      },
      false,
    );
  }

  /** `Temporal.Now` of the injected clock; the zone is the process's own, which the host has chosen. */
  function installTemporal(now: () => number): void {
    const temporal = (globalThis as unknown as { Temporal?: TemporalLike }).Temporal;
    if (temporal === undefined) return;
    const { Instant, Now } = temporal;
    // Bound before a script can replace what they are found on.
    const instantOf = Instant.fromEpochMilliseconds;
    const zoned = P.uncurry(Instant.prototype.toZonedDateTimeISO);
    const zoneId = Now.timeZoneId;
    const instant = (): unknown => P.apply(instantOf, Instant, [now()]);
    const inZone = (zone: unknown): object =>
      zoned(instant(), zone === undefined ? P.apply(zoneId, Now, []) : zone) as object;
    const prototype = P.getPrototypeOf(inZone("UTC")) as Record<string, () => unknown>;
    core.define(Now, "instant", () => instant(), false);
    core.define(Now, "zonedDateTimeISO", (zone?: unknown) => inZone(zone), false);
    const parts = P.list<readonly [string, string]>();
    parts[0] = ["plainDateTimeISO", "toPlainDateTime"];
    parts[1] = ["plainDateISO", "toPlainDate"];
    parts[2] = ["plainTimeISO", "toPlainTime"];
    for (let i = 0; i < 3; i++) {
      const [name, method] = parts[i] as readonly [string, string];
      const convert = P.uncurry(prototype[method] as () => unknown);
      core.define(Now, name, (zone?: unknown) => convert(inZone(zone)), false);
    }
  }

  interface TemporalLike {
    readonly Instant: {
      readonly fromEpochMilliseconds: (ms: number) => unknown;
      readonly prototype: { readonly toZonedDateTimeISO: (zone: unknown) => unknown };
    };
    readonly Now: { readonly timeZoneId: () => string };
  }

  return {
    clock,
    bytes,
    configure(config: EnvironmentConfig): void {
      start = config.now ?? (service("now") as number);
      virtual = config.now;
      if (config.now !== undefined) installClock();
      if (config.seed !== undefined) {
        state = config.seed >>> 0;
        core.define(Math, "random", () => next32() / 4294967296, false);
      }
    },
    /** Moves the injected clock; never backwards. */
    advance(now: number): void {
      if (virtual !== undefined && now > virtual) virtual = now;
    },
    isVirtual: (): boolean => virtual !== undefined,
    /** One number for the whole script, taken when it is first asked for. */
    timeOrigin: (): number => (virtual === undefined ? (origin ??= P.dateNow() - clock()) : start),
  };
}

export type Environment = ReturnType<typeof makeEnvironment>;
