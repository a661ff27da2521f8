/** A PostgreSQL of its own, at a free port of loopback, under a user that is not root. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { freePort } from "./free-port.ts";
import { MissingServer } from "./missing-server.ts";
import { ownFolder, type Server, type ServerOptions, startProgram } from "./server-process.ts";

export interface PostgresServer extends Server {
  /** Of a database in it, for the user that owns the server or for a role that has been made. */
  readonly url: (database: string, role?: string) => string;
  readonly create: (database: string) => void;
  /** Runs statements as the user that owns the server. */
  readonly sql: (database: string, text: string) => void;
}

interface PostgresOptions extends ServerOptions {
  /** Who owns the server. */
  readonly user?: string;
  /** Of the server, `name=value`, in place of those of a small one. */
  readonly settings?: readonly string[];
}

/** Of the user that owns the server: nothing else of the machine reaches what it guards. */
export const PASSWORD = "of-a-test";

const PROGRAMS: readonly string[] = ["initdb", "pg_isready", "postgres", "psql"];
// The machine does not lose power here: what a dead process has written stays.
const SMALL: readonly string[] = ["max_connections=100", "shared_buffers=64MB", "fsync=off"];
const POSTGRES_MISSING =
  "PostgreSQL is not installed. On Debian and Ubuntu: sudo apt-get install postgresql. On macOS: brew install postgresql.";

/** The folder of its programs: the one that NESTBOX_POSTGRES names, or the system's. */
export function findPostgres(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env["NESTBOX_POSTGRES"];
  const folders = [
    ...(named === undefined ? [] : [named]),
    ...globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed(),
    ...globSync("/opt/homebrew/opt/postgresql*/bin").toSorted().toReversed(),
    ...(env["PATH"] ?? "").split(":"),
  ];
  return folders.find((folder) => PROGRAMS.every((name) => existsSync(join(folder, name))));
}

/** Rejects with `MissingServer` where its programs are not there. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { user = "nestbox", settings = SMALL } = options;
  const programs = findPostgres();
  if (programs === undefined) throw new MissingServer(POSTGRES_MISSING);
  const port = await freePort();
  const folder = options.folder ?? ownFolder("postgres");
  const system = unprivileged();
  const secret = join(folder, "password");
  writeFileSync(secret, PASSWORD, { mode: 0o600 });
  if (system !== undefined) for (const path of [folder, secret]) chownSync(path, system.uid, system.gid);
  chmodSync(folder, 0o700);
  const run = { ...system, cwd: folder, env: { LC_ALL: "C", PATH: process.env["PATH"] ?? "" } } as const;
  const data = join(folder, "data");
  const make = ["-D", data, "-U", user, "-E", "UTF8", "--locale=C", "-A", "scram-sha-256"];
  execFileSync(join(programs, "initdb"), [...make, "--pwfile", secret, "-N"], { ...run, stdio: "ignore" });

  const own = ["listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`];
  const asked = ["-q", "-h", "127.0.0.1", "-p", String(port), "-d", "postgres", "-U", user];
  const server = await startProgram({
    name: "PostgreSQL",
    folder,
    spawn: options.spawn,
    program: join(programs, "postgres"),
    args: ["-D", data, "-p", String(port), ...[...own, ...settings].flatMap((setting) => ["-c", setting])],
    options: run,
    answers: () => spawnSync(join(programs, "pg_isready"), asked).status === 0,
    endsWith: "SIGQUIT",
  });
  const url = (database: string, role = user): string =>
    `postgresql://${role}:${PASSWORD}@127.0.0.1:${port}/${database}?sslmode=disable`;
  const sql = (database: string, text: string): void => {
    execFileSync(join(programs, "psql"), [url(database), "-q", "-v", "ON_ERROR_STOP=1", "-c", text], {
      ...run,
      stdio: ["ignore", "ignore", "pipe"],
    });
  };
  return Object.assign(server, {
    url,
    sql,
    create: (database: string) => sql("postgres", `CREATE DATABASE ${database}`),
  });
}

/** PostgreSQL refuses to be started by root. */
function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [, , uid, gid] =
    readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .map((line) => line.split(":"))
      .find(([name]) => name === "nobody") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}
