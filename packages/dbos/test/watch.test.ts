import { expect, test } from "vitest";
import type { Row } from "../src/node/database.ts";
import { Watch } from "../src/node/watch.ts";

function rig() {
  const woken: Row[] = [];
  const asked: string[][] = [];
  const timers = new Set<() => void>();
  let fails = false;
  const database = {
    query(_text: string, [ids, keys]: readonly unknown[] = []): Promise<readonly Row[]> {
      if (fails) return Promise.reject(new Error("away"));
      const pairs = (ids as string[]).map((id, index) => `${id} ${(keys as string[])[index]}`);
      asked.push(pairs);
      return Promise.resolve(
        woken.filter((row) => pairs.includes(`${String(row["run_id"])} ${String(row["key"])}`)),
      );
    },
  };
  const clock = {
    now: () => 0,
    after(_ms: number, run: () => void) {
      timers.add(run);
      return () => void timers.delete(run);
    },
  };
  return {
    watch: new Watch(database, clock, 100),
    asked,
    timers,
    woken,
    fail: (whether: boolean) => void (fails = whether),
    tick: async () => {
      for (const run of Array.from(timers)) {
        timers.delete(run);
        run();
      }
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
  };
}

test("one statement asks for all who wait, until nobody does", async () => {
  const { watch, tick, woken, asked, timers } = rig();
  const leaving = new AbortController();
  const first = watch.wait("a", "1", new AbortController().signal);
  const same = watch.wait("a", "1", new AbortController().signal);
  let told = false;
  void watch.wait("b", "2", leaving.signal).then(() => (told = true));
  await tick();
  woken.push({ run_id: "a", key: "1", value: '{"yes":true}' }, { run_id: "c", key: "1", value: "1" });
  await tick();
  expect(await first).toEqual({ yes: true });
  expect(await same).toEqual({ yes: true });
  expect(asked.map((pairs) => pairs.length)).toEqual([3, 3]);
  leaving.abort();
  expect(timers.size).toBe(0);
  watch.tell("b", "2", 1);
  await tick();
  expect(told).toBe(false);
});

test("a look that fails is made again", async () => {
  const { watch, tick, woken, fail } = rig();
  const wait = watch.wait("a", "1", new AbortController().signal);
  fail(true);
  await tick();
  fail(false);
  woken.push({ run_id: "a", key: "1", value: "2" });
  await tick();
  expect(await wait).toBe(2);
});

test("nobody waits with a signal that is aborted already, or after the end", async () => {
  const { watch, timers } = rig();
  void watch.wait("a", "1", AbortSignal.abort());
  expect(timers.size).toBe(0);
  void watch.wait("a", "1", new AbortController().signal);
  expect(timers.size).toBe(1);
  watch.close();
  expect(timers.size).toBe(0);
});
