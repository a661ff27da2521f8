import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

import type { RunnableTool, ToolCaller } from "@nestbox/tool";

const path = { type: "object", properties: { path: { type: "string" } }, required: ["path"] } as const;
const done = { content: [{ type: "text" as const, text: "done" }], details: {} };

/** Tools of a worker: harmless, asked about, and two that take their time and tell who made a call of them. */
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
      appendFileSync(`${params.path}.calls`, `${process.pid}\n`);
      while (!existsSync(params.path)) await pause(10);
      return done;
    },
  },
  {
    name: "call_later",
    label: "Call later",
    description: "Calls `double` once there is such a file.",
    parameters: path,
    annotations: { destructiveHint: false, openWorldHint: false },
    async execute(_id: string, params: { path: string }, _signal, _onUpdate, ctx: ToolCaller) {
      appendFileSync(`${params.path}.calls`, `${process.pid}\n`);
      while (!existsSync(params.path)) await pause(10);
      const { result, isError } = await ctx.executeTool("double", { n: 4 });
      return { ...result, isError };
    },
  },
  {
    name: "stuck",
    label: "Stuck",
    description: "Never ends, whatever its signal says.",
    parameters: path,
    annotations: { destructiveHint: false, openWorldHint: false },
    execute(_id: string, params: { path: string }) {
      appendFileSync(`${params.path}.calls`, `${process.pid}\n`);
      return new Promise<never>(() => undefined);
    },
  },
];

export default tools;
