import type { JsonValue } from "@nestbox/tool";
import { expect, test } from "vitest";
import { Watch } from "../src/watch.ts";

const never = new AbortController().signal;

function rig() {
  const pauses: number[] = [];
  const woken: Record<string, JsonValue> = {};
  let looks = 0;
  let armed: (() => void) | undefined;
  const clock = {
    now: () => 0,
    after(ms: number, run: () => void) {
      pauses.push(ms);
      armed = run;
      return () => {
        armed = undefined;
      };
    },
  };
  const look = (): Promise<Readonly<Record<string, JsonValue>>> => {
    looks++;
    return Promise.resolve(woken);
  };
  return {
    watch: new Watch(look, clock, 100),
    pauses,
    woken,
    looks: () => looks,
    isArmed: () => armed !== undefined,
    tick: async () => {
      armed?.();
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
  };
}

test("who waits long is looked for ever less often, and who begins to wait, soon", async () => {
  const { watch, pauses, tick } = rig();
  void watch.wait("cancel", never);
  for (let look = 0; look < 6; look++) await tick();
  expect(pauses).toEqual([100, 200, 400, 800, 1_000, 1_000, 1_000]);
  void watch.wait("1", never);
  expect(pauses.at(-1)).toBe(100);
  await tick();
  expect(pauses.at(-1)).toBe(200);
});

test("what was woken is told, and nobody looks when nobody waits", async () => {
  const { watch, woken, tick, looks, isArmed } = rig();
  const leaving = new AbortController();
  const first = watch.wait("1", never);
  void watch.wait("2", leaving.signal);
  await tick();
  woken["1"] = { kind: "approved" };
  await tick();
  expect(await first).toEqual({ kind: "approved" });
  expect(isArmed()).toBe(true);
  leaving.abort();
  expect(isArmed()).toBe(false);
  expect(looks()).toBe(2);
});
