import { compileSpec, type CompiledSpec, type ProgramSpec } from "./spec.ts";

import { fileProgramsTable } from "./files.ts";
import { gitTable } from "./git.ts";
import { wrapperTable } from "./wrappers.ts";

const families: readonly (readonly ProgramSpec[])[] = [fileProgramsTable, gitTable, wrapperTable];

const programs: ReadonlyMap<string, CompiledSpec> = new Map(
  families.flat().flatMap((spec) => {
    const compiled = compileSpec(spec);
    return spec.names.map((name) => [name, compiled] as const);
  }),
);

/** The entry of a program, by its name without folder and suffix. */
export function findProgram(name: string): CompiledSpec | undefined {
  return programs.get(name);
}
