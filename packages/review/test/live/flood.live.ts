import { existsSync } from "node:fs";

import { expect, test } from "vitest";

import { floodMemoryBytes, runFlood } from "../support/flood.ts";

// contract A12
test("a script that prints more than two gibibytes fills no more than its file may hold, says so, and memory stays flat", async () => {
  const { step, text, growthBytes, fileBytes, outputFolder } = await runFlood(2_100);
  expect(step).toMatchObject({
    ok: false,
    status: "failed",
    exitCode: 1,
    truncated: true,
    fullOutputIncomplete: true,
  });
  expect(step?.fullOutputPath).toContain(outputFolder);
  expect(fileBytes).toBe(2 * 1024 ** 3);
  // The end of the output is beyond the end of the file, and still there.
  expect(step?.problems).toMatchObject([{ path: "src/a.js", line: 3, message: "the last line" }]);
  expect(step?.output.length).toBeLessThan(70_000);
  expect(step?.output).toContain("as much as was kept");
  expect(text).toContain(`As much of the output as was kept: ${step?.fullOutputPath}`);
  expect(text).not.toContain("omplete output");
  expect(text.length).toBeLessThan(50 * 1024);
  expect(growthBytes).toBeLessThan(floodMemoryBytes);
  expect(existsSync(outputFolder)).toBe(false);
});
