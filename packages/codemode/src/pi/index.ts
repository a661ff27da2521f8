export type { CallRow } from "./call-rows.ts";
export type { CodemodeDetails } from "./details.ts";
export { type CodemodeCheck, type CodemodeExtensionOptions, createCodemodeExtension } from "./extension.ts";
export type { CodemodeMode } from "./loadout.ts";
