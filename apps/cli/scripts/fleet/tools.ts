/**
 * The tools of the workers: those of a review, and three that leave a line behind for what they did, so that it can be
 * counted whether anything happened twice.
 */
import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

import { createReviewTools } from "@nestbox/review/node";
import type { RunnableTool, ToolAnnotations } from "@nestbox/tool";

/** Where the lines go: `<what> <process> <text>`. */
const ledger = process.env["NESTBOX_FLEET_LEDGER"] ?? "";
const RENDERING_MS = 4_000;

const tools: readonly RunnableTool[] = [
  ...createReviewTools({ dangers: [] }),
  tool(
    "note",
    "Writes a line into the notebook of the review.",
    { openWorldHint: false, destructiveHint: false },
    (text) => {
      write("noted", text);
    },
  ),
  tool(
    "render_report",
    "Renders the report of the review. It takes a while, and may be begun again.",
    { openWorldHint: false, destructiveHint: false, idempotentHint: true },
    async (text, signal) => {
      write("rendering", text);
      await pause(RENDERING_MS, undefined, signal === undefined ? {} : { signal });
      write("rendered", text);
    },
  ),
  // It says nothing that would make it harmless: a person is asked.
  tool("send_report", "Sends the report to the team.", {}, (text) => {
    write("sent", text);
  }),
];

export default tools;

function write(what: string, text: string): void {
  appendFileSync(ledger, `${what} ${process.pid} ${text}\n`);
}

function tool(
  name: string,
  description: string,
  annotations: ToolAnnotations,
  run: (text: string, signal: AbortSignal | undefined) => Promise<void> | void,
): RunnableTool {
  return {
    name,
    label: name,
    description,
    parameters: {
      type: "object",
      properties: { text: { type: "string", maxLength: 200 } },
      required: ["text"],
      additionalProperties: false,
    },
    annotations,
    async execute(_id: string, { text }: { text: string }, signal: AbortSignal | undefined) {
      await run(text, signal);
      return { content: [{ type: "text", text: "done" }], details: {} };
    },
  };
}
