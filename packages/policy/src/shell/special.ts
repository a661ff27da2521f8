import type { CommandCall } from "./effects.ts";

/** Extra reading of a command's words, named by the program table. */
export const specials: ReadonlyMap<string, (call: CommandCall) => void> = new Map();
