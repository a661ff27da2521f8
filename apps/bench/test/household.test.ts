import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { spreadOf } from "../src/fleet/figures.ts";
import { Household, pause } from "../src/fleet/household.ts";
import { usageOf } from "../src/fleet/usage.ts";

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

it("what a measurement has started is gone when it closes: processes, what they have started, and folders", async () => {
  const household = new Household();
  const folder = household.folder("test");
  const sleep = "setInterval(() => undefined, 1000)";
  const parent = `
    const child = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(sleep)}], { stdio: "ignore" });
    process.on("SIGTERM", () => undefined);
    console.log(child.pid);
    ${sleep}`;
  const child = household.spawn(process.execPath, ["-e", parent], { stdio: ["ignore", "pipe", "inherit"] });
  const grandchild = await new Promise<number>((resolve) => {
    child.stdout?.once("data", (chunk: Buffer) => resolve(Number(chunk.toString("utf8"))));
  });
  try {
    expect(isThere(child.pid ?? 0) && isThere(grandchild)).toBe(true);
    const { processes, residentMb, privateMb } = usageOf(child.pid ?? 0);
    expect(processes).toBe(2);
    expect(residentMb).toBeGreaterThan(5);
    expect(privateMb).toBeLessThanOrEqual(residentMb);
  } finally {
    await household.close();
  }
  // One that ignores the wish to end is ended, and so is what it has started.
  for (let wait = 0; wait < 100 && (isThere(child.pid ?? 0) || isThere(grandchild)); wait++) await pause(50);
  expect(child.signalCode).toBe("SIGKILL");
  expect(isThere(grandchild)).toBe(false);
  expect(existsSync(folder)).toBe(false);
});

it("a usage counts processor time, of children that have ended too", () => {
  const before = usageOf(process.pid).cpuMs;
  const start = process.cpuUsage();
  while (process.cpuUsage(start).user < 200_000);
  expect(usageOf(process.pid).cpuMs).toBeGreaterThan(before);
});

it("a spread is the median, the ninetieth percentile and the most of what was measured", () => {
  expect(spreadOf([5, 1, 4, 2, 3, 10, 9, 8, 7, 6])).toEqual({ median: 5, p90: 9, max: 10, count: 10 });
});
