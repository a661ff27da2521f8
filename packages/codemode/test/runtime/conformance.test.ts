import { describe, test } from "vitest";
import { driverConformance } from "../../src/conformance/index.ts";
import { harness } from "./harness.ts";

const { runner } = harness({ graceMs: 300 });

describe("the process driver keeps every promise of a driver", () => {
  // oxlint-disable-next-line vitest/expect-expect -- a case rejects with what was wrong
  test.each(driverConformance(runner))("$title", async ({ run }) => {
    await run();
  });
});
