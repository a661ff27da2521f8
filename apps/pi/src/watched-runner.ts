import type { CodemodeExtensionOptions } from "@nestbox/codemode/pi";

import type { ScriptPlaces } from "./approval/script-place.ts";

type RunnerOption = NonNullable<CodemodeExtensionOptions["runner"]>;

/** The runner that an author gave, or the package's own, telling where its calls come from. */
export function watchedRunner(runner: RunnerOption | undefined, places: ScriptPlaces): RunnerOption {
  // An existing runner stays one: whoever made it closes it.
  if (typeof runner === "object") return places.watch(runner);
  return async () => {
    if (runner !== undefined) return places.watch(await runner());
    const { createRunner } = await import("@nestbox/codemode/node");
    return places.watch(createRunner());
  };
}
