import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import {
  createTrace,
  race,
  tellCancelled,
  type HostTool,
  type TraceBuilder,
  type TraceCall,
} from "@nestbox/calls";
import { createCallSpans } from "@nestbox/calls/otel";
import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { scriptedAgent } from "./support/agent-driver.ts";
import { hostWith, tool } from "./support/tools.ts";

/** A tool that fails when it is cancelled, with a text that says nothing of it. */
function waits(started: () => void = () => {}): HostTool {
  return tool("waits", (_params, _ctx, { signal }) => {
    return new Promise((_resolve, reject) => {
      const stop = (): void => reject(new Error("connection lost"));
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop);
      started();
    });
  });
}

const fails = tool("fails", () => {
  throw new Error("no luck");
});

/** Calls one that fails, then one that is cancelled from outside together with this one. */
const interrupted = tool("top", async (_params, ctx) => {
  await ctx.executeTool("fails", {});
  const { isError } = await ctx.executeTool("waits", {});
  if (isError) throw new Error("did not get far");
  return "done";
});

/** Two that race: one wins, the other one is cancelled by its caller. */
function racing(trace: TraceBuilder): HostTool {
  return tool("top", async (_params, ctx) => {
    await race(tellCancelled(ctx, trace.cancelled), [{ name: "waits" }, { name: "quick" }]);
    await race(tellCancelled(ctx, trace.cancelled), [{ name: "fails" }, { name: "quick" }]);
    return "done";
  });
}
const quick = tool("quick", () => "quick");

function statuses(calls: readonly TraceCall[]): unknown[] {
  return calls.map(({ name, status, children }) =>
    children.length === 0 ? `${name} ${status}` : [`${name} ${status}`, ...statuses(children)],
  );
}

function registering(tools: readonly HostTool[]) {
  return (api: { registerTool: (definition: ToolDefinition) => void }): void => {
    // The shape of a tool is Pi's own; only the types of the schemas differ.
    for (const one of tools) api.registerTool(one as unknown as ToolDefinition);
  };
}

const cutShort = [["top cancelled", "fails error", "waits cancelled"]];
const raced = [["top ok", "waits cancelled", "quick ok", "fails error", "quick ok"]];

describe("a call that was cut short is `cancelled`, and one that failed before is not", () => {
  it("in a ToolHost", async () => {
    const trace = createTrace();
    const controller = new AbortController();
    const { host } = hostWith([interrupted, fails, waits(() => setTimeout(() => controller.abort()))]);
    host.subscribe(trace.onEvent);
    await host.call("top", {}, { signal: controller.signal });
    expect(statuses(trace.trace().calls)).toEqual(cutShort);
  });

  it("in a low-level agent", async () => {
    const { agent, calls } = scriptedAgent(
      [fauxAssistantMessage([fauxToolCall("top", {})], { stopReason: "toolUse" })],
      { tools: [interrupted, fails, waits(() => setTimeout(() => agent.abort()))] },
    );
    const trace = createTrace({ signal: () => agent.signal });
    calls.subscribe(trace.onEvent);
    await agent.prompt("go");
    expect(statuses(trace.trace().calls)).toEqual(cutShort);
    await calls.dispose();
  });

  it("in an extension of a Pi session, whose handlers get the run's signal, also as spans", async () => {
    const trace = createTrace();
    const told: string[] = [];
    const spans = createCallSpans({
      tracer: {
        startSpan: (name: string) => ({
          setAttribute: (key: string, value: unknown) =>
            key === "nestbox.status" && told.push(`${name.split(" ")[1]} ${String(value)}`),
          setStatus: () => {},
          end: () => {},
        }),
      } as never,
    });
    let abort: () => void = () => {};
    await using pi = await scriptedPiSession({
      noTools: "builtin",
      extensions: [
        (api) => {
          registering([interrupted, fails, waits(() => setTimeout(() => abort()))])(api);
          for (const { onEvent } of [trace, spans]) {
            api.on("tool_execution_start", onEvent);
            api.on("tool_execution_end", onEvent);
          }
        },
      ],
    });
    abort = () => void pi.session.abort();
    await pi.prompt("go", [call("top")]);
    expect(pi.errors).toEqual([]);
    expect(statuses(trace.trace().calls)).toEqual(cutShort);
    expect(told).toEqual(["fails error", "waits cancelled", "top cancelled"]);
  });

  it("to a program that listens to a Pi session", async () => {
    let abort: () => void = () => {};
    await using pi = await scriptedPiSession({
      noTools: "builtin",
      extensions: [registering([interrupted, fails, waits(() => setTimeout(() => abort()))])],
    });
    abort = () => void pi.session.abort();
    const trace = createTrace({ signal: () => pi.session.agent.signal });
    const blind = createTrace();
    pi.session.subscribe(trace.onEvent);
    pi.session.subscribe(blind.onEvent);
    await pi.prompt("go", [call("top")]);
    expect(statuses(trace.trace().calls)).toEqual(cutShort);
    // What Pi's events alone say.
    expect(statuses(blind.trace().calls)).toEqual([["top error", "fails error", "waits error"]]);
  });
});

describe("a call that its caller alone cancelled is `cancelled`", () => {
  it("in a ToolHost, by the host's own word", async () => {
    const trace = createTrace();
    const { host } = hostWith([
      tool("top", async (_params, ctx) => {
        await race(ctx, [{ name: "waits" }, { name: "quick" }]);
        await race(ctx, [{ name: "fails" }, { name: "quick" }]);
        return "done";
      }),
      waits(),
      quick,
      fails,
    ]);
    host.subscribe(trace.onEvent);
    await host.call("top", {});
    expect(statuses(trace.trace().calls)).toEqual(raced);
  });

  it("in a Pi session, by the word of its caller", async () => {
    const trace = createTrace();
    await using pi = await scriptedPiSession({
      noTools: "builtin",
      extensions: [registering([racing(trace), waits(), quick, fails])],
    });
    pi.session.subscribe(trace.onEvent);
    await pi.prompt("go", [call("top"), "Done."]);
    expect(statuses(trace.trace().calls)).toEqual(raced);
  });

  // Nothing that Pi 1.6 gives out says it: no event, no outcome and no record has the signal or a reason.
  it("and stays `error` in a Pi session when the caller is somebody else's tool, which tells nobody", async () => {
    const trace = createTrace();
    let abort: () => void = () => {};
    const foreign = tool("top", async (_params, ctx) => {
      const controller = new AbortController();
      abort = () => controller.abort();
      await ctx.executeTool("waits", {}, { signal: controller.signal });
      return "done";
    });
    await using pi = await scriptedPiSession({
      noTools: "builtin",
      extensions: [registering([foreign, waits(() => setTimeout(() => abort()))])],
    });
    pi.session.subscribe(trace.onEvent);
    await pi.prompt("go", [call("top"), "Done."]);
    expect(statuses(trace.trace().calls)).toEqual([["top ok", "waits error"]]);
  });

  it("tells only of calls that failed, and outlives a listener that throws", async () => {
    const { host } = hostWith([quick, fails]);
    const told: string[] = [];
    const caller = tellCancelled(host.caller({ callId: "s" }), (callId) => {
      told.push(callId);
      throw new Error("careless");
    });
    const controller = new AbortController();
    const late = caller.executeTool("quick", {}, { signal: controller.signal });
    expect((await late).isError).toBe(false);
    controller.abort();
    expect((await caller.executeTool("fails", {}, { signal: controller.signal })).isError).toBe(true);
    expect((await caller.executeTool("fails", {})).isError).toBe(true);
    expect(told).toEqual(["s/2"]);
  });
});
