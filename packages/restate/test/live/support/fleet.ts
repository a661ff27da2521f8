import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { TestWorkerOptions } from "./test-worker.ts";

const program = fileURLToPath(new URL("worker-child.ts", import.meta.url));

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Child {
  readonly process: ChildProcess;
  /** The first line that it prints. */
  readonly ready: Promise<string>;
  readonly exit: Promise<Exit>;
}

/** A worker in another process. */
export function startChild(config: TestWorkerOptions): Child {
  const running = spawn(
    process.execPath,
    ["--conditions=@nestbox/source", "--no-warnings", program, JSON.stringify(config)],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const exit = new Promise<Exit>((resolve) => {
    running.on("close", (code, signal) => resolve({ code, signal }));
  });
  const ready = new Promise<string>((resolve, reject) => {
    let text = "";
    running.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      const end = text.indexOf("\n");
      if (end >= 0) resolve(text.slice(0, end));
    });
    void exit.then(({ code, signal }) => reject(new Error(`The child has ended: ${code ?? signal}`)));
  });
  ready.catch(() => undefined);
  return { process: running, ready, exit };
}
