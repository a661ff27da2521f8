import { Agent } from "@earendil-works/pi-agent-core";
import { createModels } from "@earendil-works/pi-ai";
import { fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import {
  createCodemodeExtension,
  type ExtensionFactory,
  type ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import { int, obj, str } from "@earendil-works/pi-schema";
import { dataResult, defineTool, textResult, type RunnableTool } from "@nestbox/tool";
import {
  definePiTool,
  findRouteClashes,
  missingTools,
  registerTools,
  toAgentTool,
  toAgentTools,
  toCustomTool,
  toCustomTools,
  toolExtension,
  withdrawTool,
} from "@nestbox/tool/pi";
import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { describe, expect, it } from "vitest";

const repeat = defineTool({
  name: "repeat",
  label: "Repeat",
  description: "Repeats a word.",
  parameters: obj({ word: str({ minLength: 1 }), times: int({ minimum: 1, maximum: 9 }) }),
  outputSchema: obj({ text: str() }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async execute(_id, { word, times }, _signal, onUpdate, context) {
    onUpdate?.(textResult(`repeating ${word}`));
    return dataResult({ text: word.repeat(times) }, { details: { hasContext: context !== undefined } });
  },
});

const named = (name: string, extra: Partial<RunnableTool> = {}): RunnableTool => ({
  ...defineTool({
    name,
    description: `The tool ${name}.`,
    parameters: obj({}),
    execute: async () => textResult(name),
  }),
  ...extra,
});

describe("one definition, three routes", () => {
  // contract B1
  it("runs in the low-level agent, with arguments coerced and no context", async () => {
    const faux = fauxProvider();
    const models = createModels();
    models.setProvider(faux.provider);
    faux.setResponses([
      fauxAssistantMessage(fauxToolCall("repeat", { word: "ab", times: "2" }, { id: "c1" }), {
        stopReason: "toolUse",
      }),
      fauxAssistantMessage(fauxToolCall("repeat", { word: "", times: 2 }, { id: "c2" }), {
        stopReason: "toolUse",
      }),
      fauxAssistantMessage("Done"),
    ]);
    const agent = new Agent({
      initialState: { model: faux.getModel(), tools: toAgentTools([repeat]) },
      streamFn: models.streamSimple.bind(models),
    });
    const updates: unknown[] = [];
    agent.subscribe((event) => {
      if (event.type === "tool_execution_update") updates.push(event.partialResult);
    });
    await agent.prompt("go");
    const results = agent.state.messages.filter((message) => message.role === "toolResult");
    expect(results).toMatchObject([
      { toolCallId: "c1", isError: false, details: { hasContext: false } },
      { toolCallId: "c2", isError: true },
    ]);
    expect(updates).toEqual([{ content: [{ type: "text", text: "repeating ab" }], details: undefined }]);
  });

  it("runs as an entry of the SDK's customTools, with Pi's context", async () => {
    await using pi = await scriptedPiSession({ customTools: toCustomTools([repeat]) });
    await pi.prompt("go", [call("repeat", { word: "ab", times: "2" }), "Done"]);
    expect(pi.toolResults()[0]).toMatchObject({ isError: false, details: { hasContext: true } });
    expect(pi.errors).toEqual([]);
  });

  it("runs from an extension, with Pi's context, and gives scripts its structured content", async () => {
    await using pi = await scriptedPiSession({
      extensions: [toolExtension([repeat]), createCodemodeExtension()],
      tools: ["+codemode"],
    });
    const code =
      'const { text: word } = await tools.repeat({ word: "ab", times: "2" }); text(word.toUpperCase());';
    await pi.prompt("go", [call("codemode", { code }), "Done"]);
    expect(pi.resultText()).toContain("ABAB");
    expect(pi.errors).toEqual([]);
  });

  it("passes every field of Pi's definition through untouched", () => {
    // Fails to compile when Pi adds a field.
    const every = {
      name: "every",
      label: "Every",
      description: "Has every field.",
      promptSnippet: "snippet",
      promptGuidelines: ["guideline"],
      parameters: obj({}),
      constrainedSampling: false,
      renderShell: "self",
      prepareArguments: () => ({}),
      outputSchema: obj({}),
      exposure: "codemode",
      namespace: { name: "space", aliases: ["s"], description: "d", instructions: "i" },
      reachesTools: () => "all",
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      defaultActive: false,
      prepareLoadout: () => undefined,
      executionMode: "sequential",
      execute: async () => textResult(""),
      renderCall: () => ({ render: () => [], invalidate: () => {} }),
      renderResult: () => ({ render: () => [], invalidate: () => {} }),
    } satisfies Required<Record<keyof ToolDefinition, unknown>>;
    const defined: Record<string, unknown> = { ...toCustomTool(definePiTool(every as never)) };
    const passed = Object.keys(every).filter((key) => defined[key] === every[key as keyof typeof every]);
    expect(passed).toEqual(Object.keys(every).filter((key) => key !== "execute"));
    // What Pi will add one day.
    expect(toCustomTool(definePiTool({ ...every, someday: every } as never))).toHaveProperty(
      "someday",
      every,
    );
  });

  it("keeps what the low-level agent would wrongly declare away from it", () => {
    const hidden = named("hidden", { exposure: "hidden" });
    expect(() => toAgentTool(hidden)).toThrow(expect.objectContaining({ code: "wrong-route" }));
    const tools = [
      repeat,
      hidden,
      named("script", { exposure: "codemode" }),
      named("off", { defaultActive: false }),
    ];
    expect(toAgentTools(tools).map(({ name }) => name)).toEqual(["repeat"]);
    expect(() => toAgentTools([repeat, repeat])).toThrow(/"repeat" and "repeat" is given twice/);
  });
});

describe("the same name through two routes", () => {
  const inline = (name: string, factory: ExtensionFactory) => ({ name, factory });

  it("is told with both owners when the session starts: SDK and extension", async () => {
    // contract B1
    await using pi = await scriptedPiSession({
      customTools: [toCustomTool(repeat)],
      extensions: [
        inline("weather", toolExtension([repeat, named("other")], { owner: "the weather extension" })),
      ],
    });
    expect(pi.errors).toEqual([
      {
        source: "<inline:weather>",
        event: "session_start",
        message: expect.stringMatching(
          /^Tool "repeat" is registered twice: by the SDK's customTools \(<sdk:repeat>\), whose tool runs, and by the weather extension\./,
        ) as string,
      },
    ]);
  });

  it("is told with both owners when the session starts: two extensions", async () => {
    await using pi = await scriptedPiSession({
      extensions: [
        inline("first", (api) => api.registerTool(toCustomTool(named("same")))),
        inline(
          "second",
          toolExtension([{ ...named("same"), description: "Another." }], { owner: "the second" }),
        ),
      ],
    });
    expect(pi.errors.map(({ message }) => message)).toContain(
      'Tool "same" is registered twice: by the extension <inline:first>, whose tool runs, and by the second. Register it through one route, or rename one.',
    );
  });

  it("is told when the extension registers late, from a handler", async () => {
    await using pi = await scriptedPiSession({
      customTools: [toCustomTool(repeat)],
      extensions: [
        (api) => {
          api.on("session_start", () => registerTools(api, [named("fine")]));
          api.on("session_start", () => registerTools(api, [repeat], { owner: "the late one" }));
        },
      ],
    });
    expect(pi.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining("and by the late one") as string,
    ]);
    expect(pi.activeTools()).toContain("fine");
  });

  it("is told to the program that creates the session, before the first prompt", async () => {
    await using pi = await scriptedPiSession({
      extensions: [
        inline("a", toolExtension([named("x"), named("y")])),
        inline("b", toolExtension([named("y")])),
      ],
    });
    const clashes = findRouteClashes({ customTools: [toCustomTool(named("x"))], extensions: pi.extensions });
    expect(clashes.map(({ name, winner, loser }) => [name, winner, loser])).toEqual([
      ["x", "the SDK's customTools (<sdk:x>)", "the extension <inline:a>"],
      ["y", "the extension <inline:a>", "the extension <inline:b>"],
    ]);
  });

  it("is no clash when the extension registers its tool again as hidden", async () => {
    // contract A2, B1
    await using pi = await scriptedPiSession({
      extensions: [
        (api) => {
          registerTools(api, [repeat]);
          withdrawTool(api, repeat);
        },
      ],
    });
    expect(pi.errors).toEqual([]);
    await pi.prompt("go", [call("repeat", { word: "a", times: 1 }), "Done"]);
    expect(pi.resultText()).toContain("not found");
  });

  it("is no clash when an extension replaces a built-in tool, which is its right", async () => {
    await using pi = await scriptedPiSession({ extensions: [toolExtension([named("read")])] });
    expect(pi.errors).toEqual([]);
  });

  it("is told for names that become one identifier", async () => {
    await using pi = await scriptedPiSession({
      customTools: [toCustomTool(named("my-tool"))],
      extensions: [toolExtension([named("my_tool")])],
    });
    expect(pi.errors[0]?.message).toContain('"my_tool" and "my-tool" both become `my_tool` in a script');
  });
});

describe("a session that leaves tools out", () => {
  it("starts without complaint, and the extension can say what is missing", async () => {
    // contract B13
    let missing: readonly string[] = [];
    await using pi = await scriptedPiSession({
      extensions: [
        (api) => {
          registerTools(api, [named("kept"), named("left")]);
          api.on("session_start", () => void (missing = missingTools(api, ["kept", "left"])));
        },
      ],
      excludeTools: ["left"],
    });
    expect(pi.errors).toEqual([]);
    expect(missing).toEqual(["left"]);
  });
});
