import { createModels } from "@earendil-works/pi-ai";
import { fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import type { NestedAgentEvent } from "@nestbox/calls/agent";
import { createRunner } from "@nestbox/codemode/node";
import type { JsonObject } from "@nestbox/tool";
import { afterAll, describe, expect, it } from "vitest";
import { createWarehouseAgent } from "../src/warehouse-agent.ts";

const runner = createRunner();
afterAll(() => runner.close());

/** An agent whose model makes these calls, one a turn, `call-1`, `call-2`… */
function scripted(toolCalls: readonly (readonly [name: string, args: JsonObject])[]) {
  const faux = fauxProvider();
  faux.setResponses([
    ...toolCalls.map(([name, args], index) =>
      fauxAssistantMessage(fauxToolCall(name, args, { id: `call-${index + 1}` }), { stopReason: "toolUse" }),
    ),
    fauxAssistantMessage("Done."),
  ]);
  const models = createModels();
  models.setProvider(faux.provider);
  const stock = new Map([
    ["lamp", { pieces: 3, cents: 1990 }],
    ["chair", { pieces: 40, cents: 4900 }],
  ]);
  const warehouse = { stock, orders: [] as string[] };
  const { agent, calls } = createWarehouseAgent({
    model: faux.getModel(),
    streamFn: models.streamSimple.bind(models),
    runner,
    warehouse,
  });
  const events: NestedAgentEvent[] = [];
  calls.subscribe((event) => void events.push(event));
  const resultOf = (id: string) => {
    const found = agent.state.messages.find(
      (message) => message.role === "toolResult" && message.toolCallId === id,
    );
    if (found?.role !== "toolResult") throw new Error(`No result of ${id}`);
    const text = found.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    return { ...found, text };
  };
  return { agent, calls, warehouse, events, resultOf, [Symbol.asyncDispose]: () => calls.dispose() };
}

describe("the low-level agent with nested calls", () => {
  // contract A1, A2
  it("declares the script tool alone, though six tools are registered", async () => {
    await using setup = scripted([]);
    expect(setup.agent.state.tools.map(({ name }) => name)).toEqual(["script"]);
    expect(setup.calls.host.registered().map(({ name }) => name)).toHaveLength(6);
    expect(setup.calls.host.callable().map(({ name }) => name)).toEqual([
      "count_pieces",
      "price_of",
      "order",
      "restock",
    ]);
  });

  // contract A9, A15, A16, A17, C3
  it("runs a script of the model's, with ids, events and a record for each of its calls", async () => {
    const code = `
      const [found] = await searchTools("price in cents");
      const things = await Promise.all(["lamp", "chair"].map(async (thing) => {
        const [{ pieces }, { cents }] = await Promise.all([tools.count_pieces({ thing }), tools[found.name]({ thing })]);
        return { thing, pieces, cents };
      }));
      const [least] = things.toSorted((a, b) => a.pieces - b.pieces);
      text(await tools.order({ thing: least.thing, pieces: 5 }));
      return things.reduce((sum, { pieces, cents }) => sum + pieces * cents, 0);`;
    await using setup = scripted([["script", { code }]]);
    await setup.agent.prompt("Order five of what we have least of. What is everything worth?");
    const result = setup.resultOf("call-1");
    expect(result.text).toContain("Ordered 5 lamp");
    expect(result.text).toContain("201970");
    expect(setup.warehouse.orders).toEqual(["5 lamp"]);
    expect(result.nestedCalls?.complete).toBe(true);
    expect(result.nestedCalls?.calls.map(({ id, name, status }) => [id, name, status])).toEqual([
      ["call-1/1", "count_pieces", "ok"],
      ["call-1/2", "price_of", "ok"],
      ["call-1/3", "count_pieces", "ok"],
      ["call-1/4", "price_of", "ok"],
      ["call-1/5", "order", "ok"],
    ]);
    const started = setup.events.flatMap((event) =>
      event.type === "tool_execution_start" && "parentToolCallId" in event ? [event.parentToolCallId] : [],
    );
    expect(started.filter((parent) => parent === "call-1")).toHaveLength(5);
    // Nested calls are no messages of the transcript.
    expect(setup.agent.state.messages.filter(({ role }) => role === "toolResult")).toHaveLength(1);
  });

  // contract A19, B5
  it("blocks the same order, whether the model or a script makes it, and the script reads why", async () => {
    const code = `
      const { isError, result } = await ctx.executeTool("order", { thing: "lamp", pieces: 500 });
      return [isError, result.content[0].text];`;
    await using setup = scripted([["script", { code }]]);
    await setup.agent.prompt("Order 500 lamps");
    expect(setup.resultOf("call-1").text).toContain('[true,"More than 10 pieces are ordered by a person.');
    const direct = await setup.calls.host.call("script", {
      code: `await tools.order({ thing: "lamp", pieces: 500 })`,
    });
    expect(direct.isError).toBe(true);
    expect(setup.warehouse.orders).toEqual([]);
  });

  // contract A1
  it("keeps a hidden tool from scripts and from the model", async () => {
    const code = `
      const found = await searchTools("password");
      const { isError, result } = await ctx.executeTool("supplier_password", {});
      return { listed: ALL_TOOLS.map(({ name }) => name), found: found.length, isError, text: result.content[0].text };`;
    await using setup = scripted([
      ["script", { code }],
      ["supplier_password", {}],
    ]);
    await setup.agent.prompt("What is the password?");
    const [, value = ""] = /\nOutput:\n\n(.*)$/s.exec(setup.resultOf("call-1").text) ?? [];
    expect(JSON.parse(value)).toEqual({
      listed: ["count_pieces", "price_of", "order", "restock"],
      found: 0,
      isError: true,
      text: "Tool supplier_password not found",
    });
    expect(setup.resultOf("call-2")).toMatchObject({
      isError: true,
      text: "Tool supplier_password not found",
    });
    expect(JSON.stringify(setup.agent.state.messages)).not.toContain("swordfish");
  });

  it("gives the agent its tools and hooks back", async () => {
    const { agent, calls } = scripted([]);
    await calls.dispose();
    expect(agent.state.tools).toEqual([]);
  });
});
