/**
 * A server of Restate of its own. It is started in a network namespace with nothing but loopback and nowhere else: at
 * every start it asks a public address for its newest version. `packages/restate/scripts/live.sh` makes one.
 */
import { existsSync, globSync, mkdirSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";

import { freePort } from "./free-port.ts";
import { MissingServer } from "./missing-server.ts";
import { ownFolder, type Server, type ServerOptions, startProgram } from "./server-process.ts";

export interface RestateServer extends Server {
  readonly ingressUrl: string;
  readonly adminUrl: string;
}

interface RestateOptions extends ServerOptions {
  /** The first of three that follow each other; free ones where none is named. */
  readonly port?: number;
  /** Variables of its environment, in place of those of a small one. */
  readonly settings?: Readonly<Record<string, string>>;
}

const SMALL = {
  RESTATE_DEFAULT_NUM_PARTITIONS: "4",
  RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256 MiB",
} as const;
export const RESTATE_MISSING =
  "The server of Restate is not there. To have it, and what gives it a network of its own (Linux only): sh packages/restate/scripts/install-server.sh.";

/** The program that NESTBOX_RESTATE_SERVER names, or where `packages/restate/scripts/install-server.sh` puts it. */
export function findRestate(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env["NESTBOX_RESTATE_SERVER"];
  if (named !== undefined) return existsSync(named) ? named : undefined;
  const folder = env["NESTBOX_RESTATE"] ?? join(tmpdir(), "nestbox-restate-server");
  return globSync(`${folder}/node_modules/@restatedev/restate-server-*/bin/restate-server`)[0];
}

/** Rejects with `MissingServer` where its program is not there, with another error where it would have a network. */
export async function startRestate(options: RestateOptions = {}): Promise<RestateServer> {
  const program = findRestate();
  if (program === undefined) throw new MissingServer(RESTATE_MISSING);
  if (Object.keys(networkInterfaces()).some((name) => name !== "lo"))
    throw new Error("The server of Restate is started in a network namespace of its own only");
  const { port, settings = SMALL } = options;
  const ports =
    port === undefined ? [await freePort(), await freePort(), await freePort()] : [port, port + 1, port + 2];
  const [ingress, admin, node] = ports.map(String);
  const folder = options.folder ?? ownFolder("restate");
  mkdirSync(folder, { recursive: true });
  const [ingressUrl, adminUrl] = [`http://127.0.0.1:${ingress}`, `http://127.0.0.1:${admin}`];
  const server = await startProgram({
    name: "The server of Restate",
    folder,
    spawn: options.spawn,
    program,
    args: ["--no-logo", "--listen-mode", "tcp", "--bind-ip", "127.0.0.1", "--bind-port", node ?? ""],
    options: {
      env: {
        PATH: process.env["PATH"],
        DO_NOT_TRACK: "1",
        RESTATE_BASE_DIR: join(folder, "data"),
        RESTATE_NODE_NAME: "nestbox",
        RESTATE_DISABLE_TELEMETRY: "true",
        RESTATE_LOG_FORMAT: "compact",
        RESTATE_LOG_DISABLE_ANSI_CODES: "true",
        RESTATE_INGRESS__BIND_PORT: ingress,
        RESTATE_ADMIN__BIND_PORT: admin,
        ...settings,
      },
    },
    answers: async () => (await isWell(`${adminUrl}/health`)) && isWell(`${ingressUrl}/restate/health`),
    endsWith: "SIGKILL",
  });
  return Object.assign(server, { ingressUrl, adminUrl });
}

const isWell = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
