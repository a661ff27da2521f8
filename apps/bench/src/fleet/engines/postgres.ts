/** A PostgreSQL of its own, with the settings that it comes with, in a folder that goes with it. */
import { type ChildProcess, execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { hasEnded, type Household, pause } from "../household.ts";

export interface Cluster {
  readonly pid: number;
  readonly folder: string;
  /** For a role: what workers send and what the one who measures sends is counted apart. */
  readonly url: (role: Role, database: string) => string;
  readonly create: (database: string) => void;
  readonly countsStatements: boolean;
}

export type Role = "worker" | "client";

const PASSWORD = "of-a-benchmark";
const SETTINGS = ["listen_addresses=127.0.0.1", "max_connections=200"];

/** `programs` is the folder of `initdb` and `postgres`. */
export async function startCluster(household: Household, programs: string): Promise<Cluster> {
  const folder = household.folder("postgres");
  const user = unprivileged();
  const secret = join(folder, "password");
  writeFileSync(secret, PASSWORD, { mode: 0o600 });
  if (user !== undefined) for (const path of [folder, secret]) chownSync(path, user.uid, user.gid);
  chmodSync(folder, 0o700);
  const run = { ...user, cwd: folder, env: { LC_ALL: "C", PATH: process.env["PATH"] ?? "" } } as const;
  const data = join(folder, "data");
  const init = ["-D", data, "-U", "client", "-E", "UTF8", "--locale=C", "-A", "scram-sha-256"];
  execFileSync(join(programs, "initdb"), [...init, "--pwfile", secret, "-N"], { ...run, stdio: "ignore" });

  const port = await freePort();
  const countsStatements = existsSync(join(libraries(programs), "pg_stat_statements.so"));
  const settings = [
    ...SETTINGS,
    `unix_socket_directories=${folder}`,
    ...(countsStatements ? ["shared_preload_libraries=pg_stat_statements"] : []),
  ];
  const args = ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])];
  const server: ChildProcess = household.spawn(join(programs, "postgres"), args, { ...run, stdio: "ignore" });
  const isReady = (): boolean =>
    spawnSync(join(programs, "pg_isready"), ["-q", "-h", "127.0.0.1", "-p", String(port)]).status === 0;
  for (let attempt = 0; !isReady(); attempt++) {
    if (hasEnded(server) || attempt === 600) throw new Error("PostgreSQL does not start");
    await pause(100);
  }

  const url = (role: Role, database: string): string =>
    `postgresql://${role}:${PASSWORD}@127.0.0.1:${port}/${database}?sslmode=disable`;
  const sql = (database: string, text: string): void => {
    execFileSync(join(programs, "psql"), [url("client", database), "-q", "-c", text], {
      ...run,
      stdio: "ignore",
    });
  };
  sql("postgres", `CREATE ROLE worker SUPERUSER LOGIN PASSWORD '${PASSWORD}'`);
  return {
    pid: server.pid ?? 0,
    folder: data,
    url,
    countsStatements,
    create(database) {
      sql("postgres", `CREATE DATABASE ${database} OWNER worker`);
      if (countsStatements) sql(database, "CREATE EXTENSION pg_stat_statements");
    },
  };
}

function libraries(programs: string): string {
  try {
    return execFileSync(join(programs, "pg_config"), ["--pkglibdir"], { encoding: "utf8" }).trim();
  } catch {
    return join(programs, "../lib");
  }
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
