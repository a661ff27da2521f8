import { expect, it } from "vitest";
import {
  createHostDriver,
  observe,
  scenarioTool,
  type Scenario,
  type ScenarioContext,
} from "@nestbox/calls/conformance";
import type { JsonObject } from "@nestbox/tool";
import { agentDriver } from "./support/agent-driver.ts";
import { piDriver } from "./support/pi-driver.ts";
import { text, usage } from "./support/tools.ts";

/** A small generator of numbers below `max`, the same for the same seed. */
function numbers(seed: number): (max: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (max) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
}

const kinds = [
  "node",
  "seq",
  "fails",
  "data",
  "unknown",
  "strict",
  "blocked",
  "hidden",
  "inactive",
  "spends",
] as const;

interface Plan {
  readonly name: string;
  readonly args: JsonObject;
}

function plan(next: (max: number) => number, depth: number): Plan {
  const name =
    depth >= 4 ? (kinds[2 + next(kinds.length - 2)] ?? "fails") : (kinds[next(kinds.length)] ?? "node");
  if (name === "node" || name === "seq") {
    const calls = Array.from({ length: next(4) }, () => plan(next, depth + 1));
    return { name, args: { calls: calls as never } };
  }
  const values = [1, "2", "many", null, true, { a: [1, { b: "x" }] }];
  return { name, args: { n: values[next(values.length)] ?? 0 } };
}

async function follow(params: JsonObject, ctx: ScenarioContext): Promise<string> {
  const told: string[] = [];
  for (const { name, args } of (params["calls"] ?? []) as unknown as readonly Plan[]) {
    const { toolCall, isError, result } = await ctx.executeTool(name, args);
    told.push(`${toolCall.id} ${isError} ${JSON.stringify(result.structuredContent)}`);
  }
  return told.join("; ");
}

function scenario(seed: number): Scenario {
  const next = numbers(seed);
  return {
    id: `random-${seed}`,
    title: "a random tree of calls",
    contract: ["A15", "A16", "A17", "A18", "A19"],
    tools: () => [
      scenarioTool("node", async (params, ctx, { onUpdate }) => {
        onUpdate(text("begun"));
        // An agent tells of a root's update in a later microtask; only what has an order is compared.
        await new Promise((resolve) => setTimeout(resolve, 1));
        return follow(params, ctx);
      }),
      scenarioTool("seq", (params, ctx) => follow(params, ctx), {
        executionMode: "sequential",
        exposure: "codemode",
      }),
      scenarioTool("fails", (params) => {
        throw new Error(`failed with ${JSON.stringify(params["n"])}`);
      }),
      scenarioTool("data", (params) =>
        text("data", { structuredContent: { n: params["n"] ?? null }, isError: params["n"] === true }),
      ),
      scenarioTool("strict", (params) => JSON.stringify(params), {
        exposure: "deferred",
        parameters: { type: "object", properties: { n: { type: "number" } }, additionalProperties: false },
      }),
      scenarioTool("blocked", () => "never"),
      scenarioTool("hidden", () => "never", { exposure: "hidden" }),
      scenarioTool("inactive", () => "never", { defaultActive: false }),
      scenarioTool("spends", () => text("spent", { usage: usage(3) })),
    ],
    handlers: () => ({
      tool_call: [({ toolName }) => (toolName === "blocked" ? { block: true, reason: "no" } : undefined)],
      tool_result: [
        ({ toolName, content }) =>
          toolName === "data" ? { content: [...content, { type: "text", text: "seen" }] } : undefined,
      ],
    }),
    calls: [
      {
        id: "C",
        name: "node",
        args: { calls: [plan(next, 1), plan(next, 1), plan(next, 1), plan(next, 1)] as never },
      },
    ],
    expect: {},
  };
}

it.each(Array.from({ length: 24 }, (_, seed) => seed))(
  "a random tree of calls (seed %i) is the same in a session, a ToolHost and an agent",
  async (seed) => {
    const session = await observe(piDriver, scenario(seed));
    expect(await observe(createHostDriver(), scenario(seed))).toEqual(session);
    expect(await observe(agentDriver, scenario(seed))).toEqual(session);
  },
);
