import type { Core } from "./core.ts";
import type { Primordials } from "./primordials.ts";

/**
 * What the language of the built-in codemode has and this engine has not yet: `Iterator.zip` and `zipKeyed`, `chunks`,
 * `windows`, `includes` and `join` of iterators, `Math.sumPrecise`, `InternalError`. Whatever the engine brings itself
 * stays the engine's.
 *
 * None of it holds any power. Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeLanguage(P: Primordials, core: Core): void {
  "use strict";
  interface Cursor {
    next(): { readonly done?: boolean; readonly value: unknown };
    return?(): unknown;
  }
  type Method = (this: Cursor, ...args: never[]) => unknown;

  function add(target: object, name: string, value: unknown): void {
    if (!P.hasOwn(target, name)) core.define(target, name, value, false);
  }

  function size(value: unknown): number {
    if (typeof value !== "number") throw new TypeError("The size must be a number");
    if (!Number.isInteger(value) || value < 1 || value > 4_294_967_295)
      throw new RangeError("The size must be a whole number from 1 to 4294967295");
    return value;
  }

  const close = (cursor: Cursor): void => void cursor.return?.();

  const methods: Readonly<Record<string, Method>> = {
    chunks(this: Cursor, count: unknown) {
      const length = size(count);
      return chunks(this, length);
    },
    windows(this: Cursor, count: unknown, undersized: unknown = "only-full") {
      const length = size(count);
      if (undersized !== "only-full" && undersized !== "allow-partial")
        throw new TypeError('The second argument must be "only-full" or "allow-partial"');
      return windows(this, length, undersized === "allow-partial");
    },
    includes(this: Cursor, wanted: unknown, skip: unknown = 0) {
      if (typeof skip !== "number" || (!Number.isInteger(skip) && skip !== Infinity))
        throw new TypeError("The number of elements to skip must be a whole number");
      if (skip < 0) throw new RangeError("The number of elements to skip must not be negative");
      let index = 0;
      for (let step = this.next(); step.done !== true; step = this.next()) {
        const { value } = step;
        if (index++ < skip || (value !== wanted && !Object.is(value, wanted))) continue;
        close(this);
        return true;
      }
      return false;
    },
    join(this: Cursor, separator: unknown = ",") {
      const between = String(separator);
      let text = "";
      let first = true;
      for (let step = this.next(); step.done !== true; step = this.next()) {
        const { value } = step;
        // oxlint-disable-next-line typescript/no-base-to-string -- as `Array.prototype.join` does it
        text += (first ? "" : between) + (value === undefined || value === null ? "" : String(value));
        first = false;
      }
      return text;
    },
  };

  function* chunks(source: Cursor, length: number): Generator<unknown[]> {
    let ended = false;
    try {
      for (;;) {
        const part: unknown[] = [];
        while (part.length < length) {
          const step = source.next();
          if ((ended = step.done === true)) break;
          part.push(step.value);
        }
        if (part.length > 0) yield part;
        if (ended) return;
      }
    } finally {
      if (!ended) close(source);
    }
  }

  function* windows(source: Cursor, length: number, partial: boolean): Generator<unknown[]> {
    let ended = false;
    try {
      let part: unknown[] = [];
      for (;;) {
        const step = source.next();
        if ((ended = step.done === true)) break;
        part = part.length === length ? [...part.slice(1), step.value] : [...part, step.value];
        if (part.length === length) yield [...part];
      }
      if (partial && part.length > 0 && part.length < length) yield part;
    } finally {
      if (!ended) close(source);
    }
  }

  interface ZipOptions {
    readonly mode?: unknown;
    readonly padding?: unknown;
  }

  function modeOf({ mode = "shortest" }: ZipOptions): string {
    if (mode !== "shortest" && mode !== "longest" && mode !== "strict")
      throw new TypeError('The mode must be "shortest", "longest" or "strict"');
    return mode;
  }

  const open = (items: unknown): Cursor => (items as Iterable<unknown>)[Symbol.iterator]() as Cursor;

  /** Rows of the sources, as `finish` makes them of their values. */
  function* rows(
    sources: readonly Cursor[],
    mode: string,
    padding: readonly unknown[],
    finish: (values: readonly unknown[]) => unknown,
  ): Generator {
    const done = sources.map(() => false);
    try {
      for (;;) {
        const values: unknown[] = [];
        for (let i = 0; i < sources.length; i++) {
          const step = done[i] === true ? undefined : (sources[i] as Cursor).next();
          if (step !== undefined && step.done !== true) {
            if (mode === "strict" && done.includes(true))
              throw new TypeError("The iterables differ in length");
            values.push(step.value);
            continue;
          }
          done[i] = true;
          if (mode === "shortest") return;
          if (mode === "strict" && i > 0 && done[0] === false)
            throw new TypeError("The iterables differ in length");
          values.push(padding[i]);
        }
        if (!done.includes(false)) return;
        yield finish(values);
      }
    } finally {
      for (let i = sources.length - 1; i >= 0; i--) if (done[i] === false) close(sources[i] as Cursor);
    }
  }

  const statics: Readonly<Record<string, (items: never, options?: ZipOptions) => unknown>> = {
    zip(items: Iterable<unknown>, options = {}) {
      const mode = modeOf(options);
      const padding = options.padding === undefined ? [] : [...(options.padding as Iterable<unknown>)];
      return rows([...items].map(open), mode, padding, (values) => values);
    },
    zipKeyed(items: Readonly<Record<string, unknown>>, options = {}) {
      const mode = modeOf(options);
      const keys = Object.keys(items).filter((key) => items[key] !== undefined);
      const padding = (options.padding ?? {}) as Readonly<Record<string, unknown>>;
      return rows(
        keys.map((key) => open(items[key])),
        mode,
        keys.map((key) => padding[key]),
        (values) => {
          const row = Object.create(null) as Record<string, unknown>;
          for (const [i, key] of keys.entries()) row[key] = values[i];
          return row;
        },
      );
    },
  };

  /** The sum as if it were added without rounding and rounded once (Shewchuk's partial sums). */
  function sumPrecise(items: Iterable<unknown>): number {
    const partials: number[] = [];
    let special = 0;
    let negative = true;
    for (const item of items) {
      if (typeof item !== "number") throw new TypeError("Math.sumPrecise adds numbers only");
      if (!Object.is(item, -0)) negative = false;
      if (!Number.isFinite(item)) {
        special += item;
        continue;
      }
      let x = item;
      let kept = 0;
      for (let y of partials) {
        if (Math.abs(x) < Math.abs(y)) [x, y] = [y, x];
        const high = x + y;
        const low = y - (high - x);
        if (low !== 0) partials[kept++] = low;
        x = high;
      }
      partials.length = kept;
      partials.push(x);
    }
    if (special !== 0) return special;
    let n = partials.length;
    if (n === 0) return negative ? -0 : 0;
    let high = partials[--n] ?? 0;
    let low = 0;
    while (n > 0) {
      const x = high;
      const y = partials[--n] ?? 0;
      high = x + y;
      low = y - (high - x);
      if (low !== 0) break;
    }
    // Half-way cases go by what is left below.
    const rest = partials[n - 1] ?? 0;
    if (n > 0 && ((low < 0 && rest < 0) || (low > 0 && rest > 0))) {
      const twice = low * 2;
      const next = high + twice;
      if (twice === next - high) high = next;
    }
    return negative ? -0 : high;
  }

  class InternalError extends Error {}
  core.define(InternalError.prototype, "name", "InternalError", false);
  core.define(InternalError.prototype, "message", "", false);
  core.define(globalThis, "InternalError", InternalError, false);
  add(Math, "sumPrecise", sumPrecise);
  // The compiler's library knows the type alone.
  const { Iterator } = globalThis as unknown as { readonly Iterator: { readonly prototype: object } };
  for (const name of Object.keys(methods)) add(Iterator.prototype, name, methods[name]);
  for (const name of Object.keys(statics)) add(Iterator, name, statics[name]);
}
