import { expect, it } from "vitest";
import { measureOverhead } from "./support/overhead.ts";

it(
  "makes a nested call with less overhead than Pi's own executeTool, in one run",
  { timeout: 120_000 },
  async () => {
    const { hostToPi, agentToPi } = await measureOverhead({ calls: 200, rounds: 31 });
    expect(hostToPi).toBeLessThan(1);
    expect(agentToPi).toBeLessThan(1);
  },
);
