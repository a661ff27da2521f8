import { describe, expect, it } from "vitest";
import { OPTIONS as FLEET } from "../src/fleet/fleet.ts";
import { withUsage } from "../src/options.ts";
import { OPTIONS as SCALE, scaleText } from "../src/scale/scale.ts";

describe.each([
  ["fleet", FLEET],
  ["scale", SCALE],
] as const)("bench %s", (command, options) => {
  it.each(["--help", "-h"])("tells all its options and does nothing: %s", async (flag) => {
    const answer = await withUsage(command, options, [flag], () => 1);
    expect(answer.exitCode).toBe(0);
    for (const name of Object.keys(options)) expect(answer.out).toContain(`--${name}`);
  });
});

it("an option that is not known is named without a stack, and ends with 2", async () => {
  const args = ["--wokers", "2"];
  const run = (): number => (scaleText(args) === undefined ? 2 : 0);
  expect(await withUsage("scale", SCALE, args, run)).toEqual({
    exitCode: 2,
    error: "Unknown option '--wokers'.\nTry: pnpm bench scale --help",
  });
});

it("an error of the measurement stays one", async () => {
  const failed = new Error("The server is gone");
  await expect(withUsage("fleet", FLEET, [], () => Promise.reject(failed))).rejects.toBe(failed);
});
