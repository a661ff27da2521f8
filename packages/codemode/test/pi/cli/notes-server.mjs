// A minimal MCP server over standard input and output: one tool that answers structured content.
import { createInterface } from "node:readline";

const answer = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);

const tool = {
  name: "find-note",
  description: "Finds a note by its words.",
  inputSchema: { type: "object", properties: { words: { type: "string" } }, required: ["words"] },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize") {
    const serverInfo = { name: "notes", version: "1.0.0" };
    answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
  } else if (method === "tools/list") answer(id, { tools: [tool] });
  else if (method === "tools/call") {
    const text = `found ${params.arguments.words}`;
    answer(id, { content: [{ type: "text", text }], structuredContent: { text } });
  } else answer(id, {});
});
