// What tools of this package may rely on in a real Pi session. A line that fails here after an update of Pi is a
// difference to note in the docs.
import { createCodemodeExtension, createToolSearchExtension } from "@earendil-works/pi-coding-agent";
import { obj } from "@earendil-works/pi-schema";
import { defineTool, textResult, type ToolExposure, type ToolSpec } from "@nestbox/tool";
import { registerTools, toCustomTools, toolExtension } from "@nestbox/tool/pi";
import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { describe, expect, it } from "vitest";

const make = (name: string, extra: Partial<ToolSpec<object>> = {}) =>
  defineTool({
    name,
    description: `Tool ${name}.`,
    parameters: obj({}),
    execute: async () => textResult(name),
    ...extra,
  });

const exposures: readonly ToolExposure[] = ["direct", "model-only", "codemode", "deferred", "hidden"];
const everyExposure = exposures.map((exposure) => make(exposure.replace("-", "_"), { exposure }));

const caller = defineTool({
  name: "caller",
  description: "Calls each.",
  parameters: obj({}),
  async execute(_id, _params, _signal, _onUpdate, ctx) {
    const lines: string[] = [];
    for (const exposure of exposures) {
      const outcome = await ctx?.executeTool(exposure.replace("-", "_"), {});
      lines.push(`${exposure}: ${outcome?.isError === false ? "called" : "refused"}`);
    }
    return textResult(lines.join("\n"));
  },
});

describe("exposure", () => {
  it("says what is declared and what can be called", async () => {
    // contract A1, A2
    await using pi = await scriptedPiSession({
      extensions: [toolExtension([...everyExposure, caller])],
      noTools: "builtin",
    });
    expect(pi.activeTools()).toEqual(["direct", "model_only", "caller"]);
    await pi.prompt("go", [call("caller"), call("hidden"), call("deferred"), "Done"]);
    expect(pi.resultText("call-1").split("\n")).toEqual([
      "direct: called",
      "model-only: refused",
      "codemode: called",
      "deferred: called",
      "hidden: refused",
    ]);
    expect(pi.resultText("call-2")).toContain("not found");
    expect(pi.resultText("call-3")).toContain("not found");
    expect(pi.calls().map(({ id, parentId, name, status }) => [id, parentId, name, status])).toEqual([
      ["call-1", undefined, "caller", "ok"],
      ["call-1/1", "call-1", "direct", "ok"],
      ["call-1/2", "call-1", "model_only", "error"],
      ["call-1/3", "call-1", "codemode", "ok"],
      ["call-1/4", "call-1", "deferred", "ok"],
      ["call-1/5", "call-1", "hidden", "error"],
      ["call-2", undefined, "hidden", "error"],
      ["call-3", undefined, "deferred", "error"],
    ]);
  });

  it("and `defaultActive: false` leave activation to a loader", async () => {
    // contract A2, A20
    const loader = defineTool({
      name: "loader",
      description: "",
      parameters: obj({}),
      execute: async () => textResult(""),
    });
    await using pi = await scriptedPiSession({
      noTools: "builtin",
      extensions: [
        (api) => {
          registerTools(api, [
            make("optional", { defaultActive: false }),
            make("late", { exposure: "deferred" }),
            {
              ...loader,
              execute: async () => {
                api.setActiveTools([...api.getActiveTools(), "optional", "late", "nowhere"]);
                return textResult("loaded");
              },
            },
          ]);
        },
      ],
    });
    expect(pi.activeTools()).toEqual(["loader"]);
    await pi.prompt("go", [call("optional"), call("loader"), call("optional"), call("late"), "Done"]);
    expect(pi.toolResults().map(({ isError }) => isError)).toEqual([true, false, false, false]);
    expect(pi.activeTools()).toEqual(["loader", "optional", "late"]);
  });
});

describe("a namespace", () => {
  const namespace = {
    name: "garden",
    aliases: ["yard"],
    description: "Work in the garden.",
    instructions: "Water before you weed.",
  };

  it("heads the list that scripts see, and its instructions are read on request", async () => {
    // contract A21
    await using pi = await scriptedPiSession({
      extensions: [
        toolExtension([make("water", { exposure: "codemode", namespace })]),
        createCodemodeExtension(),
        createToolSearchExtension(),
      ],
      tools: ["+codemode"],
    });
    const code =
      'text(JSON.stringify(await describeNamespace("yard"))); text(JSON.stringify(await searchTools("water")));';
    await pi.prompt("go", [call("codemode", { code }), "Done"]);
    const declared = JSON.stringify(pi.transcript().filter((message) => message.role === "system"));
    expect(declared).toContain("Work in the garden.");
    expect(declared).not.toContain("Water before you weed.");
    expect(pi.resultText()).toContain("Water before you weed.");
    expect(pi.resultText()).toContain("water");
  });
});

describe("a batch of calls", () => {
  const ending = (name: string, terminate: boolean) =>
    make(name, { execute: async () => textResult(name, { terminate }) });

  it("ends the follow-up only when all of its tools agree", async () => {
    // contract A13
    await using pi = await scriptedPiSession({
      customTools: toCustomTools([ending("yes", true), ending("no", false)]),
    });
    await pi.prompt("go", [[call("yes"), call("no")], "Followed up"]);
    expect(pi.transcript().at(-1)?.role).toBe("assistant");
    await pi.prompt("go", [[call("yes"), call("yes")]]);
    expect(pi.transcript().at(-1)?.role).toBe("toolResult");
  });

  it("runs at the same time, unless one of its tools is sequential", async () => {
    // contract A14, B6
    let [running, most] = [0, 0];
    const slow = (name: string, executionMode: "parallel" | "sequential") =>
      make(name, {
        executionMode,
        async execute() {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setTimeout(resolve, 20));
          running -= 1;
          return textResult(name);
        },
      });
    await using pi = await scriptedPiSession({
      customTools: toCustomTools([slow("free", "parallel"), slow("alone", "sequential")]),
    });
    await pi.prompt("go", [[call("free"), call("free"), call("free")], "Done"]);
    expect(most).toBe(3);
    most = 0;
    await pi.prompt("go", [[call("free"), call("alone"), call("free")], "Done"]);
    expect(most).toBe(1);
  });
});

describe("a run that the person aborts", () => {
  it("cancels the tool that runs, and its nested call with it", async () => {
    // contract B3
    const reasons: string[] = [];
    const waits = make("waits", {
      execute: (_id, _params, signal, onUpdate) =>
        new Promise<never>((_resolve, reject) => {
          signal?.addEventListener("abort", () => {
            reasons.push((signal.reason as Error).name);
            reject(signal.reason as Error);
          });
          onUpdate?.(textResult("waiting"));
        }),
    });
    const outer = make("outer", {
      async execute(_id, _params, _signal, _onUpdate, ctx) {
        const outcome = await ctx?.executeTool("waits", {});
        return textResult(String(outcome?.isError));
      },
    });
    await using pi = await scriptedPiSession({ customTools: toCustomTools([waits, outer]) });
    await pi.prompt("go", [call("outer"), "Never said"], {
      abortWhen: (event) => event.type === "tool_execution_update" && event.toolName === "waits",
    });
    expect(reasons).toEqual(["AbortError"]);
    expect(pi.calls()).toMatchObject([
      { id: "call-1", name: "outer" },
      { id: "call-1/1", name: "waits", status: "error", updates: 1 },
    ]);
  });
});

describe("a person who is asked", () => {
  it("is announced to every extension, so that clocks can stop", async () => {
    const seen: string[] = [];
    await using pi = await scriptedPiSession({
      ui: {
        select: (question) => question.options?.[1],
        input: ["typed"],
        editor: "edited",
        custom: () => 42,
      },
      extensions: [
        (api) => {
          api.on("ui_prompt_start", ({ kind }) => void seen.push(`start ${kind}`));
          api.on("ui_prompt_end", ({ kind }) => void seen.push(`end ${kind}`));
          api.on("session_start", async (_event, ctx) => {
            seen.push(String(await ctx.ui.select("Which?", ["a", "b"])));
            seen.push(String(await ctx.ui.input("Name?", "placeholder")));
            seen.push(String(await ctx.ui.input("Again?")));
            seen.push(String(await ctx.ui.editor("Text?", "draft")));
            seen.push(String(await ctx.ui.custom(() => ({ render: () => [], invalidate: () => {} }))));
            ctx.ui.setStatus("key", "value");
            ctx.ui.setWidget("widget", ["line"]);
            seen.push(ctx.ui.theme.bold("x").includes("x") ? "themed" : "");
          });
        },
      ],
    });
    expect(pi.errors).toEqual([]);
    expect(seen.filter((line) => !/^(start|end)/.test(line))).toEqual([
      "b",
      "typed",
      "undefined",
      "edited",
      "42",
      "themed",
    ]);
    expect(seen.slice(0, 3)).toEqual(["start select", "end select", "b"]);
    expect(pi.ui?.dialogs.map(({ kind, message }) => [kind, message])).toEqual([
      ["select", undefined],
      ["input", "placeholder"],
      ["input", undefined],
      ["editor", "draft"],
      ["custom", undefined],
    ]);
    expect(pi.ui?.status.get("key")).toBe("value");
    expect(pi.ui?.widgets.get("widget")).toEqual(["line"]);
  });
});
