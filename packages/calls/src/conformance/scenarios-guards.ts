import type { ToolExposure } from "@nestbox/tool";
import { outcomeLine, scenarioTool as tool, textIn, type Scenario } from "./scenario.ts";

const call = (name: string, args = {}, id = "C") => ({ id, name, args });

/** What a guard can rely on, and in Pi 1.6.0 cannot. */
export const guards: readonly Scenario[] = [
  {
    id: "handler-signal",
    title: "a handler hears that the nested call it was asked about is cancelled",
    contract: ["B3"],
    tools: ({ note }) => {
      const given = new AbortController();
      return [
        tool("top", async (_params, ctx) => {
          note(outcomeLine(await ctx.executeTool("leaf", {}, { signal: given.signal })));
          return "done";
        }),
        tool("leaf", () => "leaf", {
          // Handlers come next, and no timer fires before they have begun.
          prepareArguments: () => {
            setTimeout(() => given.abort(), 5);
            return {};
          },
        }),
      ];
    },
    handlers: ({ note }) => ({
      tool_call: [
        async ({ toolName }, context) => {
          if (toolName !== "leaf") return;
          // A dialog, which its signal closes. In Pi it is closed by the person alone, here after a while.
          const { signal }: { readonly signal?: AbortSignal } = context;
          const closed = await new Promise<string>((resolve) => {
            const timer = setTimeout(() => resolve("stayed open"), 100);
            signal?.addEventListener("abort", () => {
              clearTimeout(timer);
              resolve("closed");
            });
          });
          note(closed);
        },
      ],
    }),
    calls: [call("top")],
    expect: { notes: ["closed", 'error "Operation aborted"'] },
    difference: {
      why: "in a handler of Pi's the signal is the run's",
      pi: { notes: ["stayed open", 'error "Operation aborted"'] },
    },
  },
  {
    id: "gate-last",
    title: "the gate is asked last, about what will run, whatever a later handler made of it",
    contract: ["B7"],
    tools: ({ note }) => [
      tool("top", async (_params, ctx) => {
        note(outcomeLine(await ctx.executeTool("order", { pieces: 1 })));
        return "done";
      }),
      tool("order", ({ pieces }) => `ordered ${JSON.stringify(pieces)}`),
    ],
    handlers: ({ note }) => ({
      tool_call: [
        ({ toolName, input }) => {
          if (toolName === "order") note(`approved ${JSON.stringify(input["pieces"])}`);
        },
        ({ toolName, input }) => {
          if (toolName === "order") input["pieces"] = 500;
        },
      ],
    }),
    gate: ({ note }) => ({
      decide: async ({ tool: { name }, input: { pieces } }) => {
        if (name === "order") note(`gate ${JSON.stringify(pieces)}`);
        const effect = typeof pieces === "number" && pieces > 10 ? "deny" : "allow";
        return { effect, reason: "too many", decision: { effect, rule: "few", layer: "user" } };
      },
    }),
    calls: [call("top")],
    expect: { notes: ["approved 1", "gate 500", 'error "too many"'] },
    difference: {
      why: "Pi's handlers run in load order, and none of them is the last word",
      pi: { notes: ["approved 1", 'ok "ordered 500"'] },
    },
  },
  {
    id: "no-execute",
    title: "the tools that a tool is handed have no execute, so nobody goes past the handlers",
    contract: ["A15"],
    tools: ({ note }) => [
      tool("top", async (_params, ctx) => {
        const listed = ctx.tools.find(({ name }) => name === "leaf");
        const execute: unknown = listed === undefined ? undefined : Reflect.get(listed, "execute");
        if (typeof execute === "function") {
          const result = (await execute.call(listed, "past", {}, undefined, undefined, ctx)) as {
            readonly content: [];
          };
          note(`past the handlers: ${textIn(result)}`);
        } else note(listed === undefined ? "not listed" : "no execute");
        note(outcomeLine(await ctx.executeTool("leaf", {})));
        return "done";
      }),
      tool("leaf", () => "leaf"),
    ],
    handlers: () => ({
      tool_call: [({ toolName }) => (toolName === "leaf" ? { block: true, reason: "no leaf" } : undefined)],
    }),
    calls: [call("top")],
    expect: { notes: ["no execute", 'error "no leaf"'] },
    difference: {
      why: "in Pi ctx.tools holds the tools themselves",
      pi: { notes: ["past the handlers: leaf", 'error "no leaf"'] },
    },
  },
  {
    id: "chain",
    title: "the gate knows every call that led to this one, not the one above it alone",
    contract: ["A15", "A16"],
    tools: () => [
      tool("top", async (_params, ctx) => textIn(await ctx.executeTool("mid", {}))),
      tool("mid", async (_params, ctx) => textIn(await ctx.executeTool("leaf", {}))),
      tool("leaf", () => "leaf"),
    ],
    handlers: ({ note }) => ({
      tool_call: [
        (event) => {
          if (event.toolName === "leaf") note(`handler: ${String(event.parentToolCallId)}`);
        },
      ],
    }),
    gate: ({ note }) => ({
      decide: async ({ tool: { name }, chain }) => {
        if (name === "leaf")
          note(`gate: ${chain.map(({ callId, toolName }) => `${callId} ${toolName}`).join(", ")}`);
        return { effect: "allow", reason: "", decision: { effect: "allow", rule: "all", layer: "user" } };
      },
    }),
    // An id of a provider's may have a slash: no chain can be read out of an id.
    calls: [call("top", {}, "call/7")],
    expect: {
      results: ['call/7 ok "leaf"', "  call/7/1 mid {} ok", "  call/7/1/1 leaf {} ok"],
      notes: ["handler: call/7/1", "gate: call/7 top, call/7/1 mid"],
    },
    difference: {
      why: "Pi's events carry the immediate parent alone",
      pi: { notes: ["handler: call/7/1"] },
    },
  },
  {
    id: "unknown-exposure",
    title: "an exposure that is none is refused, and any text is a name",
    contract: ["A1"],
    tools: ({ note, control }) => [
      tool("top", async (_params, ctx) => {
        const exposure = "everyone" as ToolExposure;
        try {
          control().register(tool("odd", () => "odd", { exposure }));
          note("registered");
        } catch {
          note("refused");
        }
        control().register(tool("a name of words", () => "words", { exposure: "codemode" }));
        note(outcomeLine(await ctx.executeTool("a name of words", {})));
        return "done";
      }),
    ],
    calls: [call("top")],
    expect: { notes: ["refused", 'ok "words"'] },
    difference: {
      why: "Pi registers it, reachable for nobody",
      pi: { notes: ["registered", 'ok "words"'] },
    },
  },
];
