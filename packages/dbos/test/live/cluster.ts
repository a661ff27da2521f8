/** A PostgreSQL of its own in a temporary folder, at a free port of loopback, under a user that is not root. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Cluster {
  /** Of a database in it. */
  readonly url: (database: string) => string;
  readonly create: (database: string) => void;
  /** SIGKILL to the server, as the system does it when memory is short. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const PASSWORD = "of-a-test";

export async function startCluster(): Promise<Cluster> {
  const programs = process.env["NESTBOX_POSTGRES"] ?? "";
  const folder = mkdtempSync(join(tmpdir(), "nestbox-postgres-"));
  const port = await freePort();
  const user = unprivileged();
  const secret = join(folder, "password");
  writeFileSync(secret, PASSWORD, { mode: 0o600 });
  if (user !== undefined) {
    for (const path of [folder, secret]) chownSync(path, user.uid, user.gid);
  }
  chmodSync(folder, 0o700);
  const run = { ...user, cwd: folder, env: { LC_ALL: "C", PATH: process.env["PATH"] ?? "" } } as const;
  const data = join(folder, "data");
  execFileSync(
    join(programs, "initdb"),
    [
      "-D",
      data,
      "-U",
      "nestbox",
      "-E",
      "UTF8",
      "--locale=C",
      "-A",
      "scram-sha-256",
      "--pwfile",
      secret,
      "-N",
    ],
    { ...run, stdio: "ignore" },
  );
  const settings = [
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    "max_connections=100",
    "shared_buffers=64MB",
    // The machine does not lose power here: what a dead process has written stays.
    "fsync=off",
  ];
  let server: ChildProcess | undefined;

  const ready = (): boolean =>
    spawnSync(join(programs, "pg_isready"), ["-q", "-h", "127.0.0.1", "-p", String(port)]).status === 0;

  async function start(): Promise<void> {
    const args = ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])];
    for (let attempt = 0; attempt < 600; attempt++) {
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) {
        // After a kill it refuses to start until the last of its children is gone.
        server = spawn(join(programs, "postgres"), args, { ...run, stdio: "ignore" });
      }
      if (ready()) return;
      await pause(100);
    }
    throw new Error("PostgreSQL does not start");
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const running = server;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill(signal);
    await ended;
  }

  const url = (database: string): string =>
    `postgresql://nestbox:${PASSWORD}@127.0.0.1:${port}/${database}?sslmode=disable`;

  await start();
  return {
    url,
    create(database) {
      execFileSync(join(programs, "psql"), [url("postgres"), "-q", "-c", `CREATE DATABASE ${database}`], run);
    },
    kill: () => end("SIGKILL"),
    start,
    async close() {
      await end("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to be started by root. */
function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
