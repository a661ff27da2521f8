import { pause, scenarioTool as tool, textIn, textResult, type Scenario } from "./scenario.ts";

const leaf = tool("leaf", () => "leaf");
const call = (name: string, args = {}, id = "C") => ({ id, name, args });

/** How calls take turns, and when the follow-up ends. */
export const batches: readonly Scenario[] = [
  {
    id: "terminate",
    title: "the follow-up ends when every call of the batch asks for it",
    contract: ["A13"],
    tools: () => [tool("stop", () => textResult("stop", { terminate: true })), leaf],
    calls: [call("stop"), call("stop", {}, "D")],
    expect: { terminated: true },
  },
  {
    id: "terminate-one",
    title: "one call of a batch cannot end the follow-up alone",
    contract: ["A13"],
    tools: () => [tool("stop", () => textResult("stop", { terminate: true })), leaf],
    calls: [call("stop"), call("leaf", {}, "D")],
    expect: { terminated: false },
  },
  {
    id: "terminate-blocked",
    title: "a block may ask to end the follow-up",
    contract: ["A13"],
    tools: () => [leaf],
    handlers: () => ({ tool_call: [() => ({ block: true, reason: "enough", terminate: true })] }),
    calls: [call("leaf")],
    expect: { terminated: true, results: ['C error "enough"'] },
  },
  {
    id: "sequential-batch",
    title: "one sequential tool makes the whole batch sequential; otherwise calls overlap",
    contract: ["B6"],
    tools: ({ note }) => {
      const timed = (name: string, more = {}) =>
        tool(
          name,
          async (_params, _ctx, { toolCallId }) => {
            note(`in ${toolCallId}`);
            await pause(10);
            note(`out ${toolCallId}`);
            return name;
          },
          more,
        );
      return [timed("par"), timed("seq", { executionMode: "sequential" })];
    },
    calls: [call("par", {}, "A"), call("seq", {}, "B"), call("par", {}, "C")],
    expect: { notes: ["in A", "out A", "in B", "out B", "in C", "out C"] },
  },
  {
    id: "batch-order",
    title: "a parallel batch is prepared call by call and then runs together",
    contract: ["A16", "B6"],
    tools: () => [
      tool("slow", async () => {
        await pause(30);
        return "slow";
      }),
      tool("blocked", () => "never"),
      tool("quick", () => "quick"),
    ],
    handlers: () => ({
      tool_call: [({ toolName }) => (toolName === "blocked" ? { block: true, reason: "no" } : undefined)],
    }),
    calls: [
      call("slow", {}, "A"),
      call("blocked", {}, "B"),
      call("unknown", {}, "C"),
      call("quick", {}, "D"),
    ],
    expect: {
      events: [
        "start A slow {}",
        "call A slow {}",
        "start B blocked {}",
        "call B blocked {}",
        'end B blocked error "no" not-run',
        "start C unknown {}",
        'end C unknown error "Tool unknown not found" not-run',
        "start D quick {}",
        "call D quick {}",
        'result D quick ok "quick"',
        'end D quick ok "quick"',
        'result A slow ok "slow"',
        'end A slow ok "slow"',
      ],
      results: ['A ok "slow"', 'B error "no"', 'C error "Tool unknown not found"', 'D ok "quick"'],
    },
  },
  {
    id: "sequential-nested",
    title: "nested sequential calls exclude each other and run in the order in which they were made",
    contract: ["A14"],
    tools: ({ note }) => [
      tool("top", async (_params, ctx) => {
        await Promise.all(["one", "two", "three"].map((word) => ctx.executeTool("seq", { word })));
        return "done";
      }),
      tool(
        "seq",
        async (params) => {
          note(`in ${JSON.stringify(params["word"])}`);
          await pause(5);
          note(`out ${JSON.stringify(params["word"])}`);
          return "seq";
        },
        { executionMode: "sequential" },
      ),
    ],
    calls: [call("top")],
    expect: { notes: ['in "one"', 'out "one"', 'in "two"', 'out "two"', 'in "three"', 'out "three"'] },
  },
  {
    id: "sequential-below-itself",
    title: "a sequential tool that calls a sequential tool does not wait for itself",
    contract: ["A14"],
    tools: () => [
      tool("top", async (_params, ctx) => textIn(await ctx.executeTool("outer", {}))),
      tool("outer", async (_params, ctx) => textIn(await ctx.executeTool("inner", {})), {
        executionMode: "sequential",
      }),
      tool("inner", () => "inner", { executionMode: "sequential" }),
    ],
    calls: [call("top")],
    expect: { results: ['C ok "inner"', "  C/1 outer {} ok", "  C/1/1 inner {} ok"] },
  },
];
