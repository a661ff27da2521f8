import { createRunner } from "@nestbox/codemode/node";
import { afterAll, describe, expect, it } from "vitest";
import { inAgent, inSession } from "./sides.ts";

const runner = createRunner();
afterAll(() => runner.close());

const everything = `
  const told = [];
  const tell = ({ toolCall, isError, result }) =>
    told.push([toolCall.id.split("/").slice(1).join("/"), isError, result.structuredContent ?? result.content[0].text]);
  const [found] = await searchTools("price in cents");
  const { cents } = await tools[found.name]({ thing: "lamp" });
  tell(await ctx.executeTool("restock", { thing: "lamp", pieces: 8 }));
  tell(await ctx.executeTool("restock", { thing: "lamp", pieces: 500 }));
  tell(await ctx.executeTool("order", { thing: "chair", pieces: 11 }));
  tell(await ctx.executeTool("supplier_password", {}));
  tell(await ctx.executeTool("count_pieces", { thing: "sofa" }));
  tell(await ctx.executeTool("count_pieces", { wrong: true }));
  text(ALL_TOOLS.map(({ name }) => name).join(" "));
  console.log(found.name, cents);
  return told;`;

const refused = "More than 10 pieces are ordered by a person. Order fewer, or ask for it.";

describe("one script in the low-level agent and in a session of the coding agent", () => {
  // contract A1, A15, A16, A17, A19, B5, C3
  it("has the same outcomes, ids, events and record: two deep, a blocked call, a hidden tool", async () => {
    const agent = await inAgent(runner, everything);
    const session = await inSession(runner, everything);
    expect(agent).toEqual(session);

    expect(session.isError).toBe(false);
    expect(session.orders).toEqual(["5 lamp"]);
    expect(session.results).toEqual(["call-1", "call-2 error Tool supplier_password not found"]);
    expect(session.complete).toBe(true);
    expect(session.record.map((line) => line.split("\n")[0])).toEqual([
      'call-1/1 price_of {"thing":"lamp"} ok',
      'call-1/2 restock {"thing":"lamp","pieces":8} ok',
      'call-1/2/1 count_pieces {"thing":"lamp"} ok',
      'call-1/2/2 order {"thing":"lamp","pieces":5} ok',
      `call-1/3 restock {"thing":"lamp","pieces":500} error ${refused}`,
      'call-1/3/1 count_pieces {"thing":"lamp"} ok',
      `call-1/3/2 order {"thing":"lamp","pieces":497} error ${refused}`,
      `call-1/4 order {"thing":"chair","pieces":11} error ${refused}`,
      // The hidden tool was no call: the runner knows what a script can call.
      'call-1/5 count_pieces {"thing":"sofa"} error There is no sofa. There are: lamp, chair',
      'call-1/6 count_pieces {"wrong":true} error Validation failed for tool "count_pieces":',
    ]);
    expect(session.text).toContain("count_pieces price_of order restock");
    expect(session.text).toContain("price_of 1990");
    expect(session.text).toContain("Tool supplier_password not found");
    expect(JSON.stringify(session)).not.toContain("swordfish");
  });

  // contract A10, A19
  it("fails in the same words when the script does not catch what was refused", async () => {
    const code = `text("before"); await tools.restock({ thing: "chair", pieces: 90 }); text("after");`;
    const agent = await inAgent(runner, code);
    const session = await inSession(runner, code);
    // One word more: a session does not tell what kind of error a tool threw, nested calls of a host's own do.
    expect(agent.text).toContain(`ToolError: ${refused}`);
    expect({ ...agent, text: agent.text.replace("ToolError: ", "Error: ") }).toEqual(session);
    expect(session.isError).toBe(true);
    expect(session.text).toContain(refused);
    expect(session.text).toContain("before");
    expect(session.text).not.toContain("after");
    expect(session.orders).toEqual([]);
  });
});
