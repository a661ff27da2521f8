import { describe, expect, test } from "vitest";
import type { SandboxDriver, SandboxEvents } from "../../src/runner/driver.ts";
import { FRAME } from "../../src/runner/frames.ts";
import { type Lease, Pool } from "../../src/runner/pool.ts";
import { systemClock } from "../../src/node/system-clock.ts";

const spec = {
  memoryMb: 64,
  timeZone: "UTC",
  locale: "en-US",
  jit: true,
  stock: 1,
  maxFrameBytes: 1_000_000,
};

function openPool(
  limits: { readonly maxProcesses?: number; readonly maxWaiting?: number; readonly waitMs?: number } = {},
  clock = systemClock,
) {
  const started: SandboxEvents[] = [];
  const killed: number[] = [];
  const closed: number[] = [];
  let dying = 0;
  const driver: SandboxDriver = {
    start(_spec, events) {
      const index = started.push(events) - 1;
      if (dying > 0) {
        dying--;
        queueMicrotask(() => events.exit({ message: "killed", outOfMemory: false }));
      } else queueMicrotask(() => events.frame({ type: FRAME.ready, run: 0, header: "{}", segments: [] }));
      return {
        send: () => undefined,
        kill: () => void killed.push(index),
        close: () => void closed.push(index),
        memoryBytes: () => undefined,
        hold: () => undefined,
      };
    },
  };
  const pool = new Pool(
    driver,
    {
      maxProcesses: 2,
      maxWaiting: 4,
      waitMs: 5_000,
      idleMs: 60_000,
      maxScripts: 3,
      maxKeptBytes: 1e9,
      startMs: 5_000,
      ...limits,
    },
    clock,
  );
  const lease = async (other: Partial<typeof spec> = {}): Promise<Lease> => {
    const acquired = await pool.acquire({ ...spec, ...other });
    if (!acquired.ok) throw new Error(acquired.reason);
    return acquired.lease;
  };
  /** The next ones die while they start. */
  const die = (count: number): void => void (dying = count);
  return { pool, lease, started, killed, closed, die };
}

describe("the pool", () => {
  test("lends a sandbox to one script at a time and uses it again", async () => {
    const { lease, started } = openPool();
    (await lease()).release(true);
    (await lease()).release(true);
    expect(started).toHaveLength(1);
  });

  test("starts none for a script that follows one which is just ending", async () => {
    const { lease, started } = openPool();
    const first = await lease();
    first.ending();
    const second = lease();
    first.release(true);
    (await second).release(true);
    expect(started).toHaveLength(1);
  });

  test("never runs more than its limit, and serves those who wait in order", async () => {
    const { lease, started } = openPool();
    const [a, b] = [await lease(), await lease()];
    const order: string[] = [];
    const third = lease().then((got) => (order.push("third"), got));
    const fourth = lease().then((got) => (order.push("fourth"), got));
    a.release(true);
    b.release(true);
    await Promise.all([third, fourth]);
    expect(order).toEqual(["third", "fourth"]);
    expect(started).toHaveLength(2);
  });

  test("refuses more than may wait, and those who waited too long", async () => {
    const { pool, lease } = openPool({ maxProcesses: 1, maxWaiting: 1, waitMs: 50 });
    await lease();
    const waiting = pool.acquire(spec);
    expect(await pool.acquire(spec)).toMatchObject({ ok: false, reason: "full" });
    expect(await waiting).toMatchObject({ ok: false, reason: "waited" });
  });

  test("where none may wait, as many run as there are sandboxes, started or not", async () => {
    const { pool, lease } = openPool({ maxProcesses: 2, maxWaiting: 0 });
    const both = await Promise.all([lease(), lease()]);
    expect(await pool.acquire(spec)).toMatchObject({ ok: false, reason: "full" });
    both[0]?.release(true);
    (await lease()).release(true);
  });

  test("renews a sandbox that scripts have had for long, before the system ends it in one of them", async () => {
    let now = 0;
    const { lease, started, closed } = openPool({ maxProcesses: 1 }, { ...systemClock, now: () => now });
    for (const minutes of [14, 2]) {
      const one = await lease();
      now += minutes * 60_000;
      one.release(true);
    }
    expect(closed).toEqual([0]);
    (await lease()).release(true);
    expect(started).toHaveLength(2);
  });

  test("ends a sandbox that is not reusable, or has had its share, and starts another for who waits", async () => {
    const { lease, started, killed, closed } = openPool({ maxProcesses: 1 });
    const first = await lease();
    const second = lease();
    first.release(false);
    (await second).release(true);
    expect([started.length, killed]).toEqual([2, [0]]);
    (await lease()).release(true);
    (await lease()).release(true);
    expect(closed).toEqual([1]);
    (await lease()).release(true);
    expect(started).toHaveLength(3);
  });

  test("makes room for another kind by ending one that has nothing to do", async () => {
    const { lease, started, closed } = openPool({ maxProcesses: 1 });
    (await lease()).release(true);
    await lease({ timeZone: "Asia/Tokyo" });
    expect([started.length, closed]).toEqual([2, [0]]);
  });

  test("tells who waits when a sandbox does not come up", async () => {
    const driver: SandboxDriver = {
      start(_spec, events) {
        queueMicrotask(() => events.exit({ message: "no room", outOfMemory: false }));
        return {
          send: () => undefined,
          kill: () => undefined,
          close: () => undefined,
          memoryBytes: () => undefined,
          hold: () => undefined,
        };
      },
    };
    const limits = {
      maxProcesses: 1,
      maxWaiting: 4,
      waitMs: 5_000,
      idleMs: 1_000,
      maxScripts: 3,
      maxKeptBytes: 1e9,
      startMs: 5_000,
    };
    const pool = new Pool(driver, limits, systemClock);
    expect(await pool.acquire(spec)).toEqual({ ok: false, reason: "failed", message: "no room" });
    expect(await pool.warm(spec)).toBe("no room");
    expect(pool.size).toBe(0);
  });

  test("tries again where one like it has come up before, and tells who waits when that goes on", async () => {
    const { lease, pool, started, die } = openPool({ maxProcesses: 1 });
    (await lease()).release(false);
    die(3);
    (await lease()).release(false);
    expect(started).toHaveLength(5);
    die(5);
    expect(await pool.acquire(spec)).toEqual({ ok: false, reason: "failed", message: "killed" });
    expect(started).toHaveLength(9);
  });

  test("closing ends what waits and what runs", async () => {
    const { pool, lease, killed } = openPool({ maxProcesses: 1 });
    const running = await lease();
    let exit = "";
    running.onExit = ({ message }) => {
      exit = message;
    };
    const waiting = pool.acquire(spec);
    pool.close();
    expect(await waiting).toMatchObject({ ok: false, reason: "closed" });
    expect([killed, exit]).toEqual([[0], "The runner was closed"]);
    expect(await pool.acquire(spec)).toMatchObject({ ok: false, reason: "closed" });
  });
});
