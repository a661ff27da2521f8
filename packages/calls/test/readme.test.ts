import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { expect, it } from "vitest";
import * as agentCore from "@earendil-works/pi-agent-core";
import { fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import { createModels } from "@earendil-works/pi-ai";
import * as calls from "@nestbox/calls";
import * as agent from "@nestbox/calls/agent";
import * as otel from "@nestbox/calls/otel";
import { hostWith, textOf, tool } from "./support/tools.ts";

const modules: Record<string, unknown> = {
  "@earendil-works/pi-agent-core": agentCore,
  "@nestbox/calls": calls,
  "@nestbox/calls/agent": agent,
  "@nestbox/calls/otel": otel,
};

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");

/** Runs a block of the README with the given variables in scope and gives back some of its own. */
async function run(
  block: string,
  scope: Record<string, unknown>,
  wanted: readonly string[],
): Promise<Record<string, unknown>> {
  const script = stripTypeScriptTypes(block).replace(
    /import (\{[^}]*\}) from "([^"]+)";/g,
    (_all, names: string, from: string) => {
      expect(Object.keys(modules)).toContain(from);
      return `const ${names} = modules[${JSON.stringify(from)}];`;
    },
  );
  const names = Object.keys(scope);
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
    ...args: string[]
  ) => (...args: unknown[]) => Promise<unknown>;
  const body = `${script}\nreturn { ${wanted.join(", ")} };`;
  return (await new AsyncFunction("modules", ...names, body)(
    modules,
    ...names.map((name) => scope[name]),
  )) as Record<string, unknown>;
}

it("has examples that are files, type-checked here", () => {
  const folder = new URL("readme/", import.meta.url);
  const examples = readdirSync(folder).map((name) => {
    const source = readFileSync(new URL(name, folder), "utf8");
    // Between the marks; around them stands what the reader of the README brings along.
    return /^\/\/ README\n([^]*?)^\/\/ README\n/m.exec(source)?.[1];
  });
  expect(new Set(examples)).toEqual(new Set(blocks));
});

it("has five examples, and each does what it says", async () => {
  expect(blocks).toHaveLength(5);
  const [host = "", lowLevel = "", combinators = "", session = "", traces = ""] = blocks;

  const made = await run(host, {}, ["outcome", "nestedCalls"]);
  expect(made["outcome"]).toMatchObject({
    isError: false,
    toolCall: { id: "script-1/1" },
    result: { structuredContent: { words: 2 } },
  });
  expect(made["nestedCalls"]).toMatchObject({ complete: true, calls: [{ id: "script-1/1", status: "ok" }] });

  const faux = fauxProvider();
  faux.setResponses([
    fauxAssistantMessage([fauxToolCall("top", {}, { id: "C" })], { stopReason: "toolUse" }),
    fauxAssistantMessage("done"),
  ]);
  const models = createModels();
  models.setProvider(faux.provider);
  const events: { type: string; parentToolCallId?: string }[] = [];
  await run(
    lowLevel,
    {
      streamFn: (_model: unknown, context: never, options: never) =>
        models.streamSimple(faux.getModel(), context, options),
      tools: [
        tool("top", async (_params, ctx) => textOf((await ctx.executeTool("leaf", {})).result)),
        tool("leaf", () => "leaf", { exposure: "codemode" }),
      ],
      gate: undefined,
      events,
    },
    [],
  );
  expect(events.filter(({ parentToolCallId }) => parentToolCallId === "C").map(({ type }) => type)).toEqual([
    "tool_execution_start",
    "tool_execution_end",
  ]);

  const { host: two } = hostWith([tool("a", () => "a"), tool("b", () => "b")]);
  const ctx = two.caller({ callId: "s" });
  await run(combinators, { ctx, files: ["x", "y", "z"] }, []);
  expect(ctx.summary().nestedCalls?.calls.length).toBe(2 + 2 + 3 + 2 + 1 + 1 + 1);

  const followed: string[] = [];
  const pi = { on: (event: string) => void followed.push(event), getAllTools: () => [] };
  expect(await run(session, { pi }, ["cache"])).toMatchObject({ cache: { onEvent: expect.any(Function) } });
  expect(followed).toEqual(["tool_execution_start", "tool_execution_end", "agent_end"]);

  const { host: reviewing } = hostWith([tool("review", () => "reviewed")]);
  const { file } = await run(traces, { host: reviewing }, ["file"]);
  expect(calls.readTrace(String(file))).toMatchObject({
    ok: true,
    trace: { calls: [{ name: "review", status: "ok" }] },
  });
});
