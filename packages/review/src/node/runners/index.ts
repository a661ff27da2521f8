import { bun, jest, mocha, nodeTest, playwright, tapOutput, vitest } from "./javascript.ts";
import { cargoTest, goTest, pytest } from "./native.ts";
import type { Runner, RunnerName } from "./runner.ts";

/** The runners whose reports are understood, by name. */
export const runners: ReadonlyMap<RunnerName, Runner> = new Map(
  [vitest, jest, mocha, playwright, bun, nodeTest, tapOutput, pytest, goTest, cargoTest].map((runner) => [
    runner.name,
    runner,
  ]),
);
