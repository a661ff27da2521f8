import type { CommandCall } from "../effects.ts";

/** Whether the command has one of these flags, by canonical name. */
export function has(call: CommandCall, ...names: readonly string[]): boolean {
  return call.parsed.flags.some((flag) => names.includes(flag.name));
}
