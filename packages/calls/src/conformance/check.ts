import type { HostEvent, Handlers } from "../events.ts";
import type { ConformanceDriver, Control, RootResult } from "./driver.ts";
import { textIn, type Observation, type Scenario, type ScenarioTools } from "./scenario.ts";

/** What came of one scenario in one host. */
export type ScenarioReport =
  | { readonly kind: "passed"; readonly observed: Required<Observation> }
  | { readonly kind: "skipped"; readonly why: string }
  | {
      readonly kind: "failed";
      readonly mismatches: readonly Mismatch[];
      readonly observed: Required<Observation>;
    };

export interface Mismatch {
  readonly part: keyof Observation;
  readonly expected: unknown;
  readonly observed: unknown;
}

/** Runs one scenario and compares what was observed with what has to be. Rejects only when the driver does. */
export async function checkScenario(driver: ConformanceDriver, scenario: Scenario): Promise<ScenarioReport> {
  const { difference } = scenario;
  if (driver.side === "pi" && difference?.pi === "skip") return { kind: "skipped", why: difference.why };
  const expected =
    driver.side === "pi" && difference !== undefined && difference.pi !== "skip"
      ? difference.pi
      : scenario.expect;
  const observed = await observe(driver, scenario);
  const parts: readonly (keyof Observation)[] = ["events", "results", "notes", "terminated", "declared"];
  const mismatches = parts
    .filter(
      (part) =>
        expected[part] !== undefined && JSON.stringify(expected[part]) !== JSON.stringify(observed[part]),
    )
    .map((part) => ({ part, expected: expected[part], observed: observed[part] }));
  return mismatches.length === 0 ? { kind: "passed", observed } : { kind: "failed", mismatches, observed };
}

/** Runs one scenario and tells what happened, in lines. */
export async function observe(driver: ConformanceDriver, scenario: Scenario): Promise<Required<Observation>> {
  const events: string[] = [];
  const notes: string[] = [];
  let control: Control | undefined;
  const kit: ScenarioTools = {
    note: (line) => notes.push(line),
    control: () => {
      if (control === undefined) throw new Error("The driver has not called onReady");
      return control;
    },
  };
  const own = scenario.handlers?.(kit) ?? {};
  const run = await driver.run({
    tools: scenario.tools(kit),
    handlers: watched(own, events),
    ...(scenario.gate === undefined ? {} : { gate: scenario.gate(kit) }),
    calls: scenario.calls,
    onEvent: (event) => {
      const line = eventLine(event);
      if (line !== undefined) events.push(line);
    },
    onReady: (given) => {
      control = given;
    },
  });
  return {
    events,
    results: run.results.flatMap(resultLines),
    notes,
    terminated: run.terminated,
    declared: run.declared.map(({ name, description }) => `${name}: ${description}`),
  };
}

/** The scenario's handlers behind two that watch: what they see goes between the events. */
function watched(own: Handlers, lines: string[]): Handlers {
  return {
    tool_call: [
      ({ toolCallId, toolName, input }) => {
        lines.push(`call ${toolCallId} ${toolName} ${JSON.stringify(input)}`);
      },
      ...(own.tool_call ?? []),
    ],
    tool_result: [
      ({ toolCallId, toolName, content, isError }) => {
        lines.push(
          `result ${toolCallId} ${toolName} ${isError ? "error" : "ok"} ${JSON.stringify(textIn({ content }))}`,
        );
      },
      ...(own.tool_result ?? []),
    ],
  };
}

function eventLine(event: HostEvent): string | undefined {
  if (event.type === "host_problem") return undefined;
  const parent = event.parentToolCallId === undefined ? "" : ` < ${event.parentToolCallId}`;
  const head = `${event.toolCallId} ${event.toolName}`;
  if (event.type === "tool_execution_start") return `start ${head} ${JSON.stringify(event.args)}${parent}`;
  if (event.type === "tool_execution_update")
    return `update ${head} ${JSON.stringify(textIn(event.partialResult))}${parent}`;
  const ran = event.durationMs === undefined ? " not-run" : "";
  return `end ${head} ${event.isError ? "error" : "ok"} ${JSON.stringify(textIn(event.result))}${ran}${parent}`;
}

function resultLines(result: RootResult): string[] {
  const lines = [`${result.toolCallId} ${result.isError ? "error" : "ok"} ${JSON.stringify(textIn(result))}`];
  for (const call of result.nestedCalls?.calls ?? []) {
    const args =
      call.arguments === undefined ? `[${call.argumentsBytes ?? "?"} bytes]` : JSON.stringify(call.arguments);
    const error = call.error === undefined ? "" : ` ${JSON.stringify(call.error)}`;
    lines.push(`  ${call.id} ${call.name} ${args} ${call.status}${error}`);
  }
  if (result.nestedCalls?.complete === false) lines.push("  incomplete");
  if (result.usage !== undefined) lines.push(`  usage ${result.usage.input} $${result.usage.cost.total}`);
  return lines;
}
