import { UsageError } from "../usage-error.ts";
import type { FleetEngine } from "./engine.ts";
import type { FleetConfig } from "./fleet-config.ts";
import type { Engines, OpenFleetOptions } from "./fleet-options.ts";

const installed: Engines = {
  dbos: () => import("@nestbox/dbos/node"),
  restate: async () => ({
    ...(await import("@nestbox/restate")),
    ...(await import("@nestbox/restate/node")),
  }),
};

/** Opens the engine of a config. Throws `UsageError` where its package is missing; rejects with `FleetError`. */
export async function openFleet(config: FleetConfig, options: OpenFleetOptions = {}): Promise<FleetEngine> {
  const load = options.load ?? installed;
  if (config.engine === "dbos") {
    const loaded = await orMissing("@nestbox/dbos", load.dbos);
    const { openDbosEngine } = await import("./engines/dbos.ts");
    return await openDbosEngine(config, options, loaded);
  }
  const loaded = await orMissing("@nestbox/restate", load.restate);
  const { openRestateEngine } = await import("./engines/restate.ts");
  return openRestateEngine(config, options, loaded);
}

async function orMissing<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const isMissing =
      cause instanceof Error &&
      "code" in cause &&
      cause.code === "ERR_MODULE_NOT_FOUND" &&
      cause.message.includes(`'${name}'`);
    if (!isMissing) throw cause;
    throw new UsageError(
      `This fleet needs the package ${name}, which is not installed beside nestbox. Add it where nestbox is: npm install --global ${name}, or npm install ${name} in the project that has nestbox.`,
      { cause },
    );
  }
}
