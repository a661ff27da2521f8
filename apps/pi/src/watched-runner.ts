import type { ScriptRunner } from "@nestbox/codemode";
import type { CodemodeExtensionOptions } from "@nestbox/codemode/pi";

type RunnerOption = NonNullable<CodemodeExtensionOptions["runner"]>;

/** The runner that an author gave, or the package's own, watched: what its scripts do is told. */
export function watchedRunner(
  runner: RunnerOption | undefined,
  watch: (runner: ScriptRunner) => ScriptRunner,
): RunnerOption {
  // An existing runner stays one: whoever made it closes it.
  if (typeof runner === "object") return watch(runner);
  return async () => {
    if (runner !== undefined) return watch(await runner());
    const { createRunner } = await import("@nestbox/codemode/node");
    return watch(createRunner());
  };
}
