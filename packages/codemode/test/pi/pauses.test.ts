import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { createPromptPauses } from "../../src/pi/pauses.ts";

/** The two events, as Pi emits them. */
function fakePi() {
  const handlers = new Map<string, () => void>();
  const on = (event: string, handler: () => void) => {
    handlers.set(event, handler);
    return () => void handlers.delete(event);
  };
  // Only `on` is used, with these two events.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const pi = { on } as unknown as Pick<ExtensionAPI, "on">;
  return {
    pi,
    start: () => handlers.get("ui_prompt_start")?.(),
    end: () => handlers.get("ui_prompt_end")?.(),
  };
}

test("prompts that overlap are one pause", () => {
  const { pi, start, end } = fakePi();
  const pauses = createPromptPauses(pi);
  const told: boolean[] = [];
  const stop = pauses.subscribe((paused) => told.push(paused));
  start();
  start();
  end();
  expect(told).toEqual([true]);
  end();
  expect(told).toEqual([true, false]);
  stop();
  start();
  expect(told).toEqual([true, false]);
});

test("who comes while a person is being asked is told at once; an end without a start is nothing", () => {
  const { pi, start, end } = fakePi();
  const pauses = createPromptPauses(pi);
  end();
  start();
  const told: boolean[] = [];
  pauses.subscribe((paused) => told.push(paused));
  end();
  end();
  expect(told).toEqual([true, false]);
});
