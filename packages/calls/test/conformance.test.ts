import { describe, expect, it } from "vitest";
import {
  checkScenario,
  createHostDriver,
  differences,
  semantics,
  type Scenario,
} from "@nestbox/calls/conformance";
import { agentDriver } from "./support/agent-driver.ts";
import { piDriver } from "./support/pi-driver.ts";

const host = createHostDriver();

async function report(driver: typeof host, scenario: Scenario) {
  const result = await checkScenario(driver, scenario);
  return result.kind === "failed" ? result.mismatches : result.kind;
}

// contract A1, A2, A9, A10, A13, A14, A15, A16, A17, A18, A19, A20, B2, B3, B4, B6
describe.each(semantics)("$id: $title", (scenario) => {
  it("in a Pi session", async () => expect(await report(piDriver, scenario)).toBe("passed"));
  it("in a ToolHost", async () => expect(await report(host, scenario)).toBe("passed"));
  it("in a low-level agent with nestedCalls", async () =>
    expect(await report(agentDriver, scenario)).toBe("passed"));
});

describe.each(differences)("better than Pi: $id: $title", (scenario) => {
  it("in a ToolHost", async () => expect(await report(host, scenario)).toBe("passed"));
  it("in a low-level agent with nestedCalls", async () =>
    expect(await report(agentDriver, scenario)).toBe("passed"));
  it(`in a Pi session it is so: ${scenario.difference?.why}`, async () =>
    expect(await report(piDriver, scenario)).toBe(scenario.difference?.pi === "skip" ? "skipped" : "passed"));
});

it("tells a host that does not conform from one that does", async () => {
  const order = semantics.find(({ id }) => id === "order");
  if (order === undefined) throw new Error("no such scenario");
  const shallow = createHostDriver({ limits: { maxDepth: 1 } });
  const result = await checkScenario(shallow, order);
  expect(result.kind).toBe("failed");
});
