import { outcomeLine, pause, scenarioTool as tool, textIn, textResult, type Scenario } from "./scenario.ts";
import type { ScenarioContext } from "./driver.ts";
import { guards } from "./scenarios-guards.ts";

const call = (name: string, args = {}, id = "C") => ({ id, name, args });

/** Where Pi 1.6.0 has a defect. `expect` is the better side, `difference.pi` what Pi does. */
export const differences: readonly Scenario[] = [
  {
    id: "throwing-update",
    title: "a callback that throws does not end the call, nor the host",
    contract: ["B4"],
    tools: () => [
      tool("top", async (_params, ctx) =>
        outcomeLine(
          await ctx.executeTool(
            "leaf",
            {},
            {
              onUpdate: () => {
                throw new Error("careless");
              },
            },
          ),
        ),
      ),
      tool("leaf", async (_params, _ctx, { onUpdate }) => {
        onUpdate(textResult("half"));
        await pause(5);
        return "leaf";
      }),
    ],
    calls: [call("top")],
    expect: { results: ['C ok "ok \\"leaf\\""', "  C/1 leaf {} ok"] },
    difference: {
      why: "in Pi the rejection is unhandled while the tool runs, which ends the process",
      pi: "skip",
    },
  },
  {
    id: "arguments-not-json",
    title: "arguments that JSON cannot carry are an outcome that says where",
    contract: ["A19"],
    tools: ({ note }) => [
      tool("top", async (_params, ctx) => {
        const cyclic: Record<string, unknown> = {};
        cyclic["self"] = cyclic;
        const tries: unknown[] = [cyclic, { n: 1n }, { list: [() => "never"] }, { m: new Map([[1, 2]]) }];
        for (const args of tries) {
          try {
            note(outcomeLine(await ctx.executeTool("leaf", args)));
          } catch {
            note("rejected");
          }
        }
        return "done";
      }),
      tool("leaf", () => "leaf"),
    ],
    calls: [call("top")],
    expect: {
      notes: [
        'error "Arguments of tool \\"leaf\\" are not plain JSON at /self: a cycle is not JSON"',
        'error "Arguments of tool \\"leaf\\" are not plain JSON at /n: a bigint is not JSON"',
        'error "Arguments of tool \\"leaf\\" are not plain JSON at /list/0: a function is not JSON"',
        'error "Arguments of tool \\"leaf\\" are not plain JSON at /m: Map is not JSON"',
      ],
    },
    difference: {
      why: "in Pi cyclic and BigInt arguments reject, a function cannot be cloned, and a Map arrives as it is",
      pi: { notes: ["rejected", "rejected", 'error "() => \\"never\\" could not be cloned."', 'ok "leaf"'] },
    },
  },
  {
    id: "signal-combined",
    title: "a signal given to a nested call counts next to the tool's own",
    contract: ["B3"],
    tools: ({ note, control }) => [
      tool("top", async (_params, ctx) => {
        const unrelated = new AbortController();
        note(outcomeLine(await ctx.executeTool("waits", {}, { signal: unrelated.signal })));
        return "done";
      }),
      tool("waits", async (_params, _ctx, { signal }) => {
        control().abort();
        await pause(5);
        return signal.aborted ? "saw the abort" : "saw nothing";
      }),
    ],
    calls: [call("top")],
    expect: { notes: ['ok "saw the abort"'] },
    difference: {
      why: "in Pi the given signal replaces the tool's own",
      pi: { notes: ['ok "saw nothing"'] },
    },
  },
  {
    id: "changed-input",
    title: "what a handler changes is validated again before it runs",
    contract: ["B7"],
    tools: ({ note }) => [
      tool("top", async (_params, ctx) => {
        note(textIn(await ctx.executeTool("strict", { n: 1 })).split("\n")[0] ?? "");
        return "done";
      }),
      tool("strict", (params) => `ran with ${typeof params["n"]}`, {
        parameters: { type: "object", properties: { n: { type: "number" } } },
      }),
    ],
    handlers: () => ({
      tool_call: [
        ({ toolName, input }) => {
          if (toolName === "strict") input["n"] = "many";
        },
      ],
    }),
    calls: [call("top")],
    expect: { notes: ['Validation failed for tool "strict":'] },
    difference: {
      why: "in Pi a change in place reaches execute unvalidated",
      pi: { notes: ["ran with string"] },
    },
  },
  {
    id: "throwing-result-handler",
    title: "a tool_result handler that fails withholds the result",
    contract: ["B10"],
    tools: ({ note }) => [
      tool("top", async (_params, ctx) => {
        note(outcomeLine(await ctx.executeTool("leaf", {})));
        return "done";
      }),
      tool("leaf", () => "secret"),
    ],
    handlers: () => ({
      tool_result: [
        ({ toolName }) => {
          if (toolName === "leaf") throw new Error("redaction broke");
        },
      ],
    }),
    calls: [call("top")],
    expect: { notes: ['error "The tool ran, but its result is withheld: a tool_result handler failed"'] },
    difference: {
      why: "in Pi the error is reported and the result goes on unredacted",
      pi: { notes: ['ok "secret"'] },
    },
  },
  {
    id: "recursion",
    title: "calls are nested so deep and no deeper",
    contract: ["A19"],
    tools: ({ note }) => [
      tool("top", async (_params, ctx) => {
        const outcome = await ctx.executeTool("down", { level: 1 });
        note(textIn(outcome));
        return "done";
      }),
      tool("down", async (params, ctx) => {
        const level = Number(params["level"]);
        // Stops by itself, so that a host without a limit ends too.
        if (level === 40) return "reached 40";
        return textIn(await ctx.executeTool("down", { level: level + 1 }));
      }),
    ],
    calls: [call("top")],
    expect: { notes: ["Tool down not called: calls may be nested 16 deep"] },
    difference: { why: "Pi has no limit", pi: { notes: ["reached 40"] } },
  },
  {
    id: "not-awaited",
    title:
      "a nested call that nobody awaits is cancelled with the tool that made it, and is on record as that",
    contract: ["A17"],
    tools: ({ note }) => [
      tool("top", async (_params, ctx) => {
        void ctx.executeTool("slow", {}).then((outcome) => note(outcomeLine(outcome)));
        await pause(5);
        return "top";
      }),
      tool("slow", (_params, _ctx, { signal }) => {
        return new Promise((resolve, reject) => {
          const timer = setTimeout(() => resolve(textResult("slow")), 100);
          signal.addEventListener("abort", () => {
            clearTimeout(timer);
            reject(new Error("stopped"));
          });
        });
      }),
      tool("last", async () => {
        await pause(2_000);
        return "last";
      }),
    ],
    calls: [call("top"), call("last", {}, "Z")],
    expect: {
      results: ['C ok "top"', '  C/1 slow {} error "stopped"', 'Z ok "last"'],
      notes: ['error "stopped"'],
    },
    difference: {
      why: "Pi lets it run on, as unfinished",
      // The record of a batch is taken after the whole batch, so this one has finished by then.
      pi: { results: ['C ok "top"', "  C/1 slow {} ok", 'Z ok "last"'], notes: ['ok "slow"'] },
    },
  },
  {
    id: "context-kept",
    title: "a context that is kept after the run calls nothing",
    contract: ["A26"],
    tools: ({ note }) => {
      let kept: ScenarioContext | undefined;
      return [
        tool("keep", async (_params, ctx) => {
          kept = ctx;
          note(String((await ctx.executeTool("leaf", {})).isError));
          return "kept";
        }),
        tool(
          "use",
          async () => {
            const outcome = await kept?.executeTool("leaf", {});
            note(outcome === undefined ? "nothing kept" : `${outcome.toolCall.id} ${outcomeLine(outcome)}`);
            return "used";
          },
          // Makes the batch sequential, so that the first call is over.
          { executionMode: "sequential" },
        ),
        tool("leaf", () => "leaf"),
      ];
    },
    calls: [call("keep"), call("use", {}, "U")],
    expect: { notes: ["false", 'C/2 error "Tool leaf not called: the call C has ended"'] },
    difference: {
      why: "in Pi it works on and gives out the same ids again",
      pi: { notes: ["false", 'C/1 ok "leaf"'] },
    },
  },
  {
    id: "sequential-under-one-holder",
    title: "sequential calls below a sequential call exclude each other too",
    contract: ["A14"],
    tools: ({ note }) => [
      tool("top", async (_params, ctx) => textIn(await ctx.executeTool("outer", {}))),
      tool(
        "outer",
        async (_params, ctx) => {
          await Promise.all(["one", "two"].map((word) => ctx.executeTool("inner", { word })));
          return "outer";
        },
        { executionMode: "sequential" },
      ),
      tool(
        "inner",
        async (params) => {
          note(`in ${JSON.stringify(params["word"])}`);
          await pause(10);
          note(`out ${JSON.stringify(params["word"])}`);
          return "inner";
        },
        { executionMode: "sequential" },
      ),
    ],
    calls: [call("top")],
    expect: { notes: ['in "one"', 'out "one"', 'in "two"', 'out "two"'] },
    difference: {
      why: "in Pi whoever is below a holder of the queue no longer waits at all",
      pi: { notes: ['in "one"', 'in "two"', 'out "one"', 'out "two"'] },
    },
  },
  {
    id: "output-not-json",
    title: "structured content is plain JSON when it arrives",
    contract: ["A9"],
    tools: ({ note }) => [
      tool("top", async (_params, ctx) => {
        const { result } = await ctx.executeTool("dated", {});
        note(typeof (result.structuredContent as { at: unknown } | undefined)?.at);
        return "done";
      }),
      tool("dated", () => ({ content: [], details: {}, structuredContent: { at: new Date(0) } }), {
        outputSchema: { type: "object", properties: { at: { type: "string" } } },
      }),
    ],
    calls: [call("top")],
    expect: { notes: ["string"] },
    difference: { why: "Pi never checks structured content", pi: { notes: ["object"] } },
  },
  ...guards,
];
