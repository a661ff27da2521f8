import { scenarioTool as tool, spent, textIn, textResult, type Scenario } from "./scenario.ts";

const leaf = tool("leaf", () => "leaf");
const call = (name: string, args = {}, id = "C") => ({ id, name, args });

/** What is on record of nested calls, and what they cost. */
export const records: readonly Scenario[] = [
  {
    id: "record-raw",
    title: "the record keeps the arguments as they were given, before coercion and handlers",
    contract: ["A17", "B2"],
    tools: () => [
      tool("top", async (_params, ctx) => textIn(await ctx.executeTool("count", { n: "42", drop: null }))),
      tool("count", (params) => JSON.stringify(params), {
        parameters: { type: "object", properties: { n: { type: "number" }, drop: { type: "string" } } },
      }),
    ],
    handlers: () => ({
      tool_call: [
        ({ toolName, input }) => {
          if (toolName === "count") input["n"] = 43;
        },
      ],
    }),
    calls: [call("top")],
    expect: { results: ['C ok "{\\"n\\":43}"', '  C/1 count {"n":"42","drop":null} ok'] },
  },
  {
    id: "record-bytes",
    title: "8192 bytes of arguments are kept, 8193 are not, and no more than 32 KiB in all",
    contract: ["A17"],
    tools: () => [
      tool("top", async (params, ctx) => {
        for (const bytes of params["sizes"] as number[]) {
          await ctx.executeTool("leaf", {
            s: "ä".repeat(Math.floor((bytes - 8) / 2)) + "x".repeat((bytes - 8) % 2),
          });
        }
        return "done";
      }),
      leaf,
    ],
    calls: [call("top", { sizes: [8193, 100] }), call("top", { sizes: [8192, 8192, 8192, 8192, 9] }, "D")],
    expect: {
      results: [
        'C ok "done"',
        "  C/1 leaf [8193 bytes] ok",
        `  C/2 leaf {"s":"${"ä".repeat(46)}"} ok`,
        "  incomplete",
        'D ok "done"',
        ...[1, 2, 3, 4].map((n) => `  D/${n} leaf {"s":"${"ä".repeat(4092)}"} ok`),
        "  D/5 leaf [9 bytes] ok",
        "  incomplete",
      ],
    },
  },
  {
    id: "record-count",
    title: "256 of 300 calls are kept, an error is cut at 500 characters, and the usage of all is counted",
    contract: ["A17", "A18"],
    tools: () => [
      tool("top", async (_params, ctx) => {
        for (let index = 0; index < 300; index++) await ctx.executeTool("spends", {});
        return textResult("done", { usage: spent(5) });
      }),
      tool("spends", () => textResult("e".repeat(501), { usage: spent(1), isError: true })),
    ],
    calls: [call("top")],
    expect: {
      results: [
        'C ok "done"',
        ...Array.from({ length: 256 }, (_, index) => `  C/${index + 1} spends {} error "${"e".repeat(500)}"`),
        "  incomplete",
        "  usage 305 $305",
      ],
    },
  },
  {
    id: "usage",
    title: "usage adds up from every depth, once",
    contract: ["A18"],
    tools: () => [
      tool("top", async (_params, ctx) => {
        await ctx.executeTool("mid", {});
        return "top";
      }),
      tool("mid", async (_params, ctx) => {
        await ctx.executeTool("low", {});
        return textResult("mid", { usage: spent(10) });
      }),
      tool("low", () => textResult("low", { usage: spent(100) })),
    ],
    calls: [call("top")],
    expect: { results: ['C ok "top"', "  C/1 mid {} ok", "  C/1/1 low {} ok", "  usage 110 $110"] },
  },
];
