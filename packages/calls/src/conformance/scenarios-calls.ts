import { outcomeLine, pause, scenarioTool as tool, textIn, textResult, type Scenario } from "./scenario.ts";

const leaf = tool("leaf", () => "leaf");
const call = (name: string, args = {}, id = "C") => ({ id, name, args });

/** How one nested call goes: ids, events, handlers, failures, results. */
export const calls: readonly Scenario[] = [
  {
    id: "order",
    title: "ids say the parent at every depth, and events come in order",
    contract: ["A15", "A16", "A17"],
    tools: () => [
      tool("top", async (_params, ctx) => {
        await ctx.executeTool("mid", { n: 1 });
        await ctx.executeTool("leaf", undefined);
        return "top";
      }),
      tool("mid", async (_params, ctx, { onUpdate }) => {
        onUpdate(textResult("half"));
        await ctx.executeTool("leaf", { deep: true });
        return "mid";
      }),
      leaf,
    ],
    calls: [call("top")],
    expect: {
      events: [
        "start C top {}",
        "call C top {}",
        'start C/1 mid {"n":1} < C',
        'call C/1 mid {"n":1}',
        'update C/1 mid "half" < C',
        'start C/1/1 leaf {"deep":true} < C/1',
        'call C/1/1 leaf {"deep":true}',
        'result C/1/1 leaf ok "leaf"',
        'end C/1/1 leaf ok "leaf" < C/1',
        'result C/1 mid ok "mid"',
        'end C/1 mid ok "mid" < C',
        "start C/2 leaf {} < C",
        "call C/2 leaf {}",
        'result C/2 leaf ok "leaf"',
        'end C/2 leaf ok "leaf" < C',
        'result C top ok "top"',
        'end C top ok "top"',
      ],
      results: ['C ok "top"', '  C/1 mid {"n":1} ok', '  C/1/1 leaf {"deep":true} ok', "  C/2 leaf {} ok"],
    },
  },
  {
    id: "failures",
    title: "every failure is an outcome, with the same words, and runs only the handlers that it reaches",
    contract: ["A15", "A19"],
    tools: ({ note }) => [
      tool("top", async (_params, ctx) => {
        const aborted = new AbortController();
        aborted.abort();
        note(outcomeLine(await ctx.executeTool("unknown", { a: 1 })));
        note(outcomeLine(await ctx.executeTool("strict", { n: "many" })));
        note(outcomeLine(await ctx.executeTool("strict", "text")));
        note(outcomeLine(await ctx.executeTool("blocked", {})));
        note(outcomeLine(await ctx.executeTool("refused", {})));
        note(outcomeLine(await ctx.executeTool("throws", {})));
        note(outcomeLine(await ctx.executeTool("leaf", {}, { signal: aborted.signal })));
        note(outcomeLine(await ctx.executeTool("unprepared", {})));
        return "done";
      }),
      tool("strict", () => "ran", {
        parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      }),
      tool("blocked", () => "never"),
      tool("refused", () => "never"),
      tool("throws", () => {
        throw new Error("no luck");
      }),
      tool("unprepared", () => "never", {
        prepareArguments: () => {
          throw new Error("cannot prepare");
        },
      }),
      leaf,
    ],
    handlers: () => ({
      tool_call: [
        ({ toolName }) => (toolName === "blocked" ? { block: true, reason: "not today" } : undefined),
        ({ toolName }) => (toolName === "refused" ? { block: true } : undefined),
      ],
    }),
    calls: [call("top")],
    expect: {
      notes: [
        'error "Tool unknown not found"',
        `error ${JSON.stringify('Validation failed for tool "strict":\n  - n: expected number, got string\n\nReceived arguments:\n{\n  "n": "many"\n}')}`,
        `error ${JSON.stringify('Validation failed for tool "strict":\n  - root: expected object, got string\n\nReceived arguments:\n"text"')}`,
        'error "not today"',
        'error "Tool execution was blocked"',
        'error "no luck"',
        'error "Operation aborted"',
        'error "cannot prepare"',
      ],
      events: [
        "start C top {}",
        "call C top {}",
        'start C/1 unknown {"a":1} < C',
        'end C/1 unknown error "Tool unknown not found" not-run < C',
        'start C/2 strict {"n":"many"} < C',
        `end C/2 strict error ${JSON.stringify('Validation failed for tool "strict":\n  - n: expected number, got string\n\nReceived arguments:\n{\n  "n": "many"\n}')} not-run < C`,
        'start C/3 strict "text" < C',
        `end C/3 strict error ${JSON.stringify('Validation failed for tool "strict":\n  - root: expected object, got string\n\nReceived arguments:\n"text"')} not-run < C`,
        "start C/4 blocked {} < C",
        "call C/4 blocked {}",
        'end C/4 blocked error "not today" not-run < C',
        "start C/5 refused {} < C",
        "call C/5 refused {}",
        'end C/5 refused error "Tool execution was blocked" not-run < C',
        "start C/6 throws {} < C",
        "call C/6 throws {}",
        'result C/6 throws error "no luck"',
        'end C/6 throws error "no luck" < C',
        "start C/7 leaf {} < C",
        'end C/7 leaf error "Operation aborted" not-run < C',
        "start C/8 unprepared {} < C",
        'end C/8 unprepared error "cannot prepare" not-run < C',
        'result C top ok "done"',
        'end C top ok "done"',
      ],
    },
  },
  {
    id: "outcome-is-error",
    title: "the outcome says that a call failed; the result says so only where the tool itself did",
    contract: ["A10", "A19"],
    tools: ({ note }) => [
      tool("top", async (_params, ctx) => {
        for (const name of ["throws", "returns", "unknown"]) {
          const { isError, result } = await ctx.executeTool(name, {});
          note(`${name} ${isError} ${String((result as { isError?: boolean }).isError)}`);
        }
        return "done";
      }),
      tool("throws", () => {
        throw new Error("no luck");
      }),
      tool("returns", () => textResult("no luck", { isError: true })),
    ],
    calls: [call("top")],
    expect: { notes: ["throws true undefined", "returns true true", "unknown true undefined"] },
  },
  {
    id: "structured",
    title:
      "structured content reaches the caller, with an error too, and goes when a handler replaces the content",
    contract: ["A9", "A10"],
    tools: ({ note }) => [
      tool("top", async (_params, ctx) => {
        for (const name of ["data", "failing", "redacted"]) {
          const { isError, result } = await ctx.executeTool(name, {});
          note(`${name} ${isError} ${JSON.stringify(result.structuredContent)}`);
        }
        return "done";
      }),
      tool("data", () => textResult("text", { structuredContent: { n: 1 } })),
      tool("failing", () => textResult("text", { structuredContent: { n: 2 }, isError: true })),
      tool("redacted", () => textResult("text", { structuredContent: { n: 3 } })),
    ],
    handlers: () => ({
      tool_result: [
        ({ toolName }) =>
          toolName === "redacted" ? { content: [{ type: "text", text: "[gone]" }] } : undefined,
      ],
    }),
    calls: [call("top")],
    expect: { notes: ['data false {"n":1}', 'failing true {"n":2}', "redacted false undefined"] },
  },
  {
    id: "result-handlers",
    title: "tool_result handlers change a result one after the other, the error flag too",
    contract: ["A15"],
    tools: () => [tool("top", async (_params, ctx) => outcomeLine(await ctx.executeTool("leaf", {}))), leaf],
    handlers: () => ({
      tool_result: [
        ({ toolName }) => (toolName === "leaf" ? { content: [{ type: "text", text: "one" }] } : undefined),
        ({ toolName, content }) =>
          toolName === "leaf"
            ? { content: [{ type: "text", text: `${textIn({ content })} two` }], isError: true }
            : undefined,
      ],
    }),
    calls: [call("top")],
    expect: { results: ['C ok "error \\"one two\\""', '  C/1 leaf {} error "one two"'] },
  },
  {
    id: "updates",
    title: "partial results reach the caller and the events, late ones nobody",
    contract: ["A16", "B4"],
    tools: ({ note }) => [
      tool("top", async (_params, ctx) => {
        await ctx.executeTool("leaf", {}, { onUpdate: (partial: { content: [] }) => note(textIn(partial)) });
        await pause(20);
        return "done";
      }),
      tool("leaf", (_params, _ctx, { onUpdate }) => {
        onUpdate(textResult("one"));
        onUpdate(textResult("two"));
        setTimeout(() => onUpdate(textResult("late")), 5);
        return "leaf";
      }),
    ],
    calls: [call("top")],
    expect: {
      notes: ["one", "two"],
      events: [
        "start C top {}",
        "call C top {}",
        "start C/1 leaf {} < C",
        "call C/1 leaf {}",
        'update C/1 leaf "one" < C',
        'update C/1 leaf "two" < C',
        'result C/1 leaf ok "leaf"',
        'end C/1 leaf ok "leaf" < C',
        'result C top ok "done"',
        'end C top ok "done"',
      ],
    },
  },
  {
    id: "abort",
    title: "the run's abort reaches a nested call, which ends as an outcome",
    contract: ["A19", "B3"],
    tools: ({ note, control }) => [
      tool("top", async (_params, ctx) => {
        const outcome = await ctx.executeTool("waits", {});
        note(`${outcome.toolCall.id} ${outcomeLine(outcome)}`);
        note(outcomeLine(await ctx.executeTool("waits", {})));
        return "done";
      }),
      tool("waits", (_params, _ctx, { signal }) => {
        setTimeout(() => control().abort(), 5);
        return new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("stopped")));
        });
      }),
    ],
    calls: [call("top")],
    expect: { notes: ['C/1 error "stopped"', 'error "Operation aborted"'] },
  },
];
