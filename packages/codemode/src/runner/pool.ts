/**
 * The sandboxes of one runner. A sandbox runs one script at a time, so that nothing a script does to its process
 * reaches another; between scripts it is kept, with fresh isolates in stock. Scripts beyond the limit wait in
 * arrival order, a bounded number of them for a bounded time.
 */
import type { Clock } from "./clock.ts";
import type { SandboxDriver, SandboxExit, SandboxLink, SandboxSpec } from "./driver.ts";
import { FRAME, type Frame } from "./frames.ts";

/** Characters kept of what a sandbox says of its engine. */
const MAX_ENGINE_CHARS = 1_000;

export interface PoolLimits {
  readonly maxProcesses: number;
  readonly maxWaiting: number;
  readonly waitMs: number;
  /** A sandbox without work is ended after this time. */
  readonly idleMs: number;
  /** A sandbox is renewed after this many scripts. */
  readonly maxScripts: number;
  /** A sandbox that has kept more resident memory than this after a script is renewed. */
  readonly maxKeptBytes: number;
  /** A sandbox that does not come up in this time is ended. */
  readonly startMs: number;
}

/** One sandbox in the hands of one script. */
export interface Lease {
  readonly link: SandboxLink;
  /** What the sandbox said of itself when it was ready. */
  readonly engine: string;
  /** The tool table that the sandbox already holds. */
  tools: { readonly names: string; readonly all: string } | undefined;
  /** Where frames and the exit go; set by the script that holds the lease. */
  onFrame: (frame: Frame) => void;
  onExit: (exit: SandboxExit) => void;
  /** The script has its outcome and the sandbox is about to be free: nobody needs a new one for the next script. */
  ending(): void;
  /** Gives the sandbox back. `reusable: false` ends it. */
  release(reusable: boolean): void;
}

export type AcquireOutcome =
  | { readonly ok: true; readonly lease: Lease }
  | {
      readonly ok: false;
      readonly reason: "aborted" | "full" | "waited" | "closed" | "failed";
      readonly message: string;
    };

interface Slot {
  readonly spec: SandboxSpec;
  readonly key: string;
  link: SandboxLink | undefined;
  state: "starting" | "idle" | "busy" | "dead";
  lease: Lease | undefined;
  tools: Lease["tools"];
  engine: string;
  scripts: number;
  /** Milliseconds for which scripts have had it. */
  lentMs: number;
  ending: boolean;
  cancelTimer: (() => void) | undefined;
}

interface Waiter {
  readonly spec: SandboxSpec;
  readonly key: string;
  readonly settle: (outcome: AcquireOutcome) => void;
}

/** Failed starts in a row, after one that came up, until those who wait are told. */
const MAX_FAILURES = 3;
/** Kinds of sandboxes of which it is remembered that they came up. */
const MAX_KINDS = 64;

/** Scripts have had a sandbox for so long in sum: the next ones get another, before the system ends this one in one. */
const MAX_LENT_MS = 900_000;

const CLOSED = "The runner is closed";

const keyOf = (spec: SandboxSpec): string => JSON.stringify(spec);

export class Pool {
  readonly #driver: SandboxDriver;
  readonly #limits: PoolLimits;
  readonly #clock: Clock;
  readonly #slots = new Set<Slot>();
  readonly #waiters: Waiter[] = [];
  readonly #readyListeners = new Set<() => void>();
  /** Starts that failed since the last one of this kind came up; no entry: none ever has. */
  readonly #failures = new Map<string, number>();
  #closed = false;
  #lastFailure = "";

  constructor(driver: SandboxDriver, limits: PoolLimits, clock: Clock) {
    this.#driver = driver;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Waits for a sandbox of this kind. */
  acquire(spec: SandboxSpec, signal?: AbortSignal): Promise<AcquireOutcome> {
    if (this.#closed) return Promise.resolve({ ok: false, reason: "closed", message: CLOSED });
    const key = keyOf(spec);
    const idle = this.#waiters.length === 0 ? this.#find(key, "idle") : undefined;
    if (idle !== undefined) return Promise.resolve({ ok: true, lease: this.#lend(idle) });
    // Those for whom a sandbox can be started, or is about to be free, are not counted.
    const running = [...this.#slots].filter((slot) => slot.state === "busy" && !slot.ending).length;
    const starting = Math.max(0, this.#limits.maxProcesses - running);
    if (this.#waiters.length >= this.#limits.maxWaiting + starting) {
      const message = `${this.#limits.maxWaiting} scripts are waiting already; retry after they have finished`;
      return Promise.resolve({ ok: false, reason: "full", message });
    }
    return new Promise((resolve) => {
      const settle = (outcome: AcquireOutcome): void => {
        cancel();
        signal?.removeEventListener("abort", onAbort);
        const index = this.#waiters.indexOf(waiter);
        if (index !== -1) this.#waiters.splice(index, 1);
        resolve(outcome);
      };
      const onAbort = (): void => settle({ ok: false, reason: "aborted", message: "aborted" });
      const waiter: Waiter = { spec, key, settle };
      const cancel = this.#clock.after(this.#limits.waitMs, () => {
        const message = `No sandbox became free within ${this.#limits.waitMs / 1000} seconds; retry after other scripts have finished`;
        settle({ ok: false, reason: "waited", message });
      });
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiters.push(waiter);
      this.#serve();
    });
  }

  /** Starts one sandbox of this kind, if there is none, and waits until it is ready. */
  async warm(spec: SandboxSpec): Promise<string | undefined> {
    const key = keyOf(spec);
    if (this.#closed) return CLOSED;
    if (![...this.#slots].some((slot) => slot.key === key) && this.#slots.size < this.#limits.maxProcesses) {
      this.#startSlot(spec, key);
    }
    const starting = this.#find(key, "starting");
    if (starting === undefined) return undefined;
    while (starting.state === "starting") {
      await new Promise<void>((resolve) => {
        const listener = (): void => {
          this.#readyListeners.delete(listener);
          resolve();
        };
        this.#readyListeners.add(listener);
      });
    }
    if (starting.state !== "dead") return undefined;
    return this.#closed ? CLOSED : this.#lastFailure;
  }

  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiters.slice()) {
      waiter.settle({ ok: false, reason: "closed", message: CLOSED });
    }
    for (const slot of new Set(this.#slots)) this.#end(slot);
    // Whoever waits for one that was starting.
    this.#tellReady();
  }

  get size(): number {
    return this.#slots.size;
  }

  #find(key: string, state: Slot["state"]): Slot | undefined {
    for (const slot of this.#slots) if (slot.state === state && slot.key === key) return slot;
    return undefined;
  }

  /** Hands idle sandboxes to the scripts that wait and starts more where there is room. */
  #serve(): void {
    for (const waiter of this.#waiters.slice()) {
      const idle = this.#find(waiter.key, "idle");
      if (idle !== undefined) {
        waiter.settle({ ok: true, lease: this.#lend(idle) });
        continue;
      }
      const ahead = this.#waiters.filter((other) => other.key === waiter.key).indexOf(waiter) + 1;
      const coming = [...this.#slots].filter(
        (slot) => slot.key === waiter.key && (slot.state === "starting" || slot.ending),
      ).length;
      if (coming >= ahead) continue;
      if (this.#slots.size >= this.#limits.maxProcesses) {
        // One of another kind that has nothing to do makes room.
        const other = [...this.#slots].find((slot) => slot.state === "idle" && slot.key !== waiter.key);
        if (other === undefined) continue;
        this.#end(other);
      }
      this.#startSlot(waiter.spec, waiter.key);
    }
  }

  #startSlot(spec: SandboxSpec, key: string): void {
    const slot: Slot = {
      spec,
      key,
      link: undefined,
      state: "starting",
      lease: undefined,
      tools: undefined,
      engine: "",
      scripts: 0,
      lentMs: 0,
      ending: false,
      cancelTimer: undefined,
    };
    this.#slots.add(slot);
    slot.cancelTimer = this.#clock.after(this.#limits.startMs, () => {
      slot.link?.kill();
      this.#gone(slot, {
        message: `The sandbox did not start within ${this.#limits.startMs} ms`,
        outOfMemory: false,
      });
    });
    slot.link = this.#driver.start(spec, {
      frame: (frame) => this.#frame(slot, frame),
      exit: (exit) => this.#gone(slot, exit),
    });
    if (this.#stateOf(slot) === "dead") slot.link.kill();
  }

  // The driver may report an exit before `start` returns; read anew, whatever the compiler has concluded.
  #stateOf(slot: Slot): Slot["state"] {
    return slot.state;
  }

  #frame(slot: Slot, frame: Frame): void {
    if (slot.state === "starting" && frame.type === FRAME.ready) {
      if (this.#failures.size >= MAX_KINDS) this.#failures.clear();
      this.#failures.set(slot.key, 0);
      slot.engine = frame.header.slice(0, MAX_ENGINE_CHARS);
      this.#idle(slot);
      this.#tellReady();
      this.#serve();
      return;
    }
    if (slot.lease !== undefined) slot.lease.onFrame(frame);
    // Between scripts there is nothing to say, and nobody would count it.
    else if (slot.state === "idle") this.#end(slot, true);
  }

  #tellReady(): void {
    for (const listener of this.#readyListeners) listener();
  }

  #idle(slot: Slot): void {
    slot.cancelTimer?.();
    slot.state = "idle";
    slot.link?.hold(false);
    slot.cancelTimer = this.#clock.after(this.#limits.idleMs, () => this.#end(slot), true);
  }

  #lend(slot: Slot): Lease {
    slot.cancelTimer?.();
    slot.cancelTimer = undefined;
    slot.state = "busy";
    slot.scripts++;
    const since = this.#clock.now();
    const link = slot.link as SandboxLink;
    link.hold(true);
    let released = false;
    const lease: Lease = {
      link,
      engine: slot.engine,
      tools: slot.tools,
      onFrame: () => undefined,
      onExit: () => undefined,
      ending: () => {
        slot.ending = !released;
      },
      release: (reusable) => {
        if (released) return;
        released = true;
        slot.ending = false;
        slot.tools = lease.tools;
        slot.lease = undefined;
        if (slot.state === "dead") return;
        slot.lentMs += this.#clock.now() - since;
        const worn =
          slot.scripts >= this.#limits.maxScripts ||
          slot.lentMs >= MAX_LENT_MS ||
          (link.memoryBytes() ?? 0) > this.#limits.maxKeptBytes;
        if (!reusable || this.#closed || worn) this.#end(slot, !reusable);
        else this.#idle(slot);
        this.#serve();
      },
    };
    slot.lease = lease;
    return lease;
  }

  #end(slot: Slot, now = false): void {
    if (slot.state === "dead") return;
    const { lease } = slot;
    this.#bury(slot);
    if (now || lease !== undefined) slot.link?.kill();
    else slot.link?.close();
    lease?.onExit({ message: "The runner was closed", outOfMemory: false });
  }

  #gone(slot: Slot, exit: SandboxExit): void {
    if (slot.state === "dead") return;
    const starting = slot.state === "starting";
    const { lease } = slot;
    this.#bury(slot);
    if (starting) {
      this.#lastFailure = exit.message;
      const failures = this.#failures.get(slot.key);
      if (failures !== undefined && failures < MAX_FAILURES) {
        // Others like it have come up: this one met with an accident, and another try follows.
        this.#failures.set(slot.key, failures + 1);
      } else {
        // Nothing says that another try would end better: those who wait for this kind are told.
        for (const waiter of this.#waiters.filter((other) => other.key === slot.key)) {
          waiter.settle({ ok: false, reason: "failed", message: exit.message });
        }
      }
    }
    this.#tellReady();
    lease?.onExit(exit);
    this.#serve();
  }

  #bury(slot: Slot): void {
    slot.cancelTimer?.();
    slot.state = "dead";
    slot.ending = false;
    this.#slots.delete(slot);
  }
}
