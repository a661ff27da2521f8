import type { ExtensionAPI, ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

/** The smallest image that is one: 1 × 1, transparent. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const Any = Type.Object({}, { additionalProperties: true });

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }], details: {} });

/** The tools that every script of the parity suite can call, and a guard that blocks one of them. */
export const parityTools: ExtensionFactory = (pi: ExtensionAPI) => {
  const namespace = {
    name: "notes-app",
    aliases: ["memo"],
    description: "Notes.",
    instructions: "Search before you write.",
  };
  pi.registerTool({
    name: "echo",
    label: "echo",
    description: "Answers its arguments as text.",
    parameters: Any,
    exposure: "codemode",
    execute: async (_id, params) => text(JSON.stringify(params)),
  });
  pi.registerTool({
    name: "data",
    label: "data",
    description: "Answers structured data.",
    parameters: Type.Object({ i: Type.Number({ minimum: 0, description: "A number" }) }),
    outputSchema: Type.Object({ i: Type.Number(), list: Type.Array(Type.String()) }),
    exposure: "codemode",
    promptGuidelines: ["Use data for numbers."],
    execute: async (_id, { i }) => ({
      ...text("seen by the model"),
      structuredContent: { i, list: ["a", "b"] },
    }),
  });
  pi.registerTool({
    name: "broken",
    label: "broken",
    description: "Throws.",
    parameters: Any,
    exposure: "codemode",
    execute: async () => {
      throw new TypeError("tool exploded");
    },
  });
  pi.registerTool({
    name: "failing-data",
    label: "failing-data",
    description: "Fails with data.",
    parameters: Any,
    outputSchema: Type.Object({ code: Type.Number() }),
    exposure: "codemode",
    execute: async () => ({ ...text("it failed"), structuredContent: { code: 7 }, isError: true }),
  });
  pi.registerTool({
    name: "guarded",
    label: "guarded",
    description: "Is always blocked.",
    parameters: Any,
    exposure: "codemode",
    execute: async () => text("never"),
  });
  pi.registerTool({
    name: "notes_search",
    label: "notes_search",
    description: "Search the notes of the user.",
    parameters: Type.Object({
      query: Type.String(),
      limit: Type.Optional(Type.Integer({ minimum: 1, default: 20 })),
    }),
    exposure: "deferred",
    namespace,
    execute: async (_id, { query }) => text(`found ${query}`),
  });
  pi.registerTool({
    name: "notes_write",
    label: "notes_write",
    description: "Write one note.",
    parameters: Type.Object({ body: Type.String() }),
    exposure: "deferred",
    namespace,
    execute: async () => text("written"),
  });
  pi.registerTool({
    name: "wait",
    label: "wait",
    description: "Waits for a long time.",
    parameters: Any,
    exposure: "codemode",
    execute: (_id, _params, signal) =>
      new Promise<never>((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("stopped")));
      }),
  });
  pi.registerTool({
    name: "picture",
    label: "picture",
    description: "Answers an image block.",
    parameters: Any,
    outputSchema: Any,
    exposure: "codemode",
    execute: async () => ({
      ...text("image"),
      structuredContent: { type: "image", data: PNG, mimeType: "image/png" },
    }),
  });
  pi.registerTool({
    name: "secret",
    label: "secret",
    description: "Cannot be called from scripts.",
    parameters: Any,
    exposure: "model-only",
    execute: async () => text("secret"),
  });
  pi.on("tool_call", (event) =>
    event.toolName === "guarded" ? { block: true, reason: "The guard says no" } : undefined,
  );
};

/** Makes codemode active, as a user's setting does. */
export const activateCodemode: ExtensionFactory = (pi: ExtensionAPI) => {
  pi.on("session_start", () => pi.setActiveTools([...pi.getActiveTools(), "codemode"]));
};
