import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { OPTIONS as FLEET } from "../src/fleet/fleet.ts";
import { readCount, withUsage } from "../src/options.ts";
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

const bench = (...words: readonly string[]) =>
  spawnSync(
    process.execPath,
    ["--conditions=@nestbox/source", fileURLToPath(new URL("../src/main.ts", import.meta.url)), ...words],
    { encoding: "utf8", timeout: 60_000 },
  );

it.each([["--help"], ["-h"], ["codemode", "--help"], ["soak", "--help"], ["policy", "calls", "-h"]])(
  "help tells all that there is, and measures nothing: %s %s %s",
  (...words) => {
    const { status, stdout, stderr } = bench(...words.filter((word) => typeof word === "string"));
    expect([status, stderr]).toEqual([0, ""]);
    for (const name of ["policy", "calls", "codemode", "soak", "fleet", "scale"])
      expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, "m"));
    expect(stdout.split("\n").length).toBeLessThan(15);
  },
);

it("what is not understood ends with 2 and says where help is, before anything is measured", () => {
  expect(bench("codmode")).toMatchObject({
    status: 2,
    stdout: "",
    stderr: "No benchmark codmode.\nTry: pnpm bench --help\n",
  });
  for (const words of [["many"], ["0"], ["-3"], ["10", "20"]])
    expect(bench("soak", ...words)).toMatchObject({
      status: 2,
      stdout: "",
      stderr: "pnpm bench soak takes one number: how many scripts.\n",
    });
  expect([readCount(undefined, 7), readCount("12", 7), readCount("1e3", 7)]).toEqual([7, 12, undefined]);
});
