import type { ToolLoadout } from "../registry.ts";
import { outcomeLine, scenarioTool as tool, type Scenario } from "./scenario.ts";

type Loadout = Pick<ToolLoadout, "callable">;

const call = (name: string, args = {}, id = "C") => ({ id, name, args });

/** Which tools are reached from where, and when that changes. */
export const reach: readonly Scenario[] = [
  {
    id: "exposure",
    title: "each exposure is reached exactly from where it may be",
    contract: ["A1"],
    tools: ({ note }) => [
      tool("top", async (_params, ctx) => {
        note(
          `listed ${ctx.tools
            .map(({ name }) => name)
            .filter((name) => name.length === 1)
            .join(" ")}`,
        );
        for (const name of ["d", "i", "m", "c", "f", "h", "x"])
          note(`${name} ${outcomeLine(await ctx.executeTool(name, {}))}`);
        return "done";
      }),
      tool("d", () => "direct"),
      tool("i", () => "inactive", { defaultActive: false }),
      tool("m", () => "model-only", { exposure: "model-only" }),
      tool("c", () => "codemode", { exposure: "codemode" }),
      tool("f", () => "deferred", { exposure: "deferred" }),
      tool("h", () => "hidden", { exposure: "hidden" }),
    ],
    calls: [call("top")],
    expect: {
      notes: [
        "listed d c f",
        'd ok "direct"',
        'i error "Tool i not found"',
        'm error "Tool m not found"',
        'c ok "codemode"',
        'f ok "deferred"',
        'h error "Tool h not found"',
        'x error "Tool x not found"',
      ],
    },
  },
  {
    id: "reach",
    title: "a model reaches the active tools and nothing else",
    contract: ["A1", "A2"],
    tools: () => [
      tool("d", () => "direct"),
      tool("i", () => "inactive", { defaultActive: false }),
      tool("m", () => "model-only", { exposure: "model-only" }),
      tool("c", () => "codemode", { exposure: "codemode" }),
      tool("f", () => "deferred", { exposure: "deferred" }),
      tool("h", () => "hidden", { exposure: "hidden" }),
    ],
    calls: ["d", "i", "m", "c", "f", "h", "x"].map((name) => call(name, {}, name.toUpperCase())),
    expect: {
      results: [
        'D ok "direct"',
        'I error "Tool i not found"',
        'M ok "model-only"',
        'C error "Tool c not found"',
        'F error "Tool f not found"',
        'H error "Tool h not found"',
        'X error "Tool x not found"',
      ],
    },
  },
  {
    id: "loadout",
    title: "an orchestrator describes itself and hides declarations; what it hides stays active and callable",
    contract: ["A2"],
    tools: ({ note }) => [
      tool(
        "lead",
        async (_params, ctx) => {
          note(outcomeLine(await ctx.executeTool("work", {})));
          return "led";
        },
        {
          prepareLoadout: (loadout: Loadout) => ({
            descriptions: {
              lead: `Leads ${loadout.callable
                .map(({ name }) => name)
                .filter((name) => name !== "lead")
                .join(", ")}.`,
            },
            hiddenDeclarations: ["work"],
          }),
        },
      ),
      tool("work", () => "worked"),
      tool("listed", () => "listed", { exposure: "codemode" }),
      tool("shown", () => "shown"),
    ],
    calls: [call("lead"), call("work", {}, "W")],
    expect: {
      declared: ["lead: Leads work, listed, shown.", "shown: The shown tool."],
      notes: ['ok "worked"'],
      results: ['C ok "led"', "  C/1 work {} ok", 'W ok "worked"'],
    },
  },
  {
    id: "activation",
    title:
      "a loader activates what was registered inactive, unknown names are ignored, and calls follow at once",
    contract: ["A2", "A20"],
    tools: ({ note, control }) => [
      tool("top", async (_params, ctx) => {
        note(
          control()
            .getActiveTools()
            .filter((name) => name.length === 1)
            .join(" "),
        );
        note(outcomeLine(await ctx.executeTool("i", {})));
        control().setActiveTools([...control().getActiveTools(), "i", "f", "nothing", "h"]);
        note(
          control()
            .getActiveTools()
            .filter((name) => name.length === 1)
            .join(" "),
        );
        note(outcomeLine(await ctx.executeTool("i", {})));
        control().setActiveTools(["top", "i"]);
        note(
          control()
            .getActiveTools()
            .filter((name) => name.length === 1)
            .join(" "),
        );
        note(outcomeLine(await ctx.executeTool("d", {})));
        note(outcomeLine(await ctx.executeTool("f", {})));
        return "done";
      }),
      tool("d", () => "direct"),
      tool("i", () => "inactive", { defaultActive: false }),
      tool("f", () => "deferred", { exposure: "deferred" }),
      tool("h", () => "hidden", { exposure: "hidden" }),
    ],
    calls: [call("top")],
    expect: {
      notes: [
        "d",
        'error "Tool i not found"',
        "d i f",
        'ok "inactive"',
        "i",
        'error "Tool d not found"',
        'ok "deferred"',
      ],
    },
  },
  {
    id: "registered-again",
    title: "a tool that was deactivated stays so when it is registered again, and its new body runs",
    contract: ["A2", "A20"],
    tools: ({ note, control }) => [
      tool("top", async (_params, ctx) => {
        const active = (): void => note(String(control().getActiveTools().includes("w")));
        control().setActiveTools(["top"]);
        control().register(tool("w", () => "second"));
        active();
        note(outcomeLine(await ctx.executeTool("w", {})));
        control().setActiveTools(["top", "w"]);
        active();
        note(outcomeLine(await ctx.executeTool("w", {})));
        return "done";
      }),
      tool("w", () => "first"),
    ],
    calls: [call("top")],
    expect: { notes: ["false", 'error "Tool w not found"', "true", 'ok "second"'] },
  },
  {
    id: "withdraw",
    title: "a tool registered again as hidden is withdrawn, and comes back when registered as direct",
    contract: ["A2"],
    tools: ({ note, control }) => [
      tool("top", async (_params, ctx) => {
        note(outcomeLine(await ctx.executeTool("w", {})));
        control().register(tool("w", () => "second", { exposure: "hidden" }));
        note(outcomeLine(await ctx.executeTool("w", {})));
        note(String(control().getActiveTools().includes("w")));
        control().register(tool("w", () => "third"));
        note(outcomeLine(await ctx.executeTool("w", {})));
        note(String(control().getActiveTools().includes("w")));
        return "done";
      }),
      tool("w", () => "first"),
    ],
    calls: [call("top")],
    expect: { notes: ['ok "first"', 'error "Tool w not found"', "false", 'ok "third"', "true"] },
  },
];
