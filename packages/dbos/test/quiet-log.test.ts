import { expect, test } from "vitest";
import { quietLog } from "../src/node/quiet-log.ts";

function rig() {
  let now = 0;
  const said: string[] = [];
  const log = quietLog((level, message) => said.push(`${level} ${message}`), { now: () => now });
  return { log, said, pass: (ms: number) => (now += ms) };
}

test("what comes again and again is said once a minute, with how often it came", () => {
  const { log, said, pass } = rig();
  for (let attempt = 0; attempt < 700; attempt++) {
    log("warn", `Retrying in ${attempt / 7}s (attempt ${attempt})`);
    pass(100);
  }
  expect(said).toEqual([
    "warn Retrying in 0s (attempt 0)",
    "warn Retrying in 85.71428571428571s (attempt 600) (and 599 times more since it was last said)",
  ]);
});

test("another text, another level and what is no warning are said each time", () => {
  const { log, said } = rig();
  for (const level of ["warn", "error", "info", "info"]) log(level, "a");
  log("warn", "b");
  expect(said).toEqual(["warn a", "error a", "info a", "info a", "warn b"]);
});

test("it keeps no more than a hundred texts in mind", () => {
  const { log, said } = rig();
  const letters = (n: number): string => String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26));
  for (let n = 0; n < 101; n++) log("warn", letters(n));
  log("warn", letters(100));
  expect(said.length).toBe(101);
  log("warn", letters(0));
  expect(said.length).toBe(102);
});
