import type { FleetEngine } from "../engine.ts";
import { FleetError } from "../engine.ts";
import type { FleetConfig } from "../fleet-config.ts";
import type { Engines, OpenFleetOptions } from "../open-fleet.ts";

export function openRestateEngine(
  _config: Extract<FleetConfig, { engine: "restate" }>,
  _options: OpenFleetOptions,
  _loaded: Awaited<ReturnType<Engines["restate"]>>,
): FleetEngine {
  throw new FleetError("refused", "The engine restate is not there yet");
}
