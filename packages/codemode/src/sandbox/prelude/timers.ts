import type { Core } from "./core.ts";
import type { Environment } from "./environment.ts";
import type { Primordials } from "./primordials.ts";

/**
 * `setTimeout`, `setInterval` and their ends. The isolate only keeps the list; the host waits and sends a tick, so
 * that time passes at one place and every turn of the script is one that the host has begun.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeTimers(P: Primordials, core: Core, environment: Environment, limits: { max: number }) {
  "use strict";
  interface Timer {
    readonly id: number;
    readonly callback: (...args: unknown[]) => unknown;
    readonly args: unknown[];
    readonly every: number;
    due: number;
    order: number;
    position: number;
  }
  const MAX_DELAY = 2147483647;
  const timers = new P.Map<number, Timer>() as unknown as Map<unknown, unknown>;
  const heap = P.list<Timer | undefined>();
  let size = 0;
  let nextId = 1;
  let nextOrder = 1;

  const before = (a: Timer, b: Timer): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

  function place(timer: Timer, position: number): void {
    heap[position] = timer;
    timer.position = position;
  }

  function up(timer: Timer): void {
    let at = timer.position;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const other = heap[parent] as Timer;
      if (!before(timer, other)) break;
      place(other, at);
      at = parent;
    }
    place(timer, at);
  }

  function down(timer: Timer): void {
    let at = timer.position;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= size) break;
      if (child + 1 < size && before(heap[child + 1] as Timer, heap[child] as Timer)) child++;
      const other = heap[child] as Timer;
      if (!before(other, timer)) break;
      place(other, at);
      at = child;
    }
    place(timer, at);
  }

  function add(timer: Timer): void {
    timer.order = nextOrder++;
    place(timer, size++);
    up(timer);
  }

  function remove(timer: Timer): void {
    const at = timer.position;
    const last = heap[--size] as Timer;
    heap[size] = undefined;
    timer.position = -1;
    if (last === timer) return;
    place(last, at);
    up(last);
    down(last);
  }

  function set(name: string, callback: unknown, delay: unknown, args: unknown[], repeat: boolean): number {
    if (typeof callback !== "function") {
      throw new P.TypeError(
        name + "() expects a function as its first argument; code in a string is not run",
      );
    }
    if ((P.mapSize?.(timers) as number) >= limits.max) {
      throw new P.RangeError("the script has set more than the limit of " + limits.max + " timers at once");
    }
    let ms = P.Number(delay);
    if (!(ms >= 1)) ms = 1;
    if (ms > MAX_DELAY) ms = MAX_DELAY;
    const id = nextId++;
    const timer: Timer = {
      id,
      callback: callback as Timer["callback"],
      args,
      every: repeat ? ms : 0,
      due: environment.clock() + ms,
      order: 0,
      position: -1,
    };
    P.mapSet(timers, id, timer);
    add(timer);
    return id;
  }

  function clear(id: unknown): void {
    // As on the web, the digits of a number are that number; what is neither names no timer.
    const number = typeof id === "string" ? P.Number(id) : id;
    const timer = P.mapGet(timers, typeof number === "number" ? number : -1) as Timer | undefined;
    if (timer === undefined) return;
    P.mapDelete(timers, timer.id);
    if (timer.position >= 0) remove(timer);
  }

  const install = (name: string, fn: unknown): void => core.define(globalThis, name, fn, true);
  install("setTimeout", (callback: unknown, delay?: unknown, ...args: unknown[]) =>
    set("setTimeout", callback, delay, args, false),
  );
  install("setInterval", (callback: unknown, delay?: unknown, ...args: unknown[]) =>
    set("setInterval", callback, delay, args, true),
  );
  install("setImmediate", (callback: unknown, ...args: unknown[]) =>
    set("setImmediate", callback, 0, args, false),
  );
  install("clearTimeout", clear);
  install("clearInterval", clear);
  install("clearImmediate", clear);
  install("queueMicrotask", (callback: unknown) => {
    if (typeof callback !== "function") throw new P.TypeError("queueMicrotask() expects a function");
    void P.then(
      settled,
      (() => guarded(callback as Timer["callback"], P.list())) as never,
      undefined as never,
    );
  });
  const settled = new P.Promise<void>((resolve) => resolve());
  P.defineProperty(settled, "constructor", core.descriptor(undefined, false, true));

  function guarded(callback: Timer["callback"], args: unknown[]): void {
    try {
      P.apply(callback, undefined, args);
    } catch (error) {
      if (!core.isExit(error)) core.warn("unhandled-rejection", "A callback threw: " + core.format(error));
    }
  }

  return {
    /** Runs the first timer if it is due; says whether another one is. */
    fire(): boolean {
      if (size === 0 || core.isFinished()) return false;
      const timer = heap[0] as Timer;
      if (!environment.isVirtual() && timer.due > environment.clock() + 0.5) return false;
      remove(timer);
      if (timer.every > 0) {
        timer.due = environment.clock() + timer.every;
        add(timer);
      } else P.mapDelete(timers, timer.id);
      guarded(timer.callback, timer.args);
      return size > 0 && !environment.isVirtual() && (heap[0] as Timer).due <= environment.clock();
    },
    /** Milliseconds until the next timer is due, -1 without one. */
    wake: (): number => {
      if (size === 0) return -1;
      return P.mathMax(0, (heap[0] as Timer).due - environment.clock());
    },
  };
}
