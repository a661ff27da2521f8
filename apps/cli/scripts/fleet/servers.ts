/** The servers that a fleet needs, for the time of the story: PostgreSQL for DBOS, or Restate's own. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { freePort, startPostgres, startRestate } from "@nestbox/servers";

import type { Household } from "./household.ts";

export type EngineName = "dbos" | "restate";

/** What the command line is told of the fleet. */
export interface FleetPlace {
  readonly words: readonly string[];
  /** What a worker is told besides. */
  readonly workerWords: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly killServer: () => Promise<void>;
}

const START_MS = 30_000;

/** Its process and its folder are the household's. */
export async function startServer(
  engine: EngineName,
  household: Household,
  say: (message: string) => void,
): Promise<FleetPlace> {
  return await (engine === "dbos" ? onPostgres(household, say) : onRestate(household, say));
}

async function onPostgres(household: Household, say: (message: string) => void): Promise<FleetPlace> {
  const folder = household.folder("fleet-postgres");
  const server = await startPostgres({ folder, spawn: household.start });
  const url = server.url("postgres");
  say(`PostgreSQL runs at port ${new URL(url).port}, in a folder of its own`);
  return { words: [], workerWords: [], env: { NESTBOX_DATABASE_URL: url }, killServer: server.kill };
}

async function onRestate(household: Household, say: (message: string) => void): Promise<FleetPlace> {
  const folder = household.folder("fleet-restate");
  const server = await startRestate({ folder, spawn: household.start });
  const { ingressUrl, adminUrl } = server;
  say(`Restate's server runs at ${ingressUrl}, with no network but loopback`);
  const config = join(folder, "nestbox.config.jsonc");
  const blobs = join(folder, "blobs");
  mkdirSync(blobs);
  writeFileSync(config, JSON.stringify({ fleet: { engine: "restate", ingressUrl, adminUrl, blobs } }), {
    mode: 0o600,
  });
  // A run stays with the address at which it began: both workers listen at one.
  const workerWords = ["--port", String(await freePort()), "--reuse-port"];
  return { words: ["--config", config], workerWords, env: {}, killServer: server.kill };
}

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
