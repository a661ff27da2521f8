/** The real server of a story, and what the command line is told of it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { startPostgres, startRestate } from "@nestbox/servers";

export interface FleetServer {
  readonly env: Readonly<Record<string, string>>;
  readonly words: readonly string[];
  /** SIGKILL, and waits until it is gone. */
  readonly kill: () => Promise<void>;
  /** Starts it again with what it had kept. */
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** `folder` gets the server's files and the config `fleet.jsonc`; `port` is the first of three that Restate takes. */
export async function startFleetServer(
  engine: string | undefined,
  { folder, port }: { readonly folder: string; readonly port: number },
): Promise<FleetServer> {
  if (engine !== "restate") {
    const { create, url, kill, start, close } = await startPostgres();
    create("fleet");
    return { env: { NESTBOX_DATABASE_URL: url("fleet") }, words: [], kill, start, close };
  }
  const server = await startRestate({ folder: join(folder, "server"), port });
  const { ingressUrl, adminUrl, kill, start, close } = server;
  const config = join(folder, "fleet.jsonc");
  writeFileSync(
    config,
    JSON.stringify({ fleet: { engine: "restate", ingressUrl, adminUrl, blobs: "blobs" } }),
  );
  return { env: {}, words: ["--config", config], kill, start, close };
}
