// README
import { createToolHost } from "@nestbox/calls";

const host = createToolHost({
  cwd: process.cwd(),
  // gate: decides every call, root and nested; `createGate` of @nestbox/policy makes one
  // pauses: told while a person is asked, so that clocks stop; that gate has them
});

host.register({
  name: "word_count",
  description: "Counts the words of a text.",
  exposure: "codemode",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  outputSchema: { type: "object", properties: { words: { type: "number" } }, required: ["words"] },
  async execute(_id: string, { text }: { text: string }) {
    const words = text.split(/\s+/).length;
    return { content: [{ type: "text", text: `${words} words` }], details: {}, structuredContent: { words } };
  },
});

// On behalf of a script: reaches `codemode`, `deferred` and active `direct` tools. Ids are script-1/1, script-1/2…
const caller = host.caller({ callId: "script-1", toolName: "codemode" });
const outcome = await caller.executeTool("word_count", { text: "two words" });
const { structuredContent } = outcome.result; // { words: 2 }
const { isError } = outcome; // false; unknown, invalid, blocked, thrown and aborted calls are outcomes too
const { nestedCalls, usage } = await caller.close(); // the bounded record; what still ran was cancelled
// README

export { isError, nestedCalls, structuredContent, usage };
