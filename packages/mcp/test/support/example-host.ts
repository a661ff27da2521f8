import type { ServedHost } from "@nestbox/mcp";
import { fakeHost, text } from "./fake-host.ts";

const namespace = { name: "review", instructions: "Call word_count before you answer." };

/** The tools that the server tests serve, in this process and in a child. */
export function exampleHost(onStop: () => void = () => {}): ServedHost & { readonly asked: unknown[] } {
  return fakeHost(
    {
      word_count: {
        label: "Word count",
        namespace,
        parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        outputSchema: { type: "object", properties: { words: { type: "number" } }, required: ["words"] },
        annotations: { readOnlyHint: true, openWorldHint: false },
        run: ({ text: given }) => {
          const words = String(given).split(" ").length;
          return text(`${words} words`, { structuredContent: { words } });
        },
      },
      fails_with_data: {
        namespace,
        outputSchema: { type: "object", properties: { left: { type: "number" } } },
        run: () => text("two are left", { isError: true, structuredContent: { left: 2 } }),
      },
      breaks_its_word: {
        outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
        run: () => text("deleted it", { structuredContent: { n: "one" } }),
      },
      lists: { outputSchema: { type: "array" }, run: () => text("three", { structuredContent: [1, 2, 3] }) },
      steps: {
        run: async (_args, { onUpdate }) => {
          for (const step of ["one", "two", "three"]) {
            onUpdate(text(step));
            // The official client forgets progress that arrives in one chunk with the result.
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
          return text("done");
        },
      },
      waits: {
        run: (_args, { signal, onUpdate }) =>
          new Promise((_resolve, reject) => {
            onUpdate(text("waiting"));
            signal.addEventListener("abort", () => {
              onStop();
              reject(new Error("stopped"));
            });
          }),
      },
      push: { run: () => text("never") },
      picture: {
        run: () => ({ content: [{ type: "image", data: "aGk=", mimeType: "image/png" }], details: {} }),
      },
    },
    ["push"],
  );
}
