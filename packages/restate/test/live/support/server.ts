import { type RestateServer, startRestate } from "@nestbox/servers";

/** A real server in a folder, at three ports from `port` on: those of the workers of a test follow them. */
export async function startServer(folder: string, port: number): Promise<RestateServer> {
  return await startRestate({ folder, port });
}
