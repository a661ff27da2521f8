import { appendFileSync } from "node:fs";
import type { CallableTool, JsonObject } from "@nestbox/tool";
import { createParking } from "@nestbox/codemode/durable";
import { createRunner } from "@nestbox/codemode/node";
import { openBlobFolder, startWorker, type Worker } from "../../../src/node/index.ts";

export interface TestWorkerOptions {
  readonly folder: string;
  readonly ingressUrl: string;
  /** Stands in what its tools write. */
  readonly name: string;
  readonly port?: number;
  /** Another version is another tool. */
  readonly version?: string;
}

/**
 * A worker with tools that write a line each to `<folder>/effects`, `worker tool:n`, the moment that they run: `work`
 * waits `ms`, `deploy` runs when a person says yes.
 */
export async function testWorker(options: TestWorkerOptions): Promise<Worker> {
  const { folder, ingressUrl, name: workerName, port = 0, version = "1" } = options;
  const runner = createRunner({ maxProcesses: 2 });
  const parking = createParking();
  const tools = [
    tool("work", version),
    tool("retry", version, { idempotentHint: true }),
    tool("deploy", version),
  ];

  async function execute(callId: string, name: string, args: JsonObject, signal: AbortSignal | undefined) {
    const toolCall = { type: "toolCall" as const, id: `${callId}/1`, name, arguments: args };
    if (name === "deploy") {
      const item = {
        callId: `${callId}/1`,
        toolName: name,
        lines: [JSON.stringify(args)],
        chain: ["script", name],
        folder: "/project",
        reason: "It deploys",
        rule: "test.ask",
        layer: "test",
        fingerprint: JSON.stringify(args),
      };
      const answer = await parking.approver.ask({ item }, { signal: signal ?? new AbortController().signal });
      if (answer.kind !== "approved") {
        const decision = { effect: "deny" as const, rule: "test.ask", layer: "test" };
        const text = answer.kind === "declined" ? "Declined" : "Nobody there";
        const result = { content: [{ type: "text" as const, text }], details: {} };
        return { toolCall, result, isError: true, decision };
      }
    }
    appendFileSync(`${folder}/effects`, `${workerName} ${callId} ${name}:${String(args["n"])}\n`);
    const ms = Number(args["ms"] ?? 0);
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    const structuredContent: JsonObject = { n: args["n"] ?? null, callId };
    return { toolCall, result: { content: [], details: {}, structuredContent }, isError: false };
  }

  const worker = await startWorker({
    ingressUrl,
    blobs: openBlobFolder(`${folder}/blobs`),
    port,
    reusePort: port !== 0,
    pollMs: 100,
    suspendAfterMs: 500,
    carrierFor: () => ({
      runner,
      parking,
      callerFor: (callId) => ({
        tools,
        executeTool: (name, args, call) => execute(callId, name, (args ?? {}) as JsonObject, call?.signal),
      }),
    }),
  });
  return {
    url: worker.url,
    async close(closing) {
      await worker.close(closing);
      await runner.close();
    },
  };
}

function tool(name: string, version: string, annotations: CallableTool["annotations"] = {}): CallableTool {
  return {
    name,
    label: name,
    description: `The tool ${name}, version ${version}`,
    parameters: { type: "object" },
    outputSchema: { type: "object" },
    annotations,
  };
}
