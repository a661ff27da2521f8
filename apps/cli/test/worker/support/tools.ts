import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

import type { RunnableTool } from "@nestbox/tool";

const path = { type: "object", properties: { path: { type: "string" } }, required: ["path"] } as const;
const done = { content: [{ type: "text" as const, text: "done" }], details: {} };

/** Tools of a worker: harmless, asked about, and two that take their time. */
const tools: readonly RunnableTool[] = [
  {
    name: "double",
    label: "Double",
    description: "Doubles a number.",
    parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    annotations: { readOnlyHint: true, openWorldHint: false },
    execute: async (_id: string, { n }: { n: number }) => ({ ...done, structuredContent: { n: n * 2 } }),
  },
  {
    name: "deploy",
    label: "Deploy",
    description: "Deploys. Says nothing about what it does, so a person is asked.",
    parameters: { type: "object", properties: { to: { type: "string" } } },
    execute: async () => done,
  },
  {
    name: "await_file",
    label: "Await file",
    description: "Ends when there is such a file.",
    parameters: path,
    annotations: { destructiveHint: false, openWorldHint: false },
    async execute(_id: string, params: { path: string }) {
      while (!existsSync(params.path)) await pause(10);
      return done;
    },
  },
  {
    name: "stuck",
    label: "Stuck",
    description: "Never ends, whatever its signal says.",
    parameters: { type: "object", properties: {} },
    annotations: { destructiveHint: false, openWorldHint: false },
    execute: () => new Promise<never>(() => undefined),
  },
];

export default tools;
