import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
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
import { resultsInOrder } from "./support/results-in-order.ts";

const host = createHostDriver();
const runInPi = fileURLToPath(new URL("support/run-in-pi.ts", import.meta.url));

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
});

const told = differences.filter(({ difference }) => difference?.pi !== "skip");
const fatal = differences.filter(({ difference }) => difference?.pi === "skip");

it.each(told)("in a Pi session it is so: $id: $difference.why", async (scenario) =>
  expect(await report(piDriver, scenario)).toBe("passed"),
);

it.each(fatal)("in a Pi session it is so: $id: $difference.why", ({ id }) => {
  const ended = spawnSync(process.execPath, ["--conditions=@nestbox/source", runInPi, id], {
    encoding: "utf8",
    timeout: 60_000,
  });
  expect(ended).toMatchObject({ status: 1, signal: null, stdout: "started\n" });
  expect(ended.stderr).toContain("Error: careless");
});

it("tells a host that does not conform from one that does", async () => {
  const order = semantics.find(({ id }) => id === "order");
  if (order === undefined) throw new Error("no such scenario");
  const shallow = createHostDriver({ limits: { maxDepth: 1 } });
  const result = await checkScenario(shallow, order);
  expect(result.kind).toBe("failed");
});

// contract A16
it.each([["C/1"], ["C"]])(
  "takes an entry of the transcript that is too many, %s, for a failure",
  (toolCallId) => {
    const result = { role: "toolResult", isError: false, content: [] };
    const transcript = [{ role: "user" }, { ...result, toolCallId: "C" }, { ...result, toolCallId }];
    const calls = [{ id: "C", name: "top", args: {} }];
    expect(resultsInOrder(calls, transcript.slice(0, 2))).toHaveLength(1);
    expect(() => resultsInOrder(calls, transcript)).toThrow(`Extra results in the transcript: ${toolCallId}`);
  },
);
