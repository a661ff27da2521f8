import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, mkdirSync } from "node:fs";
import { networkInterfaces } from "node:os";

export interface TestServer {
  readonly ingressUrl: string;
  readonly adminUrl: string;
  readonly pid: () => number;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
  /** Starts it again with the same folder. */
  start(): Promise<void>;
}

/**
 * A real server in a folder. It is started in a namespace with nothing but loopback and nowhere else: at every start
 * it asks a public address for its newest version.
 */
export async function startServer(folder: string, base: number): Promise<TestServer> {
  const program = process.env["NESTBOX_RESTATE_SERVER"];
  const outside = Object.entries(networkInterfaces()).filter(([name]) => name !== "lo");
  if (program === undefined || outside.length > 0)
    throw new Error("The server runs in a network namespace of its own only: `pnpm run test:live`");
  mkdirSync(folder, { recursive: true });
  const log = createWriteStream(`${folder}/server.log`, { flags: "a" });
  let child: ChildProcess | undefined;
  const url = (port: number): string => `http://127.0.0.1:${port}`;
  const [ingress, admin, node] = [base, base + 1, base + 2];

  async function start(): Promise<void> {
    const running = spawn(
      program ?? "",
      ["--no-logo", "--listen-mode", "tcp", "--bind-ip", "127.0.0.1", "--bind-port", String(node)],
      {
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          PATH: process.env["PATH"],
          DO_NOT_TRACK: "1",
          RESTATE_BASE_DIR: `${folder}/data`,
          RESTATE_NODE_NAME: "test",
          RESTATE_DISABLE_TELEMETRY: "true",
          RESTATE_DEFAULT_NUM_PARTITIONS: "4",
          RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256 MiB",
          RESTATE_LOG_FORMAT: "compact",
          RESTATE_LOG_DISABLE_ANSI_CODES: "true",
          RESTATE_INGRESS__BIND_PORT: String(ingress),
          RESTATE_ADMIN__BIND_PORT: String(admin),
        },
      },
    );
    running.stdout.pipe(log, { end: false });
    running.stderr.pipe(log, { end: false });
    child = running;
    const until = Date.now() + 60_000;
    for (const address of [`${url(admin)}/health`, `${url(ingress)}/restate/health`]) {
      while (!(await isHealthy(address))) {
        if (running.exitCode !== null || Date.now() > until)
          throw new Error(`The server does not start: ${folder}/server.log`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  await start();
  return {
    ingressUrl: url(ingress),
    adminUrl: url(admin),
    pid: () => child?.pid ?? 0,
    start,
    async kill() {
      const gone = child;
      if (gone === undefined || gone.exitCode !== null || gone.signalCode !== null) return;
      await new Promise((resolve) => {
        gone.once("close", resolve);
        gone.kill("SIGKILL");
      });
    },
  };
}

async function isHealthy(address: string): Promise<boolean> {
  try {
    return (await fetch(address)).ok;
  } catch {
    return false;
  }
}
