/** `nestbox worker` in this process, over an engine in memory. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { fileURLToPath } from "node:url";

import { worker, type WorkerCommandOptions } from "../../../src/actions/worker.ts";
import { memoryEngine, type MemoryEngine } from "./memory-engine.ts";

export const workerTools = fileURLToPath(new URL("tools.ts", import.meta.url));

export interface StartedWorker extends AsyncDisposable {
  readonly fleet: MemoryEngine;
  readonly folder: string;
  /** Each line that it said, as JSON. */
  lines(): readonly Readonly<Record<string, unknown>>[];
  /** Resolves when it has said this. */
  said(event: string, runId?: string): Promise<Readonly<Record<string, unknown>>>;
  readonly exitCode: Promise<number>;
  /** Tells it to end. */
  end(): void;
  /** Asks its health server; `undefined` without one. */
  ask(path: string): Promise<{ readonly status: number; readonly text: string }>;
}

export async function startWorker({
  lookMs,
  goodbyeMs,
  ...options
}: WorkerCommandOptions & {
  readonly lookMs?: number;
  readonly goodbyeMs?: number;
} = {}): Promise<StartedWorker> {
  const fleet = memoryEngine();
  const folder = mkdtempSync(join(tmpdir(), "nestbox-worker-"));
  const stdout = new PassThrough();
  let text = "";
  stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const controller = new AbortController();
  const before = process.env["NESTBOX_DATABASE_URL"];
  process.env["NESTBOX_DATABASE_URL"] = "postgresql://nestbox:of-a-test@127.0.0.1:1/none";
  const exitCode = worker(
    {
      json: true,
      tools: [workerTools],
      isolates: 2,
      health: { host: "127.0.0.1", port: 0 },
      ...options,
    },
    { stdin: Readable.from([]), stdout, stderr: new PassThrough().resume() },
    controller.signal,
    {
      open: () => Promise.resolve(fleet.engine),
      ...(lookMs === undefined ? {} : { lookMs }),
      ...(goodbyeMs === undefined ? {} : { goodbyeMs }),
    },
  );
  exitCode.catch(() => undefined);
  if (before === undefined) delete process.env["NESTBOX_DATABASE_URL"];
  else process.env["NESTBOX_DATABASE_URL"] = before;

  const lines = (): readonly Readonly<Record<string, unknown>>[] =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const said: StartedWorker["said"] = async (event, runId) => {
    for (let waited = 0; waited < 30_000; waited += 10) {
      const line = lines().find(
        (one) => one["event"] === event && (runId === undefined || one["runId"] === runId),
      );
      if (line !== undefined) return line;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`It did not say ${event}:\n${text}`);
  };
  await Promise.race([said("worker.ready"), exitCode]);
  return {
    fleet,
    folder,
    lines,
    said,
    exitCode,
    end: () => controller.abort(new Error("terminated")),
    async ask(path) {
      const { health } = await said("worker.health");
      const response = await fetch(`${String(health)}${path}`);
      return { status: response.status, text: await response.text() };
    },
    async [Symbol.asyncDispose]() {
      fleet.away = false;
      controller.abort(new Error("terminated"));
      await exitCode.catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
