/** The servers that a fleet needs, for the time of the story: PostgreSQL for DBOS, or Restate's own. */
import { type ChildProcess, execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { freePort, type Household } from "./household.ts";

export type EngineName = "dbos" | "restate";

/** What the command line is told of the fleet. */
export interface FleetPlace {
  readonly words: readonly string[];
  /** What a worker is told besides. */
  readonly workerWords: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly server: ChildProcess;
}

/** Something of the system is missing; says what, and how to have it. */
export class MissingServer extends Error {
  override readonly name = "MissingServer";
}

const START_MS = 30_000;

/** The folder of the programs of PostgreSQL, `undefined` where there is none. */
export function findPostgres(): string | undefined {
  const named = process.env["NESTBOX_POSTGRES"];
  const folders = [
    ...(named === undefined ? [] : [named]),
    ...globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed(),
    ...globSync("/opt/homebrew/opt/postgresql*/bin").toSorted().toReversed(),
    ...(process.env["PATH"] ?? "").split(":"),
  ];
  return folders.find((folder) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name))));
}

/** Where `packages/restate/scripts/install-server.sh` puts the server. */
export function findRestate(): string | undefined {
  const folder = process.env["NESTBOX_RESTATE"] ?? join(tmpdir(), "nestbox-restate-server");
  return globSync(`${folder}/node_modules/@restatedev/restate-server-*/bin/restate-server`)[0];
}

export async function startServer(
  engine: EngineName,
  household: Household,
  say: (message: string) => void,
): Promise<FleetPlace> {
  return await (engine === "dbos" ? startPostgres(household, say) : startRestate(household, say));
}

async function startPostgres(household: Household, say: (message: string) => void): Promise<FleetPlace> {
  const programs = findPostgres();
  if (programs === undefined)
    throw new MissingServer(
      "PostgreSQL is not installed. On Debian and Ubuntu: sudo apt-get install postgresql. On macOS: brew install postgresql. Or say --engine restate.",
    );
  const folder = household.folder("fleet-postgres");
  const port = await freePort();
  const user = unprivileged();
  const secret = join(folder, "password");
  writeFileSync(secret, "of-a-story", { mode: 0o600 });
  if (user !== undefined) for (const path of [folder, secret]) chownSync(path, user.uid, user.gid);
  const run = { ...user, cwd: folder, env: { LC_ALL: "C", PATH: process.env["PATH"] ?? "" } } as const;
  const data = join(folder, "data");
  const make = ["-D", data, "-U", "nestbox", "-E", "UTF8", "--locale=C", "-A", "scram-sha-256"];
  execFileSync(join(programs, "initdb"), [...make, "--pwfile", secret, "-N"], { ...run, stdio: "ignore" });
  const settings = ["listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`, "fsync=off"];
  const server = household.start(
    join(programs, "postgres"),
    ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
    { ...run, stdio: "ignore" },
  );
  await until("PostgreSQL starts", () => {
    if (server.exitCode !== null) throw new Error("PostgreSQL ended while it started");
    const asked = ["-q", "-h", "127.0.0.1", "-p", String(port), "-d", "postgres", "-U", "nestbox"];
    return spawnSync(join(programs, "pg_isready"), asked).status === 0;
  });
  say(`PostgreSQL runs at port ${port}, in a folder of its own`);
  const url = `postgresql://nestbox:of-a-story@127.0.0.1:${port}/postgres?sslmode=disable`;
  return { words: [], workerWords: [], env: { NESTBOX_DATABASE_URL: url }, server };
}

/** It asks a public address for its newest version at every start: it has no network but loopback here. */
async function startRestate(household: Household, say: (message: string) => void): Promise<FleetPlace> {
  const program = findRestate();
  if (program === undefined) throw new MissingServer(RESTATE_MISSING);
  if (Object.keys(networkInterfaces()).some((name) => name !== "lo"))
    throw new Error("The server of Restate is started in a network namespace of its own only");
  const folder = household.folder("fleet-restate");
  const [ingress, admin, node] = [await freePort(), await freePort(), await freePort()];
  const at = (port: number): string => `http://127.0.0.1:${port}`;
  const server = household.start(
    program,
    ["--no-logo", "--listen-mode", "tcp", "--bind-ip", "127.0.0.1", "--bind-port", String(node)],
    {
      stdio: "ignore",
      env: {
        PATH: process.env["PATH"] ?? "",
        DO_NOT_TRACK: "1",
        RESTATE_DISABLE_TELEMETRY: "true",
        RESTATE_BASE_DIR: join(folder, "data"),
        RESTATE_NODE_NAME: "fleet",
        RESTATE_DEFAULT_NUM_PARTITIONS: "4",
        RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256 MiB",
        RESTATE_INGRESS__BIND_PORT: String(ingress),
        RESTATE_ADMIN__BIND_PORT: String(admin),
      },
    },
  );
  for (const address of [`${at(admin)}/health`, `${at(ingress)}/restate/health`])
    await until("the server of Restate starts", async () => {
      if (server.exitCode !== null) throw new Error("The server of Restate ended while it started");
      return await fetch(address).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  say(`Restate's server runs at ${at(ingress)}, with no network but loopback`);
  const config = join(folder, "nestbox.config.jsonc");
  const blobs = join(folder, "blobs");
  mkdirSync(blobs);
  const fleet = { engine: "restate", ingressUrl: at(ingress), adminUrl: at(admin), blobs };
  writeFileSync(config, JSON.stringify({ fleet }), { mode: 0o600 });
  // A run stays with the address at which it began: both workers listen at one.
  const workerWords = ["--port", String(await freePort()), "--reuse-port"];
  return { words: ["--config", config], workerWords, env: {}, server };
}

export const RESTATE_MISSING =
  "The server of Restate is not there. To have it, and what gives it a network of its own (Linux only): sh packages/restate/scripts/install-server.sh. Or say --engine dbos.";

export async function until(
  what: string,
  holds: () => Promise<boolean> | boolean,
  withinMs = START_MS,
): Promise<void> {
  const last = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > last) throw new Error(`It did not come to this: ${what}`);
    await pause(50);
  }
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
