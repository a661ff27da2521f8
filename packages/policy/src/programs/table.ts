import { archiveTable } from "./archives.ts";
import { builderTable } from "./builders.ts";
import { builtinTable } from "./builtins.ts";
import { cloudTable } from "./cloud.ts";
import { fileProgramsTable } from "./files.ts";
import { formatterTable } from "./formatters.ts";
import { gitTable } from "./git.ts";
import { interpreterTable } from "./interpreters.ts";
import { networkTable } from "./network.ts";
import { packageTable } from "./packages.ts";
import { searchTable } from "./search.ts";
import { compileSpec, type CompiledSpec, type ProgramSpec } from "./spec.ts";
import { systemTable } from "./system.ts";
import { textTable } from "./text.ts";
import { versionTable } from "./versions.ts";
import { wrapperTable } from "./wrappers.ts";

const families: readonly (readonly ProgramSpec[])[] = [
  builtinTable,
  fileProgramsTable,
  textTable,
  searchTable,
  archiveTable,
  interpreterTable,
  wrapperTable,
  gitTable,
  versionTable,
  packageTable,
  formatterTable,
  builderTable,
  networkTable,
  cloudTable,
  systemTable,
];

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

/** Every program that the table knows, for completion and for tests. */
export function knownPrograms(): readonly string[] {
  return [...programs.keys()];
}
