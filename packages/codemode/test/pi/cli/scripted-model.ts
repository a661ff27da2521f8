import { type AssistantMessage, createAssistantMessageEventStream } from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** A provider whose model sends the user's text as a script, and answers a tool's result with its text. */
export default function scriptedModel(pi: ExtensionAPI): void {
  pi.registerProvider("scripted", {
    baseUrl: "http://127.0.0.1:1",
    apiKey: "none",
    api: "scripted",
    models: [
      {
        id: "m",
        name: "m",
        reasoning: false,
        input: ["text"],
        cost: nothing,
        contextWindow: 100_000,
        maxTokens: 1_000,
      },
    ],
    streamSimple(model, context) {
      const stream = createAssistantMessageEventStream();
      const last = context.messages.at(-1);
      const parts =
        last === undefined ? [] : typeof last.content === "string" ? [last.content] : last.content;
      const text = parts
        .map((part) => (typeof part === "string" ? part : part.type === "text" ? part.text : ""))
        .join("\n");
      const isScript = last?.role === "user";
      const message: AssistantMessage = {
        role: "assistant",
        api: model.api,
        provider: model.provider,
        model: model.id,
        content: isScript
          ? [{ type: "toolCall", id: "call", name: "codemode", arguments: { code: text } }]
          : [{ type: "text", text }],
        stopReason: isScript ? "toolUse" : "stop",
        usage: { ...nothing, totalTokens: 0, cost: { ...nothing, total: 0 } },
        timestamp: 0,
      };
      queueMicrotask(() => {
        stream.push({ type: "start", partial: message });
        stream.push({ type: "done", reason: isScript ? "toolUse" : "stop", message });
        stream.end(message);
      });
      return stream;
    },
  });
}
